import type { AwsCredentialIdentity } from "@smithy/types"
import { parseJson, textAt } from "../contract/json/json.ts"
import { NoCredentials } from "./Auth.ts"
import { readNamed } from "./readNamed.ts"
import { sendable } from "./sendable.ts"
import type { Source } from "./Source.ts"

/*
 * AWS's `fromHttp` and `fromInstanceMetadata` again, by the gateway's own client: the library reads answers of any length,
 * for as long as they last.
 */

/** The keys of a container: ECS, EKS Pod Identity, Greengrass. */
export const ofContainer = async ({ env, fetchLocally }: Source): Promise<AwsCredentialIdentity> => {
  const path = env["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"]
  const address = path === undefined ? env["AWS_CONTAINER_CREDENTIALS_FULL_URI"] : `http://169.254.170.2${path}`
  const url = URL.parse(address ?? "")
  if (url === null || !isTrusted(url)) {
    throw new Error("AWS_CONTAINER_CREDENTIALS_FULL_URI: expected https, or http at a loopback or container address")
  }
  const file = env["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"]
  const token =
    file === undefined
      ? env["AWS_CONTAINER_AUTHORIZATION_TOKEN"]
      : sendable(
          (await readNamed("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", file)).trim(),
          "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"
        )
  const headers = token === undefined ? {} : { authorization: sendable(token, "AWS_CONTAINER_AUTHORIZATION_TOKEN") }
  return keysIn(await textOf(await fetchLocally(url.href, { headers })))
}

/** Also the addresses to which AWS's programs send a container's token without TLS. */
const isTrusted = ({ hostname, protocol }: URL): boolean =>
  protocol === "https:" ||
  (protocol === "http:" &&
    /^(?:localhost|127(?:\.\d+){3}|\[::1\]|169\.254\.170\.2|169\.254\.170\.23|\[fd00:ec2::23\])$/.test(hostname))

/** The keys of a machine's role, by IMDSv2. */
export const ofMachine = async (
  { env, fetchLocally }: Source,
  profile: Readonly<Record<string, string | undefined>>
): Promise<AwsCredentialIdentity> => {
  const setting = (name: string) => env[`AWS_${name.toUpperCase()}`] ?? profile[name]
  const isIPv6 = setting("ec2_metadata_service_endpoint_mode")?.toLowerCase() === "ipv6"
  const endpoint =
    setting("ec2_metadata_service_endpoint") ?? `http://${isIPv6 ? "[fd00:ec2::254]" : "169.254.169.254"}`
  const ask = async (path: string, init: RequestInit) =>
    textOf(await fetchLocally(new URL(`/latest/${path}`, endpoint).href, init))

  const session = await ask("api/token", {
    method: "PUT",
    headers: { "x-aws-ec2-metadata-token-ttl-seconds": "21600" }
  })
  const headers = { "x-aws-ec2-metadata-token": sendable(session, "the token of the machine's metadata service") }
  const roles = "meta-data/iam/security-credentials/"
  const role = (await ask(roles, { headers })).trim()
  return keysIn(await ask(roles + encodeURIComponent(role), { headers }))
}

const textOf = async (answer: Response): Promise<string> => {
  const { status } = answer
  if (status === 200) return answer.text()
  throw new NoCredentials({ isOutage: status >= 500, message: `their service answers with status ${status}` })
}

const keysIn = (text: string): AwsCredentialIdentity => {
  const json = parseJson(text)
  const accessKeyId = textAt(json, "AccessKeyId")
  const secretAccessKey = textAt(json, "SecretAccessKey")
  const sessionToken = textAt(json, "Token")
  const endsAtMs = Date.parse(textAt(json, "Expiration") ?? "")
  if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined) {
    // The metadata service says `{"Code": "AssumeRoleUnauthorizedAccess"}` with status 200.
    throw new Error(`their service gave no keys (${textAt(json, "Code") ?? "it is not AWS's answer"})`)
  }
  return {
    accessKeyId,
    secretAccessKey,
    sessionToken,
    ...(!Number.isNaN(endsAtMs) && { expiration: new Date(endsAtMs) })
  }
}
