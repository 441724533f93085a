import { Context, Duration, Effect, Exit, Layer, Queue, Runtime, Scope } from "effect"
import { Configuration } from "../config/Configuration.ts"
import type { BadSettings } from "../config/document.ts"
import type { Documents } from "../documents/Documents.ts"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { SumNames } from "../ledger/SumNames.ts"
import { Search } from "../search/Search.ts"
import { withSearch } from "../search/withSearch.ts"
import type { KeyNames } from "../upstreams/keys/KeyNames.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import { TextUpstreams } from "../upstreams/Upstreams.ts"
import type { VideoServices } from "../upstreams/videos/videoApi.ts"
import { VideoUpstreams } from "../upstreams/videos/VideoUpstream.ts"
import type { VideoUpstream } from "../upstreams/videos/VideoUpstream.ts"
import { Catalogue, entriesOf } from "./Catalogue.ts"
import type { Model } from "./Catalogue.ts"
import { ModelMap } from "./ModelMap.ts"
import { catalogueOf } from "./catalogueOf.ts"
import { Bulkheads, RouteQueues } from "../routing/Bulkhead.ts"
import type { Bulkhead } from "../routing/Bulkhead.ts"
import { OwnModels } from "./OwnModels.ts"
import { configureUpstream } from "./ConfiguredUpstream.ts"
import type { ConfiguredUpstream } from "./ConfiguredUpstream.ts"
import { SharedBulkheads } from "./SharedBulkheads.ts"
import { modelWarnings, unknownUpstreams, unlistedAliases } from "./modelWarnings.ts"
import { routeQueuesOf } from "./routeQueues.ts"
import type { RouteQueue } from "./routeQueues.ts"
import { servedModels } from "./prices.ts"

type Dependencies =
  | Configuration
  | Documents
  | TextUpstreams
  | VideoUpstreams
  | OwnModels
  | KeyNames
  | Search
  | Exclude<VideoServices, Scope.Scope>

/**
 * The configured models and upstreams, beside the built-in ones. A reload replaces the maps' contents at once; running
 * requests keep what they looked up.
 */
export const ConfiguredModels: Layer.Layer<
  Catalogue | TextUpstreams | VideoUpstreams | Bulkheads | RouteQueues,
  BadSettings,
  Dependencies
> = Layer.scopedContext(
  Effect.gen(function* () {
    const configuration = yield* Configuration
    const own = yield* OwnModels
    const { providerFor } = yield* Search
    const runtime = yield* Effect.runtime<Documents | KeyNames | SharedBulkheads | VideoServices>()
    const ownTexts = yield* TextUpstreams
    const ownVideos = yield* VideoUpstreams
    const catalogue = new ModelMap<Model>()
    const { follow } = yield* SumNames
    follow((model) => (catalogue.has(model) ? undefined : catalogue.patternOf(model)))
    const texts = new Map<string, TextUpstream>()
    const videos = new Map<string, VideoUpstream>()
    const bulkheads = new Map<string, Bulkhead>()
    const routeQueues = new Map<string, RouteQueue>()
    let made = new Map<string, ConfiguredUpstream>()

    const stale = yield* Queue.sliding<void>(1)

    yield* configuration.follow((file) =>
      Effect.gen(function* () {
        // Each may be asked for its models.
        const configured = yield* Effect.forEach(
          Object.entries(file.value.upstreams ?? {}),
          ([name, entry]) =>
            Effect.map(configureUpstream(file, name, entry, made.get(name)), (one) => [name, one] as const),
          { concurrency: 8 }
        )
        const next = new Map(configured)
        const listed = new Map(
          [...next].map(([name, { listed }]) => [name, new Map(listed.map(({ facts, id }) => [id, facts]))])
        )
        const models = yield* Effect.flatMap(catalogueOf(file, own, listed), (entries) =>
          servedModels(entries, file, listed)
        )
        const ids = entriesOf(models).map(({ id }) => id)
        const warnings = [
          ...modelWarnings(file.value, ids),
          ...unknownUpstreams(file.value, entriesOf(models)),
          ...unlistedAliases(file.value, ids)
        ]
        for (const line of warnings) yield* Effect.logWarning(line)
        const queues = yield* routeQueuesOf(entriesOf(models), routeQueues)
        const search = providerFor(file.value.search)
        return () => {
          const keptScopes = new Set([...next.values()].map(({ scope }) => scope))
          const gone = [...made.values()].filter(({ scope }) => !keptScopes.has(scope))
          made = next
          catalogue.become(models)
          const all = [...next]
          refill(texts, [
            ...ownTexts,
            ...all.flatMap(([, one]) => one.texts.map(([part, text]) => [part, withSearch(text, search)] as const))
          ])
          refill(videos, [
            ...ownVideos,
            ...all.flatMap(([name, { video }]) => (video === undefined ? [] : [[name, video] as const]))
          ])
          refill(
            bulkheads,
            all.flatMap(([, one]) => one.bulkheads)
          )
          refill(routeQueues, queues)
          if (isAnyStale(made)) stale.unsafeOffer(undefined)
          for (const { scope } of gone) Runtime.runFork(runtime)(Scope.close(scope, Exit.void))
        }
      }).pipe(Effect.provide(runtime))
    )

    // Upstreams that could not be listed are tried again, later each time, without counting as failures of this
    // daemon.
    let tries = 0
    const relist = Effect.gen(function* () {
      if (isAnyStale(made) && tries > 0) {
        yield* Effect.catchAll(configuration.renew, ({ message }) => Effect.logWarning(message))
      }
      tries = isAnyStale(made) ? tries + 1 : 0
      return tries === 0 ? stale.take : Effect.sleep(Duration.seconds(Math.min(2 ** (tries - 1), longestWait)))
    })
    yield* daemon("models.list", relist, backoff)
    const { look } = yield* SharedBulkheads
    if (look !== undefined) {
      yield* daemon("models.circuits", Effect.as(look(bulkheads), Effect.sleep("1 second")), backoff)
    }
    return Context.make(Catalogue, catalogue).pipe(
      Context.add(TextUpstreams, texts),
      Context.add(VideoUpstreams, videos),
      Context.add(Bulkheads, bulkheads),
      Context.add(RouteQueues, routeQueues)
    )
  })
).pipe(Layer.provide(SharedBulkheads.layer), Layer.provide(Daemons.Default), Layer.provide(SumNames.Default))

/** The longest delay between two tries to list an upstream's models, in seconds. */
const longestWait = 60

const isAnyStale = (made: ReadonlyMap<string, ConfiguredUpstream>): boolean =>
  [...made.values()].some(({ isStale }) => isStale)

const refill = <A>(map: Map<string, A>, entries: Iterable<readonly [string, A]>): void => {
  map.clear()
  for (const [name, value] of entries) map.set(name, value)
}
