import type * as Library from "@aws-sdk/credential-providers"
import type { AwsCredentialIdentity } from "@smithy/types"
import { readTokenFile } from "./awsFiles.ts"
import { ofContainer, ofMachine } from "./awsMachine.ts"
import { awsProfiles, isProgramless, ofProfile, sessionName } from "./awsProfiles.ts"
import type { AwsClientConfig, AwsProvider } from "./awsProfiles.ts"
import { sendable } from "./sendable.ts"
import type { Source } from "./Source.ts"

/** Settings of `auth: aws`. What is undefined is found as AWS's own programs find it. */
export interface AwsSettings {
  readonly region: string | undefined
  readonly profile: string | undefined
  readonly roleArn: string | undefined
  readonly fixed: AwsCredentialIdentity | undefined
}

/** Credentials by AWS's own library, which is loaded only if they are not written. */
export const awsCredentials = async (
  settings: AwsSettings,
  source: Source,
  systemClockOffset: number
): Promise<AwsCredentialIdentity> => {
  const { env, fetch } = source
  const { fixed, roleArn } = settings
  if (fixed !== undefined && roleArn === undefined) return check(fixed, asWritten)
  const library = await import("@aws-sdk/credential-providers")
  const region = settings.region ?? env["AWS_REGION"] ?? env["AWS_DEFAULT_REGION"]
  const clientConfig = { ...(region !== undefined && { region }), requestHandler: handlerOf(fetch), systemClockOffset }
  const base = await baseOf(library, settings, source, clientConfig)
  if (roleArn === undefined) return base()
  const assumed = library.fromTemporaryCredentials({
    masterCredentials: base,
    params: { RoleArn: roleArn, RoleSessionName: sessionName },
    clientConfig
  })
  return check(await assumed(), byService)
}

const baseOf = async (
  library: typeof Library,
  { fixed, profile }: AwsSettings,
  source: Source,
  clientConfig: AwsClientConfig
): Promise<AwsProvider> => {
  const { env } = source
  const from =
    (provider: AwsProvider, settingOf = byService) =>
    async () =>
      check(await provider(), settingOf)
  if (fixed !== undefined) return from(() => Promise.resolve(fixed), asWritten)
  const profiles = await awsProfiles()
  const inFile = (name: string) =>
    from(ofProfile(library, profiles, name, source, clientConfig), (field) => `${field} of the profile ${name}`)
  if (profile !== undefined) return inFile(profile)
  if (env["AWS_ACCESS_KEY_ID"] !== undefined) return from(library.fromEnv(), (field) => `AWS_${field.toUpperCase()}`)
  if (env["AWS_WEB_IDENTITY_TOKEN_FILE"] !== undefined) {
    return from(async () => {
      await readTokenFile(process.env["AWS_WEB_IDENTITY_TOKEN_FILE"])
      return library.fromTokenFile({ clientConfig })()
    })
  }
  const usual = env["AWS_PROFILE"] ?? "default"
  if (isProgramless(profiles, usual)) return inFile(usual)
  if (
    env["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] !== undefined ||
    env["AWS_CONTAINER_CREDENTIALS_FULL_URI"] !== undefined
  ) {
    return from(() => ofContainer(source))
  }
  return from(() => ofMachine(source, profiles[usual] ?? {}))
}

const asWritten = (field: string): string => field
const byService = (field: string): string => `${field} of their service`

/** Keys that can be sent. Throws an error that names the setting of the one that can't. */
const check = (identity: AwsCredentialIdentity, settingOf: (field: string) => string): AwsCredentialIdentity => {
  sendable(identity.accessKeyId, settingOf("access_key_id"))
  sendable(identity.secretAccessKey, settingOf("secret_access_key"))
  sendable(identity.sessionToken ?? "", settingOf("session_token"))
  return identity
}

/** The library's requests to the token service, by the gateway's own client. */
const handlerOf = (fetch: Source["fetch"]) => ({
  handle: async (request: {
    readonly method: string
    readonly protocol: string
    readonly hostname: string
    readonly port?: number
    readonly path: string
    readonly query?: Readonly<Record<string, string | ReadonlyArray<string> | null>>
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string | Uint8Array
  }) => {
    const { body, headers, hostname, method, path, port, protocol, query = {} } = request
    const asked = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      for (const one of typeof value === "string" ? [value] : (value ?? [""])) asked.append(name, one)
    }
    const search = asked.toString()
    const at = port === undefined ? hostname : `${hostname}:${port}`
    const answer = await fetch(`${protocol}//${at}${path}${search === "" ? "" : `?${search}`}`, {
      method,
      headers,
      body: textOf(body)
    })
    return {
      response: {
        statusCode: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: answer.body
      }
    }
  }
})

const textOf = (body: string | Uint8Array | undefined): string | null =>
  body instanceof Uint8Array ? new TextDecoder().decode(body) : (body ?? null)
