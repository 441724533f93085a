import { Duration, Effect, ExecutionStrategy, Scope } from "effect"
import type { Redacted } from "effect"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { proxyIn, proxyShown } from "../config/proxies.ts"
import { authFields } from "../config/sections/Auth.ts"
import { spelt } from "../config/spelt.ts"
import type { Documents } from "../documents/Documents.ts"
import { keysOf, placeOf } from "../upstreams/fromSettings.ts"
import type { UpstreamEntry } from "../upstreams/fromSettings.ts"
import { KeyNames } from "../upstreams/KeyNames.ts"
import type { AtKey } from "../upstreams/KeyPool.ts"
import { listModels, NoModelList } from "../upstreams/listModels.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import type { VideoServices } from "../upstreams/videoApi.ts"
import type { VideoUpstream } from "../upstreams/VideoUpstream.ts"
import { makeBulkhead, usualQueueSeconds } from "../routing/Bulkhead.ts"
import type { Bulkhead } from "../routing/Bulkhead.ts"
import { SharedBulkheads } from "./SharedBulkheads.ts"

/** A configured upstream with its entry. */
export interface ConfiguredUpstream {
  readonly entry: UpstreamEntry
  readonly text: TextUpstream | undefined
  readonly video: VideoUpstream | undefined
  readonly bulkhead: Bulkhead
  /** The models that it listed, if listing is on. */
  readonly listed: ReadonlyArray<string>
  /** True if the last listing failed, so that `listed` is from an earlier one. */
  readonly isStale: boolean
  /** Closed when the upstream is no longer configured. */
  readonly scope: Scope.CloseableScope
}

/**
 * Builds the upstream of an entry. An unchanged one keeps its state, but its models are listed again.
 *
 * @param before the current upstream of that name
 */
export const configureUpstream = Effect.fnUntraced(function* (
  file: Located<GatewayFile>,
  name: string,
  entry: UpstreamEntry,
  before: ConfiguredUpstream | undefined
): Effect.fn.Return<ConfiguredUpstream, BadSettings, Documents | KeyNames | SharedBulkheads | VideoServices> {
  const same = before !== undefined && spelt(before.entry) === spelt(entry) ? before : undefined
  const made = same ?? (yield* anew(file, name, entry))
  if (entry.list_models !== true) return made
  // With another key or header it is still the same server, which may not be up yet.
  const listed = before?.entry.base_url === entry.base_url ? before.listed : made.listed
  return { ...made, ...(yield* listedBy(name, entry, listed)) }
})

const anew = Effect.fnUntraced(function* (file: Located<GatewayFile>, name: string, entry: UpstreamEntry) {
  const place = yield* placeOf(file, name, entry)
  const shared = yield* SharedBulkheads
  const most = entry.max_concurrency
  const bulkhead = yield* makeBulkhead({
    maxConcurrency: most,
    room: most === undefined ? undefined : shared.roomOf(name, most),
    opened: (forMs) => shared.opened(name, forMs),
    queueDeadline: Duration.seconds(entry.queue_seconds ?? usualQueueSeconds)
  })
  const scope = yield* Effect.flatMap(Effect.scope, (all) => Scope.fork(all, ExecutionStrategy.sequential))
  const text = place.kind === "text" ? yield* withKeys(entry, place.upstream) : undefined
  const video = place.kind === "video" ? yield* Scope.extend(withKeys(entry, place.upstream), scope) : undefined
  yield* Effect.annotateLogs(Effect.logInfo(inWords(name, entry)), { event: "upstream.configured", upstream: name })
  return { entry, text, video, bulkhead, listed: [], isStale: false, scope }
})

/** The upstream with its first key, and with each of several. */
const withKeys = Effect.fnUntraced(function* <U extends AtKey<U>, R>(
  entry: UpstreamEntry,
  at: (key: Redacted.Redacted | undefined) => Effect.Effect<U, never, R>
): Effect.fn.Return<U, never, R | KeyNames> {
  const nameOf = yield* KeyNames
  const keys = yield* Effect.forEach(keysOf(entry), ({ key: secret, weight }) => {
    const key = nameOf(secret)
    return Effect.map(at(secret), (upstream) => ({ key, weight, upstream: { ...upstream, key } }))
  })
  const [first] = keys
  if (first !== undefined) return { ...first.upstream, keys }
  const upstream = yield* at(entry.api_key)
  return entry.api_key === undefined ? upstream : { ...upstream, onlyKey: nameOf(entry.api_key) }
})

/** If it cannot be reached, or just started and lists nothing yet, the earlier list stays. */
const listedBy = (name: string, entry: UpstreamEntry, before: ReadonlyArray<string>) =>
  listModels(entry).pipe(
    Effect.filterOrFail(
      (ids) => ids.length > 0,
      () => new NoModelList({ message: "its list is empty" })
    ),
    Effect.tap((ids) => Effect.logInfo(`upstream ${name} lists ${ids.length} models: ${ids.join(", ")}`)),
    Effect.map((listed) => ({ listed, isStale: false })),
    Effect.catchAll(({ message }) => {
      const earlier = before.length === 0 ? "" : `, the ${before.length} listed earlier stay`
      return Effect.as(
        Effect.logWarning(
          `upstream ${name}: its models could not be listed (${message})${earlier}; the gateway tries again`
        ),
        { listed: before, isStale: true }
      )
    })
  )

/** A log line for the operator, without secrets. */
const inWords = (name: string, entry: UpstreamEntry): string => {
  const url = new URL(entry.base_url)
  const proxy = proxyIn(entry.proxy)
  return [
    `upstream ${name}: ${entry.protocol} at ${url.origin}${url.pathname.replace(/\/$/, "")}`,
    credentialsOf(entry),
    ...(proxy === undefined ? [] : [`by the proxy ${proxyShown(proxy)}`]),
    ...(entry.max_concurrency === undefined ? [] : [`${entry.max_concurrency} at a time`])
  ].join(", ")
}

const credentialsOf = ({ api_key: key, auth = "key", keys }: UpstreamEntry): string => {
  if (keys !== undefined) return `${keys.length} keys`
  const { kind } = authFields(auth)
  return kind === "key" ? (key === undefined ? "no key" : "with a key") : `by credentials of ${kind}`
}
