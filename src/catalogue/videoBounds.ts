import { boundedBy } from "../upstreams/videos/VideoBounds.ts"
import type { SomeVideoBounds, VideoBounds } from "../upstreams/videos/VideoBounds.ts"
import type { VideoUpstream } from "../upstreams/videos/VideoUpstream.ts"
import type { Route } from "../routing/Route.ts"
import type { Model, ServedRoute } from "./Catalogue.ts"
import { videoModelNamed } from "./videos/videoModels.ts"

const published = (name: string): SomeVideoBounds | undefined => videoModelNamed(name)?.bounds

/** The known bounds of a route's model: by its id at the upstream, otherwise by the gateway's id. */
export const knownVideoBounds = (id: string, route: Route): SomeVideoBounds =>
  published(route.knownAs ?? route.model) ?? published(id) ?? {}

/** The bounds of a route: the specification's, its protocol's, the table's and the configuration's, the last one first. */
export const videoBoundsAt = (
  { video }: Pick<ServedRoute, "video">,
  upstream: Pick<VideoUpstream, "bounds"> | undefined
): VideoBounds => boundedBy(upstream?.bounds, video)

/** The union of the bounds of all routes, with the first route's default. */
export const videoBoundsOf = (
  { routes }: Pick<Model, "routes">,
  upstreams: ReadonlyMap<string, Pick<VideoUpstream, "bounds">>
): VideoBounds => {
  const [first = boundedBy(), ...others] = routes.map((route) => videoBoundsAt(route, upstreams.get(route.upstream)))
  return others.reduce(widened, first)
}

const widened = (one: VideoBounds, other: VideoBounds): VideoBounds => ({
  seconds: union(one.seconds, other.seconds).toSorted((a, b) => a - b),
  defaultSeconds: one.defaultSeconds,
  choosesSeconds: one.choosesSeconds || other.choosesSeconds,
  references: {
    images: Math.max(one.references.images, other.references.images),
    videos: Math.max(one.references.videos, other.references.videos),
    audios: Math.max(one.references.audios, other.references.audios)
  },
  audioAlone: one.audioAlone || other.audioAlone,
  frameImages: one.frameImages > other.frameImages ? one.frameImages : other.frameImages,
  inputVideoSeconds: Math.max(one.inputVideoSeconds, other.inputVideoSeconds),
  ratios: union(one.ratios, other.ratios),
  resolutions: union(one.resolutions, other.resolutions),
  sound: one.sound === other.sound ? one.sound : "asked",
  needs: one.needs === other.needs ? one.needs : "text",
  // The other route may have a length that one lacks.
  narrower: JSON.stringify(one.narrower) === JSON.stringify(other.narrower) ? one.narrower : [],
  sizes: { ...other.sizes, ...one.sizes }
})

const union = <A>(one: ReadonlyArray<A>, other: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set([...one, ...other])]
