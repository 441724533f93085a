import { Effect, Either, Redacted } from "effect"
import type { Scope } from "effect"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { proxyIn } from "../config/proxies.ts"
import type { PublicUrl } from "../config/PublicUrl.ts"
import { Documents } from "../documents/Documents.ts"
import { defaultDeadlines } from "./client.ts"
import type { Deadlines } from "./client.ts"
import type { EndpointOptions } from "./Endpoint.ts"
import type { KeptFiles } from "../files/KeptFiles.ts"
import { protocolOf } from "./protocols.ts"
import type { TextUpstream } from "./Upstream.ts"
import { videoDeadlines } from "./videoApi.ts"
import type { VideoUpstream } from "./VideoUpstream.ts"

export type UpstreamEntry = NonNullable<GatewayFile["upstreams"]>[string]

/** The upstream of an entry of `upstreams`: text or video. */
export type Place =
  | { readonly kind: "text"; readonly upstream: Effect.Effect<TextUpstream, never, Documents> }
  | {
      readonly kind: "video"
      readonly upstream: Effect.Effect<VideoUpstream, never, KeptFiles | PublicUrl | Scope.Scope>
    }

/** Builds the upstream of an entry. Fails with the mistakes that the schema cannot find. */
export const placeOf = (
  file: Located<GatewayFile>,
  name: string,
  entry: UpstreamEntry
): Either.Either<Place, BadSettings> => {
  const protocol = protocolOf(entry.protocol)
  const options = { name, ...endpointOptions(entry) }
  return protocol.kind === "text"
    ? Either.map(providerNamed(file, name, entry, protocol.providers), (provider) => ({
        kind: "text",
        upstream: Effect.map(Documents, ({ read }) =>
          protocol.upstream(
            {
              ...options,
              deadlines: deadlinesOf(entry, defaultDeadlines),
              readDocument: read,
              threads: entry.threads ?? false,
              thinkTags: entry.think_tags ?? false,
              cachesAll: entry.cache === "auto",
              sharedIds: entry.shared_ids ?? []
            },
            provider
          )
        )
      }))
    : Either.map(withoutTextOptions(file, name, entry), () => ({
        kind: "video",
        upstream: protocol.upstream({ ...options, deadlines: deadlinesOf(entry, videoDeadlines) })
      }))
}

const providerNamed = (
  file: Located<GatewayFile>,
  name: string,
  entry: UpstreamEntry,
  providers: ReadonlyArray<string>
): Either.Either<string | undefined, BadSettings> => {
  const { protocol, provider } = entry
  const complain = (rule: string) =>
    Either.left(file.complain(["upstreams", name, "provider"], `upstreams.${name}.provider: ${rule}`))
  const misplaced = ownOptions.find(([option, only]) => entry[option] !== undefined && protocol !== only)
  if (misplaced !== undefined) {
    const [option, only] = misplaced
    const rule = `upstreams.${name}.${option}: is for ${only} alone`
    return Either.left(file.complain(["upstreams", name, option], rule))
  }
  if (provider === undefined || providers.includes(provider)) return Either.right(provider)
  return complain(
    providers.length === 0 ? `${protocol} has none` : `expected one of ${providers.join(", ")}; got "${provider}"`
  )
}

/** Options of a single protocol. */
const ownOptions = [
  ["threads", "anthropic-messages"],
  ["cache", "anthropic-messages"],
  ["think_tags", "openai-chat"]
] as const

const textOptions = [
  "provider",
  "list_models",
  "threads",
  "cache",
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

/** The address, key and headers of an entry. */
export const endpointOptions = ({
  api_key: apiKey,
  base_url: baseUrl,
  headers = {},
  proxy,
  tls
}: UpstreamEntry): EndpointOptions => ({
  baseUrl,
  apiKey,
  proxy: proxyIn(proxy),
  tls: tls && {
    ...(tls.ca && { ca: Redacted.value(tls.ca) }),
    ...(tls.cert && { cert: Redacted.value(tls.cert) }),
    ...(tls.key && { key: Redacted.value(tls.key) })
  },
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)]))
})

const deadlinesOf = (entry: UpstreamEntry, usual: Deadlines): Deadlines => ({
  connectMs: inMs(entry.connect_seconds) ?? usual.connectMs,
  firstByteMs: inMs(entry.first_byte_seconds) ?? usual.firstByteMs,
  idleMs: inMs(entry.idle_seconds) ?? usual.idleMs
})

const inMs = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1_000)
