import { generateKeyPairSync } from "node:crypto"
import { Effect, Redacted } from "effect"
import type { Auth } from "../../src/credentials/Auth.ts"
import { makeAwsAuth } from "../../src/credentials/awsAuth.ts"
import { makeAzureAuth } from "../../src/credentials/azureAuth.ts"
import { makeGoogleAuth } from "../../src/credentials/googleAuth.ts"
import type { Source } from "../../src/credentials/Source.ts"

export const kinds = ["aws", "google", "azure"] as const
export type Kind = (typeof kinds)[number]

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
const account = {
  type: "service_account",
  client_email: "gateway@project.iam.gserviceaccount.com",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" })
}
const fixed = { accessKeyId: "AKIAFIXED0000000001", secretAccessKey: "fixed-secret-0123456789" }
const lifeMs = 3_600_000

/**
 * One cloud in memory, by the clock of the test: its token service, and a model that accepts the tokens which that gave
 * out until they end.
 */
export const makeCloud = Effect.fnUntraced(function* (kind: Kind) {
  const clock = yield* Effect.clock
  const state = {
    /** Calls of the token service. */
    asked: 0,
    isDown: false,
    /** How far this cloud's clock is ahead of the gateway's, in ms. */
    aheadMs: 0
  }
  /** The ends of what was given out, by the cloud's clock. */
  const given = new Map<string, number>()
  const now = () => clock.unsafeCurrentTimeMillis()
  const theirs = () => now() + state.aheadMs
  const dated = () => ({ date: new Date(theirs()).toUTCString() })
  const isFar = (ms: number) => Math.abs(ms - theirs()) > 300_000

  const sts = (id: string) =>
    new Response(
      `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>` +
        `<AccessKeyId>${id}</AccessKeyId><SecretAccessKey>secret-of-${id}</SecretAccessKey>` +
        `<SessionToken>session-of-${id}</SessionToken><Expiration>${new Date(theirs() + lifeMs).toISOString()}` +
        `</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
      { headers: { "content-type": "text/xml" } }
    )
  const isSound = (assertion: string): boolean => {
    const { iat } = JSON.parse(Buffer.from(assertion.split(".")[1] ?? "", "base64url").toString())
    return !isFar(iat * 1_000)
  }
  const assertionIn = (body: RequestInit["body"]) =>
    new URLSearchParams(typeof body === "string" || body instanceof URLSearchParams ? body : "").get("assertion") ?? ""
  const fetch: Source["fetch"] = async (_, { body }) => {
    state.asked++
    if (state.isDown) return new Response("<ErrorResponse/>", { status: 503 })
    if (kind === "google" && !isSound(assertionIn(body))) {
      return Response.json({ error: "invalid_grant" }, { status: 400, headers: dated() })
    }
    const id = `${kind}-${given.size + 1}`
    given.set(id, theirs() + lifeMs)
    return kind === "aws"
      ? sts(id)
      : Response.json({ access_token: id, token_type: "Bearer", expires_in: lifeMs / 1_000 }, { headers: dated() })
  }
  const source: Source = { env: {}, fetch, fetchLocally: fetch, now }
  const auth = yield* authOf(kind, source)

  /** The token, or the access key, that proves a call. */
  const tokenIn = ({ authorization = "" }: Readonly<Record<string, string>>): string =>
    /^Bearer (.+)$|Credential=([^/]+)/.exec(authorization)?.slice(1).find(Boolean) ?? ""
  const accepts = (headers: Readonly<Record<string, string>>): boolean => {
    const [, date = "", time = ""] = /^(\d{8})T(\d{6})Z$/.exec(headers["x-amz-date"] ?? "") ?? []
    const signedMs = Date.parse(
      `${date.replace(/(....)(..)(..)/, "$1-$2-$3")}T${time.replace(/(..)(..)(..)/, "$1:$2:$3")}Z`
    )
    if (kind === "aws" && isFar(signedMs)) return false
    const endsAtMs = tokenIn(headers) === fixed.accessKeyId ? Infinity : given.get(tokenIn(headers))
    return endsAtMs !== undefined && endsAtMs > theirs()
  }
  const call = { method: "POST", url: "https://models.example.com/v1/x", headers: {}, body: "{}" } as const
  const headers = Effect.promise(() => auth.headers(call))
  /** A call of the model, sent as the client of upstreams sends it. Undefined is one that was refused to the end. */
  const asking = (by: Auth = auth) =>
    Effect.promise(async () => {
      const used = await by.headers(call)
      if (accepts(used)) return { token: tokenIn(used), refusals: 0 }
      if (!(await by.refused(used, new Headers(dated())))) return undefined
      const others = await by.headers(call)
      return accepts(others) ? { token: tokenIn(others), refusals: 1 } : undefined
    })
  return {
    state,
    source,
    auth,
    headers,
    token: Effect.map(headers, tokenIn),
    asking,
    /** Everything that was given out is refused from now on. */
    revoke: Effect.sync(() => given.forEach((_, id) => given.set(id, -Infinity)))
  }
})

/** Credentials of each kind that a token service gives, AWS's for a role. */
const authOf = (kind: Kind, source: Source) => {
  switch (kind) {
    case "aws":
      return fixedKeys(source, "arn:aws:iam::123456789012:role/models")
    case "google": {
      const credentials = Redacted.make(JSON.stringify(account))
      return makeGoogleAuth({ credentials, scopes: ["https://www.googleapis.com/auth/cloud-platform"] }, source)
    }
    case "azure":
      return makeAzureAuth(
        { tenantId: "tenant", clientId: "client", clientSecret: Redacted.make("client-secret"), scope: "s/.default" },
        source
      )
  }
}

/** AWS's credentials that are written: they have no end, but are signed with by the clock. */
export const fixedKeys = (source: Source, roleArn?: string) =>
  makeAwsAuth(
    { region: "us-east-1", profile: undefined, roleArn, fixed },
    "https://bedrock-runtime.us-east-1.amazonaws.com",
    source
  )
