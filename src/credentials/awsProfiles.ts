import type * as Library from "@aws-sdk/credential-providers"
import type { AwsCredentialIdentity } from "@smithy/types"
import { readProfileFiles, readTokenFile } from "./awsFiles.ts"
import { ofContainer, ofMachine } from "./awsMachine.ts"
import type { Source } from "./Source.ts"

/** A role's session by default, as CloudTrail shows it. */
export const sessionName = "model-gateway"

export type AwsProvider = () => Promise<AwsCredentialIdentity>

/** A profile of AWS's shared files. */
type AwsProfile = Readonly<Record<string, string | undefined>>

export interface AwsClientConfig {
  readonly region?: string
  readonly requestHandler: object
  readonly systemClockOffset: number
}

export const awsProfiles = async (): Promise<Readonly<Record<string, AwsProfile>>> => {
  await readProfileFiles()
  const { parseKnownFiles } = await import("@smithy/core/config")
  return parseKnownFiles({ ignoreCache: true })
}

/**
 * True if a profile is there that starts no program, nor does one that it takes its credentials from: that is done only
 * for a profile that the operator names.
 */
export const isProgramless = (profiles: Readonly<Record<string, AwsProfile>>, name: string): boolean =>
  Object.keys(profiles[name] ?? {}).length > 0 &&
  chainOf(profiles, name).every(({ credential_process: program }) => program === undefined)

/** The credentials of a profile by AWS's library, but for a container's and a machine's, which it reads without a bound. */
export const ofProfile = (
  library: typeof Library,
  profiles: Readonly<Record<string, AwsProfile>>,
  name: string,
  source: Source,
  clientConfig: AwsClientConfig
): AwsProvider => {
  const chain = chainOf(profiles, name)
  const last = chain.at(-1) ?? {}
  // The library prefers a source's own keys, and the role of the profile that is asked for.
  const isMachine = chain.length > 1 ? last["aws_access_key_id"] === undefined : last["role_arn"] !== undefined
  const from = isMachine ? last["credential_source"] : undefined
  if (from !== "EcsContainer" && from !== "Ec2InstanceMetadata") {
    return async () => {
      for (const profile of chain) await readTokenFile(profile["web_identity_token_file"])
      return library.fromIni({ profile: name, clientConfig, ignoreCache: true })()
    }
  }
  const machine: AwsProvider = () => (from === "EcsContainer" ? ofContainer(source) : ofMachine(source, last))
  return chain.reduceRight<AwsProvider>((base, profile) => assumed(library, base, profile, clientConfig), machine)
}

/** A profile, the one that it takes its credentials from, and so on. */
const chainOf = (profiles: Readonly<Record<string, AwsProfile>>, name: string): ReadonlyArray<AwsProfile> => {
  const names = new Set<string>()
  let next: string | undefined = name
  while (next !== undefined && !names.has(next)) {
    names.add(next)
    next = profiles[next]?.["source_profile"]
  }
  return [...names].map((one) => profiles[one] ?? {})
}

const assumed = (
  library: typeof Library,
  base: AwsProvider,
  profile: AwsProfile,
  clientConfig: AwsClientConfig
): AwsProvider => {
  const { duration_seconds: seconds, external_id: externalId, mfa_serial: serial, region, role_arn: role } = profile
  if (role === undefined) return base
  return library.fromTemporaryCredentials({
    masterCredentials: base,
    params: {
      RoleArn: role,
      RoleSessionName: profile["role_session_name"] ?? sessionName,
      ...(externalId !== undefined && { ExternalId: externalId }),
      ...(seconds !== undefined && { DurationSeconds: Number(seconds) }),
      ...(serial !== undefined && { SerialNumber: serial })
    },
    clientConfig: { ...clientConfig, ...(region !== undefined && { region }) }
  })
}
