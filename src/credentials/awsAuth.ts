import { Effect } from "effect"
import type { AwsCredentialIdentity } from "@smithy/types"
import { headerRule, isHeaderValue } from "../contract/text/headerValue.ts"
import { objectAt, parseJson, textAt } from "../contract/json/json.ts"
import { shorten } from "../contract/text/shorten.ts"
import { withoutSecrets } from "../contract/callers/withoutSecrets.ts"
import { NoCredentials } from "./Auth.ts"
import type { Auth } from "./Auth.ts"
import type { AwsSettings } from "./awsCredentials.ts"
import { clockOf } from "./clockOf.ts"
import { promiseRunner } from "./promiseRunner.ts"
import { renewedAws } from "./renewedAws.ts"
import { signCall } from "./signCall.ts"
import type { AwsTarget } from "./signCall.ts"
import type { Source } from "./Source.ts"

/**
 * `auth: aws`: requests signed with credentials of AWS's chain, or Bedrock's bearer key where the environment has one.
 *
 * @param baseUrl of the upstream's usual protocol; the addresses of calls say the services that they are signed for
 */
export const makeAwsAuth = Effect.fnUntraced(function* (settings: AwsSettings, baseUrl: string, source: Source) {
  const run = promiseRunner(yield* Effect.runtime())
  const clock = clockOf(source.now)
  const targetAt = (url: string) => targetOf(settings, url, source.env)
  const credentials = yield* renewedAws(settings, source, clock.offsetMs)
  const bearer = isChosen(settings) ? undefined : source.env["AWS_BEARER_TOKEN_BEDROCK"]
  if (bearer !== undefined && bearer !== "") {
    const auth: Auth = {
      headers: async () => {
        if (isHeaderValue(bearer)) return { authorization: `Bearer ${bearer}` }
        throw new NoCredentials({ message: `no AWS credentials: AWS_BEARER_TOKEN_BEDROCK: ${headerRule}` })
      },
      refused: () => Promise.resolve(false),
      secrets: () => [bearer],
      identity: () => Promise.resolve("the key in AWS_BEARER_TOKEN_BEDROCK")
    }
    return auth
  }
  const used = new WeakMap<Readonly<Record<string, string>>, Signing>()
  const auth: Auth = {
    headers: async (call) => {
      const identity = await run(credentials.get)
      const offsetMs = clock.offsetMs()
      const headers = await signCall(call, identity, targetAt(call.url), clock.now())
      used.set(headers, { identity, offsetMs })
      return headers
    },
    refused: async (headers, answer) => {
      const signing = used.get(headers)
      if (signing === undefined) return false
      return clock.corrects(answer, signing.offsetMs) || run(credentials.refused(signing.identity))
    },
    secrets: () =>
      credentials
        .recent()
        .flatMap(({ secretAccessKey, sessionToken }) => [
          secretAccessKey,
          ...(sessionToken === undefined ? [] : [sessionToken])
        ]),
    identity: async () => {
      const identity = await run(credentials.get)
      const target = targetAt(baseUrl)
      const url = `https://sts.${target.region}.amazonaws.com/`
      const call = {
        method: "POST",
        url,
        headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
        body: "Action=GetCallerIdentity&Version=2011-06-15"
      } as const
      const signature = await signCall(call, identity, { ...target, service: "sts" }, clock.now())
      const { body, headers, method } = call
      const answer = await source.fetch(url, { method, headers: { ...headers, ...signature }, body }).then(
        (response) => response.text(),
        () => ""
      )
      const result = objectAt(objectAt(parseJson(answer), "GetCallerIdentityResponse"), "GetCallerIdentityResult")
      const arn = textAt(result, "Arn")
      return arn === undefined
        ? `access key …${identity.accessKeyId.slice(-4)}`
        : shorten(withoutSecrets(arn, auth.secrets()))
    }
  }
  return auth
})

/** The credentials that a call was signed with, and the clock's offset at the time. */
interface Signing {
  readonly identity: AwsCredentialIdentity
  readonly offsetMs: number
}

/** True if the file says which credentials. */
const isChosen = ({ fixed, profile, roleArn }: AwsSettings): boolean =>
  fixed !== undefined || profile !== undefined || roleArn !== undefined

const services = ["bedrock-mantle", "aws-external-anthropic"] as const

/** The service and region of an address: `https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1`. */
const targetOf = ({ region }: AwsSettings, baseUrl: string, env: NodeJS.ProcessEnv): AwsTarget => {
  const { hostname } = new URL(baseUrl)
  return {
    service: services.find((name) => hostname.includes(name)) ?? "bedrock",
    region:
      region ??
      /(?:^|\.)([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(hostname)?.[1] ??
      env["AWS_REGION"] ??
      env["AWS_DEFAULT_REGION"] ??
      "us-east-1"
  }
}
