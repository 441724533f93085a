import { Effect, Either, Redacted } from "effect"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { providerNamed, providerNames } from "../config/providers/providers.ts"
import { authFields } from "../config/sections/Auth.ts"
import { proxyIn } from "../config/proxies.ts"
import { closest } from "../config/warnings.ts"
import { notHere } from "../config/SecretFiles.ts"
import { Documents } from "../documents/Documents.ts"
import { defaultDeadlines } from "./client.ts"
import type { Deadlines } from "./client.ts"
import { makeAuth } from "./auth/makeAuth.ts"
import type { EndpointOptions } from "./Endpoint.ts"
import { protocolOf } from "./protocols.ts"
import type { TextUpstream } from "./Upstream.ts"
import { videoDeadlines } from "./videoApi.ts"
import type { VideoServices } from "./videoApi.ts"
import type { VideoUpstream } from "./VideoUpstream.ts"

export type UpstreamEntry = NonNullable<GatewayFile["upstreams"]>[string]

/** The upstream of an entry of `upstreams`, text or video, with one of its keys. */
export type Place =
  | { readonly kind: "text"; readonly upstream: (key: ApiKey) => Effect.Effect<TextUpstream, never, Documents> }
  | {
      readonly kind: "video"
      readonly upstream: (key: ApiKey) => Effect.Effect<VideoUpstream, never, VideoServices>
    }

type ApiKey = Redacted.Redacted | undefined

/** Builds the upstream of an entry. Fails with the mistakes that the schema cannot find. */
export const placeOf = (
  file: Located<GatewayFile>,
  name: string,
  entry: UpstreamEntry
): Either.Either<Place, BadSettings> => Either.flatMap(soundKeys(file, name, entry), () => placeWith(file, name, entry))

const placeWith = (
  file: Located<GatewayFile>,
  name: string,
  entry: UpstreamEntry
): Either.Either<Place, BadSettings> => {
  const protocol = protocolOf(entry.protocol)
  return protocol.kind === "text"
    ? Either.map(soundOptions(file, name, entry), () => ({
        kind: "text",
        upstream: (key) =>
          Effect.map(Effect.all([Documents, endpointOptions(entry, key)]), ([{ read }, options]) =>
            protocol.upstream(
              {
                name,
                ...options,
                deadlines: deadlinesOf(entry, defaultDeadlines),
                readDocument: read,
                threads: entry.threads ?? false,
                thinkTags: entry.think_tags ?? false,
                cachesAll: entry.cache === "auto",
                betas: entry.anthropic_beta,
                sharedIds: entry.shared_ids ?? []
              },
              entry.provider
            )
          )
      }))
    : Either.map(withoutTextOptions(file, name, entry), () => ({
        kind: "video",
        upstream: (key) =>
          Effect.flatMap(endpointOptions(entry, key), (options) =>
            protocol.upstream({ name, ...options, deadlines: deadlinesOf(entry, videoDeadlines) })
          )
      }))
}

const soundOptions = (
  file: Located<GatewayFile>,
  name: string,
  entry: UpstreamEntry
): Either.Either<void, BadSettings> => {
  const { protocol, provider } = entry
  const complain = (option: string, rule: string) =>
    Either.left(file.complain(["upstreams", name, option], `upstreams.${name}.${option}: ${rule}`))
  const misplaced = ownOptions.find(([option, only]) => entry[option] !== undefined && protocol !== only)
  if (misplaced !== undefined) {
    const [option, only] = misplaced
    return complain(option, `is for ${only} alone`)
  }
  if (provider === undefined || providerNamed(provider) !== undefined) return Either.void
  const near = closest(provider, providerNames)
  const meant = near === undefined ? "" : `; is ${near} meant?`
  return complain("provider", `no provider "${provider}", \`gateway providers\` lists them${meant}`)
}

/** Options of a single protocol. */
const ownOptions = [
  ["threads", "anthropic-messages"],
  ["cache", "anthropic-messages"],
  ["anthropic_beta", "anthropic-messages"],
  ["think_tags", "openai-chat"]
] as const

const textOptions = [
  "provider",
  "list_models",
  "threads",
  "cache",
  "anthropic_beta",
  "think_tags",
  "shared_ids",
  "max_concurrency",
  "queue_seconds"
] as const

/** Video tasks queue for capacity themselves, and video upstreams list models of every kind. */
const withoutTextOptions = (
  file: Located<GatewayFile>,
  name: string,
  entry: UpstreamEntry
): Either.Either<void, BadSettings> => {
  const option = textOptions.find((option) => entry[option] !== undefined)
  return option === undefined
    ? Either.void
    : Either.left(
        file.complain(["upstreams", name, option], `upstreams.${name}.${option}: is for upstreams of text models alone`)
      )
}

/** A key of `keys`, with its share of the conversations. */
interface WeightedKey {
  readonly key: Redacted.Redacted
  readonly weight: number
}

/** The `keys` of an entry, in order; empty if it has none. */
export const keysOf = ({ keys }: UpstreamEntry): ReadonlyArray<WeightedKey> =>
  (keys ?? []).map((one) =>
    Redacted.isRedacted(one) ? { key: one, weight: 1 } : { key: one.key, weight: one.weight ?? 1 }
  )

/** The key of `api_key`, otherwise the first of `keys`. */
export const firstKey = (entry: UpstreamEntry): ApiKey => entry.api_key ?? keysOf(entry)[0]?.key

const soundKeys = (
  file: Located<GatewayFile>,
  name: string,
  entry: UpstreamEntry
): Either.Either<void, BadSettings> => {
  const complain = (path: ReadonlyArray<string | number>, rule: string) =>
    Either.left(file.complain(["upstreams", name, ...path], `upstreams.${name}.${rule}`))
  const { auth = "key" } = entry
  if (auth !== "key" && firstKey(entry) !== undefined) {
    return complain(["auth"], "auth: in place of api_key and keys, not beside them")
  }
  if (entry.region !== undefined && authFields(auth).kind !== "aws") {
    return complain(["region"], "region: is for auth: aws alone")
  }
  if (entry.keys === undefined) return Either.void
  if (entry.api_key !== undefined) return complain(["api_key"], "api_key: stands in keys where there are several")
  const written = keysOf(entry).map(({ key }) => Redacted.value(key))
  const index = written.findIndex((key, at) => key !== notHere && written.indexOf(key) < at)
  return index === -1
    ? Either.void
    : complain(["keys", index], `keys[${index}]: the same key as keys[${written.indexOf(written[index] ?? "")}]`)
}

/** The address and headers of an entry, with one of its keys. */
export const endpointOptions = (
  { auth, base_url: baseUrl, headers = {}, proxy: setting, region, tls }: UpstreamEntry,
  apiKey: ApiKey
): Effect.Effect<EndpointOptions> => {
  const proxy = proxyIn(setting)
  return Effect.map(makeAuth({ auth, region, baseUrl, proxy }), (auth) => ({
    auth,
    baseUrl,
    apiKey,
    proxy,
    tls: tls && {
      ...(tls.ca && { ca: Redacted.value(tls.ca) }),
      ...(tls.cert && { cert: Redacted.value(tls.cert) }),
      ...(tls.key && { key: Redacted.value(tls.key) })
    },
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)]))
  }))
}

const deadlinesOf = (entry: UpstreamEntry, usual: Deadlines): Deadlines => ({
  connectMs: inMs(entry.connect_seconds) ?? usual.connectMs,
  firstByteMs: inMs(entry.first_byte_seconds) ?? usual.firstByteMs,
  idleMs: inMs(entry.idle_seconds) ?? usual.idleMs
})

const inMs = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1_000)
