import type * as Library from "@aws-sdk/credential-providers"
import type { AwsCredentialIdentity } from "@smithy/types"
import type { Source } from "./Source.ts"

/** Settings of `auth: aws`. What is undefined is found as AWS's own programs find it. */
export interface AwsSettings {
  readonly region: string | undefined
  readonly profile: string | undefined
  readonly roleArn: string | undefined
  readonly fixed: AwsCredentialIdentity | undefined
}

type Provider = () => Promise<AwsCredentialIdentity>

/** Credentials by AWS's own library, which is loaded only if they are not written. */
export const awsCredentials = async (
  settings: AwsSettings,
  { env, fetch }: Source,
  systemClockOffset: number
): Promise<AwsCredentialIdentity> => {
  if (settings.fixed !== undefined && settings.roleArn === undefined) return settings.fixed
  const library = await import("@aws-sdk/credential-providers")
  const region = settings.region ?? env["AWS_REGION"] ?? env["AWS_DEFAULT_REGION"]
  const clientConfig = { ...(region !== undefined && { region }), requestHandler: handlerOf(fetch), systemClockOffset }
  const base = await baseOf(library, settings, env, clientConfig)
  if (settings.roleArn === undefined) return base()
  return library.fromTemporaryCredentials({
    masterCredentials: base,
    params: { RoleArn: settings.roleArn, RoleSessionName: "model-gateway" },
    clientConfig
  })()
}

const baseOf = async (
  library: typeof Library,
  { fixed, profile }: AwsSettings,
  env: NodeJS.ProcessEnv,
  clientConfig: object
): Promise<Provider> => {
  if (fixed !== undefined) return () => Promise.resolve(fixed)
  const inFile = (name: string) => library.fromIni({ profile: name, clientConfig, ignoreCache: true })
  if (profile !== undefined) return inFile(profile)
  if (env["AWS_ACCESS_KEY_ID"] !== undefined) return library.fromEnv()
  if (env["AWS_WEB_IDENTITY_TOKEN_FILE"] !== undefined) return library.fromTokenFile({ clientConfig })
  const usual = env["AWS_PROFILE"] ?? "default"
  if (await isInFile(usual)) return inFile(usual)
  if (
    env["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] !== undefined ||
    env["AWS_CONTAINER_CREDENTIALS_FULL_URI"] !== undefined
  ) {
    return library.fromHttp()
  }
  return library.fromInstanceMetadata({ ec2MetadataV1Disabled: true })
}

/**
 * True if a profile is there that starts no program, nor does the one that it takes its credentials from: that is done only
 * for a profile that the operator names.
 */
const isInFile = async (name: string): Promise<boolean> => {
  const { parseKnownFiles } = await import("@smithy/core/config")
  const profiles = await parseKnownFiles({ ignoreCache: true })
  const seen = new Set<string>()
  let next: string | undefined = name
  while (next !== undefined && !seen.has(next)) {
    seen.add(next)
    const profile: Readonly<Record<string, string | undefined>> = profiles[next] ?? {}
    if (profile["credential_process"] !== undefined) return false
    next = profile["source_profile"]
  }
  return Object.keys(profiles[name] ?? {}).length > 0
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
