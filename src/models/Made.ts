import { Duration, Effect, ExecutionStrategy, Redacted, Scope } from "effect"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import type { PublicUrl } from "../config/PublicUrl.ts"
import { placeOf } from "../upstreams/fromSettings.ts"
import type { UpstreamEntry } from "../upstreams/fromSettings.ts"
import type { KeptFiles } from "../upstreams/KeptFiles.ts"
import { listModels } from "../upstreams/listModels.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import type { VideoUpstream } from "../upstreams/VideoUpstream.ts"
import { makeLane } from "./Lane.ts"
import type { Lane } from "./Lane.ts"

/** An upstream as it was made, and what it was made of. */
export interface Made {
  readonly entry: UpstreamEntry
  readonly text: TextUpstream | undefined
  readonly video: VideoUpstream | undefined
  readonly lane: Lane
  /** The models it listed, where it was asked. */
  readonly listed: ReadonlyArray<string>
  /** To be closed when it is no longer configured. */
  readonly scope: Scope.CloseableScope
}

/**
 * The upstream of an entry. One that a reload leaves as it was keeps its state; what it lists is asked again.
 *
 * @param before the upstream of that name so far
 */
export const make = (
  file: Located<GatewayFile>,
  name: string,
  entry: UpstreamEntry,
  before: Made | undefined
): Effect.Effect<Made, BadSettings, KeptFiles | PublicUrl | Scope.Scope> =>
  Effect.gen(function* () {
    const same = before !== undefined && spelt(before.entry) === spelt(entry) ? before : undefined
    const made = same ?? (yield* anew(file, name, entry))
    return entry.list_models === true ? { ...made, listed: yield* listedBy(name, entry, made.listed) } : made
  })

const anew = (file: Located<GatewayFile>, name: string, entry: UpstreamEntry) =>
  Effect.gen(function* () {
    const place = yield* placeOf(file, name, entry)
    const lane = yield* makeLane({
      maxConcurrency: entry.max_concurrency,
      queueDeadline: Duration.seconds(entry.queue_seconds ?? 60)
    })
    const scope = yield* Effect.flatMap(Effect.scope, (all) => Scope.fork(all, ExecutionStrategy.sequential))
    const video = place.kind === "video" ? yield* Scope.extend(place.upstream, scope) : undefined
    yield* Effect.logInfo(inWords(name, entry))
    return { entry, text: place.kind === "text" ? place.upstream : undefined, video, lane, listed: [], scope }
  })

/** One that can't be asked serves what it listed before. */
const listedBy = (name: string, entry: UpstreamEntry, before: ReadonlyArray<string>) =>
  listModels(entry).pipe(
    Effect.tap((ids) => Effect.logInfo(`upstream ${name} lists ${ids.length} models: ${ids.join(", ")}`)),
    Effect.catchAll(({ message }) =>
      Effect.as(
        Effect.logWarning(`upstream ${name}: its models are not known (${message}); SIGHUP asks it again`),
        before
      )
    )
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
