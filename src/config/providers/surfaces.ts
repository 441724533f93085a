import { Either } from "effect"
import { matches } from "../../contract/text/matches.ts"
import type { GatewayFile } from "../GatewayFile.ts"
import type { AuthSetting } from "../sections/Auth.ts"
import type { ProtocolName } from "../sections/Upstream.ts"
import { withoutSlash } from "../withoutSlash.ts"
import type { ProviderRow, Surface } from "./ProviderRow.ts"
import { providerNamed, providerOfEntry, providerRow } from "./providers.ts"

/** An entry of `upstreams`: one account at one place. */
export type UpstreamEntry = NonNullable<GatewayFile["upstreams"]>[string]

/** An entry at one of its protocols, with what its provider's row adds. */
export interface SurfaceEntry extends UpstreamEntry {
  readonly protocol: ProtocolName
  readonly base_url: string
}

/** A setting that is missing or wrong, and the rule. */
export interface WrongSetting {
  readonly setting: "protocol" | "base_url" | "region" | "project" | "resource"
  readonly rule: string
}

/** The row that an entry's `provider` names. */
export const rowOf = ({ provider }: Pick<UpstreamEntry, "provider">): ProviderRow | undefined => {
  const name = provider === undefined ? undefined : providerNamed(provider)
  return name === undefined ? undefined : providerRow(name)
}

/** The protocols of an entry, the usual one first. */
const protocolsOf = (entry: UpstreamEntry): ReadonlyArray<ProtocolName> =>
  entry.protocol === undefined ? (rowOf(entry)?.surfaces.map(({ protocol }) => protocol) ?? []) : [entry.protocol]

/**
 * The protocol of a model at an upstream: its route's own, the entry's, otherwise the one that the provider's row has for
 * the model.
 *
 * @param model its id there, or the public id of the model behind it
 */
export const protocolFor = (entry: UpstreamEntry, model: string, ofRoute?: ProtocolName): ProtocolName | undefined => {
  if (ofRoute !== undefined || entry.protocol !== undefined) return ofRoute ?? entry.protocol
  const surfaces = rowOf(entry)?.surfaces
  return (surfaces?.find(({ models = [] }) => models.some((pattern) => matches(pattern, model))) ?? surfaces?.[0])
    ?.protocol
}

/** Every protocol that calls of an upstream may speak, the usual one first: its own, and those of its models' routes. */
export const protocolsAt = (
  { models = {}, upstreams = {} }: GatewayFile,
  name: string
): ReadonlyArray<ProtocolName> => {
  const entry = upstreams[name]
  const routes = Object.values(models).flatMap((model) =>
    typeof model === "object" && "routes" in model ? model.routes : []
  )
  const ofRoutes = routes.flatMap(({ protocol, upstream }) =>
    protocol === undefined || upstream !== name ? [] : [protocol]
  )
  return [...new Set([...(entry === undefined ? [] : protocolsOf(entry)), ...ofRoutes])]
}

/** An entry at a protocol, by default its usual one; otherwise the setting that its address lacks. */
export const surfaceOf = (
  entry: UpstreamEntry,
  protocol = protocolsOf(entry)[0]
): Either.Either<SurfaceEntry, WrongSetting> => {
  if (protocol === undefined) return Either.left({ setting: "protocol", rule: "is required, unless provider is given" })
  const row = rowOf(entry)
  const surface = row?.surfaces.find((one) => one.protocol === protocol)
  const auth = authOf(entry, row)
  return Either.map(addressOf(entry, row, surface), (base_url) => ({
    ...entry,
    protocol,
    base_url,
    ...(auth === undefined ? {} : { auth })
  }))
}

/** True if the provider of an entry goes on with a stream whose reader left, and bills all of it. */
export const runsOn = ({ base_url: baseUrl, provider }: SurfaceEntry): boolean => {
  const known = providerOfEntry(baseUrl, provider)
  return known !== undefined && providerRow(known).hangUp === "runs_on"
}

/** True if the provider of an entry calls the MCP servers that a request names. */
export const runsServers = ({ base_url: baseUrl, protocol, provider }: SurfaceEntry): boolean => {
  const known = providerOfEntry(baseUrl, provider)
  return known !== undefined && providerRow(known).runsServers?.includes(protocol) === true
}

/** True if the address at a provider depends on a setting. */
export const isPlaced = ({ origin, surfaces }: ProviderRow, setting: "region" | "project" | "resource"): boolean =>
  [origin, ...surfaces.flatMap((one) => [one.origin, one.path])].some((part) => part?.includes(`{${setting}}`) === true)

/** A base URL that stands beside `protocol` is whole; otherwise it stands in place of the row's origin. */
const addressOf = (
  entry: UpstreamEntry,
  row: ProviderRow | undefined,
  surface: Surface | undefined
): Either.Either<string, WrongSetting> => {
  const { base_url: given } = entry
  if (given !== undefined && (entry.protocol !== undefined || surface === undefined)) return Either.right(given)
  const origin = given ?? surface?.origin ?? row?.regions?.[entry.region ?? ""] ?? row?.origin
  if (origin === undefined) return Either.left({ setting: "base_url", rule: "is required" })
  return Either.flatMap(fill(origin, entry), (at) =>
    Either.map(fill(surface?.path ?? "", entry), (path) => {
      const [before = "", given] = at.split("?", 2)
      const [rest = "", query = given] = path.split("?", 2)
      const base = withoutSlash(before)
      return `${base.endsWith(rest) ? base : base + rest}${query === undefined ? "" : `?${given ?? query}`}`
    })
  )
}

/** A part of an address with the entry's settings in it. */
const fill = (text: string, entry: UpstreamEntry): Either.Either<string, WrongSetting> => {
  const settings = ["region", "project", "resource"] as const
  const missing = settings.find((setting) => text.includes(`{${setting}}`) && entry[setting] === undefined)
  if (missing !== undefined) {
    return Either.left({ setting: missing, rule: `is required: the address of ${entry.provider} contains it` })
  }
  return Either.right(
    settings.reduce((filling, setting) => filling.replaceAll(`{${setting}}`, entry[setting] ?? ""), text)
  )
}

/** The row's credentials, if the entry has none of its own. */
const authOf = (entry: UpstreamEntry, row: ProviderRow | undefined): AuthSetting | undefined => {
  const ofRow = Object.keys(row?.headers ?? {})
  const isKnown =
    entry.api_key !== undefined ||
    entry.keys !== undefined ||
    Object.keys(entry.headers ?? {}).some((name) => !ofRow.includes(name.toLowerCase()))
  return entry.auth ?? (isKnown || row === undefined || row.auth === "none" ? undefined : row.auth)
}
