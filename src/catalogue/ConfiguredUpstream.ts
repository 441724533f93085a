import { Duration, Effect, ExecutionStrategy, Redacted, Scope } from "effect"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import type { PublicUrl } from "../config/PublicUrl.ts"
import type { Documents } from "../documents/Documents.ts"
import { placeOf } from "../upstreams/fromSettings.ts"
import type { UpstreamEntry } from "../upstreams/fromSettings.ts"
import type { KeptFiles } from "../files/KeptFiles.ts"
import { listModels, NoModelList } from "../upstreams/listModels.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import type { VideoUpstream } from "../upstreams/VideoUpstream.ts"
import { makeBulkhead } from "../routing/Bulkhead.ts"
import type { Bulkhead } from "../routing/Bulkhead.ts"
import { SharedBulkheads } from "./SharedBulkheads.ts"

/** An upstream as it was made, and what it was made of. */
export interface ConfiguredUpstream {
  readonly entry: UpstreamEntry
  readonly text: TextUpstream | undefined
  readonly video: VideoUpstream | undefined
  readonly lane: Bulkhead
  /** The models it listed, where it was asked. */
  readonly listed: ReadonlyArray<string>
  /** Whether it could not be asked the last time, so that this is what it listed before. */
  readonly isStale: boolean
  /** To be closed when it is no longer configured. */
  readonly scope: Scope.CloseableScope
}

/**
 * The upstream of an entry. One that a reload leaves as it was keeps its state; what it lists is asked again.
 *
 * @param before the upstream of that name so far
 */
export const configureUpstream = Effect.fnUntraced(function* (
  file: Located<GatewayFile>,
  name: string,
  entry: UpstreamEntry,
  before: ConfiguredUpstream | undefined
): Effect.fn.Return<
  ConfiguredUpstream,
  BadSettings,
  Documents | KeptFiles | PublicUrl | Scope.Scope | SharedBulkheads
> {
  const same = before !== undefined && spelt(before.entry) === spelt(entry) ? before : undefined
  const made = same ?? (yield* anew(file, name, entry))
  if (entry.list_models !== true) return made
  // Another key or header is still the same place, which may not be up yet.
  const known = before?.entry.base_url === entry.base_url ? before.listed : made.listed
  return { ...made, ...(yield* listedBy(name, entry, known)) }
})

const anew = Effect.fnUntraced(function* (file: Located<GatewayFile>, name: string, entry: UpstreamEntry) {
  const place = yield* placeOf(file, name, entry)
  const shared = yield* SharedBulkheads
  const most = entry.max_concurrency
  const lane = yield* makeBulkhead({
    maxConcurrency: most,
    room: most === undefined ? undefined : shared.roomOf(name, most),
    opened: (forMs) => shared.opened(name, forMs),
    queueDeadline: Duration.seconds(entry.queue_seconds ?? 60)
  })
  const scope = yield* Effect.flatMap(Effect.scope, (all) => Scope.fork(all, ExecutionStrategy.sequential))
  const text = place.kind === "text" ? yield* place.upstream : undefined
  const video = place.kind === "video" ? yield* Scope.extend(place.upstream, scope) : undefined
  yield* Effect.annotateLogs(Effect.logInfo(inWords(name, entry)), { event: "upstream.configured", upstream: name })
  return { entry, text, video, lane, listed: [], isStale: false, scope }
})

/** One that can't be asked, or has just started and lists none yet, serves what it listed before. */
const listedBy = (name: string, entry: UpstreamEntry, before: ReadonlyArray<string>) =>
  listModels(entry).pipe(
    Effect.filterOrFail(
      (ids) => ids.length > 0,
      () => new NoModelList({ message: "its list is empty" })
    ),
    Effect.tap((ids) => Effect.logInfo(`upstream ${name} lists ${ids.length} models: ${ids.join(", ")}`)),
    Effect.map((listed) => ({ listed, isStale: false })),
    Effect.catchAll(({ message }) => {
      const kept = before.length === 0 ? "" : `, the ${before.length} that it listed before stay`
      return Effect.as(
        Effect.logWarning(`upstream ${name}: its models are not known (${message})${kept}; it is asked again`),
        { listed: before, isStale: true }
      )
    })
  )

/** One line for the operator, without anything secret. */
const inWords = (name: string, entry: UpstreamEntry): string => {
  const url = new URL(entry.base_url)
  return [
    `upstream ${name}: ${entry.protocol} at ${url.origin}${url.pathname.replace(/\/$/, "")}`,
    entry.api_key === undefined ? "no key" : "with a key",
    ...(entry.max_concurrency === undefined ? [] : [`${entry.max_concurrency} at a time`])
  ].join(", ")
}

/** An entry as text, secrets included: only to compare two. */
const spelt = (entry: UpstreamEntry) =>
  JSON.stringify(entry, (_, value: unknown) => (Redacted.isRedacted(value) ? Redacted.value(value) : value))
