import { Context, Effect, Exit, Layer, Runtime, Scope } from "effect"
import { Configuration } from "../config/Configuration.ts"
import type { BadSettings } from "../config/document.ts"
import type { PublicUrl } from "../config/PublicUrl.ts"
import { searchProvider } from "../search/configured.ts"
import { withSearch } from "../search/withSearch.ts"
import type { KeptFiles } from "../upstreams/KeptFiles.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import { TextUpstreams } from "../upstreams/Upstreams.ts"
import { VideoUpstreams } from "../upstreams/VideoUpstream.ts"
import type { VideoUpstream } from "../upstreams/VideoUpstream.ts"
import { Catalogue } from "./Catalogue.ts"
import type { Model } from "./Catalogue.ts"
import { catalogueOf } from "./catalogueOf.ts"
import { Lanes } from "./Lane.ts"
import type { Lane } from "./Lane.ts"
import { make } from "./Made.ts"
import type { Made } from "./Made.ts"
import { priced } from "./prices.ts"

type Given = Configuration | TextUpstreams | VideoUpstreams | KeptFiles | PublicUrl

/**
 * Models and upstreams as the configuration has them, beside the upstreams that are always there, which it is given. A
 * reload replaces what is in the maps, all at once; requests under way keep what they found.
 *
 * @param own the models that are always there
 */
export const configuredModels = (
  own: ReadonlyArray<Model>
): Layer.Layer<Catalogue | TextUpstreams | VideoUpstreams | Lanes, BadSettings, Given> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const configuration = yield* Configuration
      const runtime = yield* Effect.runtime<KeptFiles | PublicUrl | Scope.Scope>()
      const ownTexts = yield* TextUpstreams
      const ownVideos = yield* VideoUpstreams
      const catalogue = new Map<string, Model>()
      const texts = new Map<string, TextUpstream>()
      const videos = new Map<string, VideoUpstream>()
      const lanes = new Map<string, Lane>()
      let made = new Map<string, Made>()

      yield* configuration.follow((file) =>
        Effect.gen(function* () {
          const next = new Map<string, Made>()
          for (const [name, entry] of Object.entries(file.value.upstreams ?? {})) {
            next.set(name, yield* make(file, name, entry, made.get(name)))
          }
          const listed = new Map([...next].map(([name, { listed }]) => [name, listed]))
          const models = yield* Effect.flatMap(catalogueOf(file, own, listed), priced)
          const search = searchProvider(file.value.search)
          return () => {
            const kept = new Set([...next.values()].map(({ scope }) => scope))
            const gone = [...made.values()].filter(({ scope }) => !kept.has(scope))
            made = next
            refill(catalogue, models)
            refill(texts, [...ownTexts, ...present(next, ({ text }) => text && withSearch(text, search))])
            refill(videos, [...ownVideos, ...present(next, ({ video }) => video)])
            refill(
              lanes,
              present(next, ({ lane }) => lane)
            )
            for (const { scope } of gone) Runtime.runFork(runtime)(Scope.close(scope, Exit.void))
          }
        }).pipe(Effect.provide(runtime))
      )
      return Context.make(Catalogue, catalogue).pipe(
        Context.add(TextUpstreams, texts),
        Context.add(VideoUpstreams, videos),
        Context.add(Lanes, lanes)
      )
    })
  )

const present = <A>(made: ReadonlyMap<string, Made>, pick: (one: Made) => A | undefined): Array<[string, A]> =>
  [...made].flatMap(([name, one]) => {
    const picked = pick(one)
    return picked === undefined ? [] : [[name, picked] satisfies [string, A]]
  })

const refill = <A>(map: Map<string, A>, entries: Iterable<readonly [string, A]>): void => {
  map.clear()
  for (const [name, value] of entries) map.set(name, value)
}
