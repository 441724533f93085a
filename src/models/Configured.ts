import { Context, Duration, Effect, Layer, Redacted } from "effect"
import type { Scope } from "effect"
import { Configuration } from "../config/Configuration.ts"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import type { PublicUrl } from "../config/PublicUrl.ts"
import { searchProvider } from "../search/configured.ts"
import { withSearch } from "../search/withSearch.ts"
import { textUpstreamOf, videoUpstreamOf } from "../upstreams/fromSettings.ts"
import type { UpstreamEntry } from "../upstreams/fromSettings.ts"
import type { KeptFiles } from "../upstreams/KeptFiles.ts"
import { listModels } from "../upstreams/listModels.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import { TextUpstreams } from "../upstreams/Upstreams.ts"
import { VideoUpstreams } from "../upstreams/VideoUpstream.ts"
import type { VideoUpstream } from "../upstreams/VideoUpstream.ts"
import { Catalogue } from "./Catalogue.ts"
import type { Model } from "./Catalogue.ts"
import { catalogueOf } from "./catalogueOf.ts"
import { Lanes, makeLane } from "./Lane.ts"
import type { Lane } from "./Lane.ts"
import { priced } from "./prices.ts"

/** An upstream as it was made, and what it was made of: one that a reload leaves as it was keeps its state. */
interface Made {
  readonly entry: UpstreamEntry
  readonly text: TextUpstream | undefined
  readonly video: VideoUpstream | undefined
  readonly lane: Lane
  /** What it listed, where it was asked. */
  readonly listed: ReadonlyArray<string>
}

/**
 * Models and upstreams as the configuration has them, beside those that are always there (what is given as
 * `TextUpstreams` and `VideoUpstreams`). A reload replaces what is in the maps, all at once; requests under way keep what they found.
 *
 * @param own the models that are always there
 */
export const configuredModels = (
  own: ReadonlyArray<Model>
): Layer.Layer<
  Catalogue | TextUpstreams | VideoUpstreams | Lanes,
  BadSettings,
  Configuration | TextUpstreams | VideoUpstreams | KeptFiles | PublicUrl
> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const configuration = yield* Configuration
      const always = yield* TextUpstreams
      const alwaysVideos = yield* VideoUpstreams
      const context = yield* Effect.context<KeptFiles | PublicUrl | Scope.Scope>()
      const catalogue = new Map<string, Model>()
      const texts = new Map<string, TextUpstream>()
      const videos = new Map<string, VideoUpstream>()
      const lanes = new Map<string, Lane>()
      let made = new Map<string, Made>()

      yield* configuration.follow((file) =>
        Effect.gen(function* () {
          const next = new Map<string, Made>()
          for (const [name, entry] of Object.entries(file.value.upstreams ?? {})) {
            next.set(name, yield* Effect.provide(make(file, name, entry, made.get(name)), context))
          }
          const listed = new Map([...next].map(([name, { listed }]) => [name, listed]))
          const models = yield* Effect.flatMap(catalogueOf(file, own, listed), priced)
          const search = searchProvider(file.value.search)
          return () => {
            made = next
            refill(catalogue, models)
            refill(texts, [...always, ...present(next, ({ text }) => text && withSearch(text, search))])
            refill(videos, [...alwaysVideos, ...present(next, ({ video }) => video)])
            refill(
              lanes,
              present(next, ({ lane }) => lane)
            )
          }
        })
      )
      return Context.make(Catalogue, catalogue).pipe(
        Context.add(TextUpstreams, texts),
        Context.add(VideoUpstreams, videos),
        Context.add(Lanes, lanes)
      )
    })
  )

const make = (
  file: Located<GatewayFile>,
  name: string,
  entry: UpstreamEntry,
  before: Made | undefined
): Effect.Effect<Made, BadSettings, KeptFiles | PublicUrl | Scope.Scope> =>
  Effect.gen(function* () {
    const isSame = before !== undefined && spelt(before.entry) === spelt(entry)
    const text = isSame ? before.text : yield* textUpstreamOf(file, name, entry)
    const video = isSame ? before.video : yield* videoUpstreamOf(name, entry)
    const lane = isSame ? before.lane : yield* laneOf(entry)
    if (!isSame) yield* Effect.logInfo(inWords(name, entry))
    const listed = entry.list_models === true ? yield* listedBy(name, entry, isSame ? before.listed : []) : []
    return { entry, text, video, lane, listed }
  })

const laneOf = (entry: UpstreamEntry) =>
  makeLane({
    maxConcurrency: entry.max_concurrency,
    queueDeadline: Duration.seconds(entry.queue_seconds ?? 60)
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

const present = <A>(made: ReadonlyMap<string, Made>, pick: (one: Made) => A | undefined): Array<[string, A]> =>
  [...made].flatMap(([name, one]) => {
    const picked = pick(one)
    return picked === undefined ? [] : [[name, picked] satisfies [string, A]]
  })

const refill = <A>(map: Map<string, A>, entries: Iterable<readonly [string, A]>): void => {
  map.clear()
  for (const [name, value] of entries) map.set(name, value)
}
