import { boundedBy, secondsFrom } from "../upstreams/VideoBounds.ts"
import type { SomeVideoBounds, VideoBounds } from "../upstreams/VideoBounds.ts"
import type { VideoUpstream } from "../upstreams/VideoUpstream.ts"
import type { Route } from "../routing/Route.ts"
import type { Model, ServedRoute } from "./Catalogue.ts"

/** Models that make a video of frames or of nothing, not of references. */
const noReferences = { references: { images: 0, videos: 0, audios: 0 } } as const

/**
 * The bounds of video models as their makers publish them, by the id at the upstream. The first match counts; dated and
 * prefixed ids (`bytedance/seedance-2.5`) match too. A field that a row leaves out is its protocol's, otherwise the
 * specification's.
 */
const rows: ReadonlyArray<readonly [RegExp, SomeVideoBounds]> = [
  [
    /seedance[-_. ]?(?:v|pro-)?2[-_.]5(?!\d)/i,
    {
      seconds: secondsFrom(4, 30),
      defaultSeconds: -1,
      references: { images: 30, videos: 10, audios: 10 },
      audioAlone: true,
      // Not published: assumed to be as long as its longest video.
      inputVideoSeconds: 30
    }
  ],
  [/seedance-2-0-(?:fast|mini)/i, { resolutions: ["480p", "720p"] }],
  [/doubao-seedance-2-0/i, { resolutions: ["480p", "720p", "1080p", "4k"] }],
  [/seedance-1-5/i, { ...noReferences, seconds: secondsFrom(4, 12) }],
  [/seedance-1-0-pro-fast/i, { ...noReferences, seconds: secondsFrom(2, 12), choosesSeconds: false, frameImages: 1 }],
  [/seedance-1-0-pro/i, { ...noReferences, seconds: secondsFrom(2, 12), choosesSeconds: false }],
  [/seedance-1-0-lite-t2v/i, { ...noReferences, seconds: secondsFrom(2, 12), choosesSeconds: false, frameImages: 0 }],
  [
    /seedance-1-0-lite/i,
    { references: { images: 4, videos: 0, audios: 0 }, seconds: secondsFrom(2, 12), choosesSeconds: false }
  ],
  [/^sora-2/i, {}],
  // Google's table of models (ai.google.dev/gemini-api/docs/video).
  [/veo-2/, { ...noReferences, seconds: secondsFrom(5, 8), resolutions: ["720p"] }],
  [/veo-3(?:\.0)?-(?!1)/, { ...noReferences, frameImages: 1, resolutions: ["720p", "1080p"] }],
  // Kling's documents of its versions 1 and 2.
  [/^kling-v[12]/, { seconds: [5, 10] }],
  // Model Studio's documents of each version.
  [/^wan2\.[12]-/, { seconds: [5] }],
  [/^wan2\.5-/, { seconds: [5, 10] }],
  // Of all input videos together, five seconds are billed.
  [/wan2\.[67]-r2v/i, { inputVideoSeconds: 5 }],
  [/^sandbox-video$/, {}]
]

const published = (name: string): SomeVideoBounds | undefined => rows.find(([pattern]) => pattern.test(name))?.[1]

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
  resolutions: union(one.resolutions, other.resolutions)
})

const union = <A>(one: ReadonlyArray<A>, other: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set([...one, ...other])]
