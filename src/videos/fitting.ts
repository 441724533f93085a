import { isDeepStrictEqual } from "node:util"
import { Effect, Either } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { NotFound } from "../contract/Failure.ts"
import { priceOfVideo } from "../ledger/Price.ts"
import type { Price } from "../ledger/Price.ts"
import { commonResolutions } from "../catalogue/Catalogue.ts"
import type { Model, ServedRoute } from "../catalogue/Catalogue.ts"
import { arranged, withKeys } from "../routing/arranged.ts"
import { isSameRoute } from "../routing/Route.ts"
import type { Route } from "../routing/Route.ts"
import { atKey, keyNames } from "../upstreams/KeyPool.ts"
import { VideoUpstreams } from "../upstreams/VideoUpstream.ts"
import type { VideoSettings, VideoUpstream } from "../upstreams/VideoUpstream.ts"
import type { CreateVideoTask } from "./CreateVideoTask.ts"
import { givenFields } from "./givenFields.ts"
import { openLength } from "./lengths.ts"
import { makePromote } from "./promote.ts"
import type { ResolvedDraft } from "./promote.ts"
import { resolve } from "./resolve.ts"
import type { Resolved } from "./resolve.ts"

/** A route that can render a request. */
export interface Fitting {
  readonly place: ServedRoute
  readonly price: Price
  readonly upstream: VideoUpstream
  readonly meant: ResolvedDraft
  readonly resolved: Resolved
  /** The parameters that the route changes or drops. */
  readonly adapted: ReadonlyArray<string>
}

interface FittingRequest {
  readonly account: AccountId
  readonly request: CreateVideoTask
  /** The caller's body; null to render from the job instead. */
  readonly body: unknown
  readonly model: Model
  /** Refuse what a route would change or drop. */
  readonly strict: boolean
  /** True if the first route that fits is the only one. */
  readonly noFallback: boolean
  readonly random: Parameters<typeof resolve>[2]
}

/**
 * Finds the routes of a model that can render a request, in order. All of them make the same video, which is held for
 * and shown; an open length counts as the longest of any. A draft is promoted on the first route alone. Fails if none
 * fits.
 */
export const makeFitting = Effect.gen(function* () {
  const upstreams = yield* VideoUpstreams
  const promote = yield* makePromote

  const fittingAt = Effect.fnUntraced(function* (
    { account, body, model, random, request, strict }: FittingRequest,
    place: ServedRoute
  ) {
    const pool = upstreams.get(place.upstream)
    const upstream = atKey(pool, place.key)
    if (pool === undefined || upstream === undefined) return undefined
    const meant = yield* promote(account, request, body, upstream, keyNames(pool))
    const resolved = yield* resolve(meant.request, limitsOf(model, upstream, place), random)
    const given = givenFields(meant.request, resolved)
    const fit = upstream.fit?.({ ...resolved, upstreamModel: place.knownAs ?? place.model, given })
    if (fit?.type === "refused") return yield* fit.refused
    const adapted = fit?.adapted ?? []
    const [lost] = adapted
    if (strict && lost !== undefined) return yield* notCarried(lost)
    return { place, price: priceOfVideo(place.price, pricedVideo(resolved)), upstream, meant, resolved, adapted }
  })

  return Effect.fnUntraced(function* (asked: FittingRequest) {
    const { model, request } = asked
    const fitted: Array<Fitting> = []
    let refused: InvalidRequest | NotFound | undefined
    const draw = () => `${asked.random()}`
    const routes = withKeys(
      arranged<ServedRoute>(model.routes, draw),
      ({ upstream }) => upstreams.get(upstream)?.keys,
      () => ({ name: draw() }),
      (route, { key }) => ({ ...route, key })
    )
    for (const place of routes) {
      if (fitted[0] !== undefined && asked.noFallback && !isSameRoute(place, fitted[0].place)) break
      const fitting = yield* Effect.either(fittingAt(asked, place))
      if (Either.isLeft(fitting)) refused ??= fitting.left
      else if (fitting.right !== undefined) {
        const agreed = agreeing(fitted[0], fitting.right)
        if (agreed !== undefined) fitted.push(agreed)
      }
      if (fitted.length > 0 && request.content.some(({ type }) => type === "draft_task")) break
    }
    const [first, ...others] = fitted
    if (first !== undefined) {
      const longest = Math.max(...fitted.map(({ resolved }) => resolved.settings.frames))
      return [withFrames(first, longest), ...others.map((other) => withFrames(other, longest))] as const
    }
    return yield* refused ?? Effect.dieMessage(`model ${model.id} has no upstream`)
  })
})

const notCarried = (param: string) =>
  new InvalidRequest({ param, message: `${param}: not supported as asked by this model's upstream` })

/** The properties of a video that its price depends on. */
const pricedVideo = ({ media, settings }: Resolved) => ({
  resolution: settings.resolution,
  hasVideoInput: media.some(({ kind }) => kind === "video"),
  hasSound: settings.generateAudio,
  serviceTier: settings.serviceTier
})

/** The limits of a model's videos at an upstream. */
const limitsOf = (model: Model, upstream: VideoUpstream, place: Route) => ({
  images: 9,
  videos: 3,
  audios: 3,
  isPassthrough: upstream.isPassthrough,
  resolutions: model.resolutions ?? commonResolutions,
  seconds: upstream.seconds,
  ...openLength(upstream, [place.knownAs ?? place.model, model.id])
})

/** Another route, if it makes the same video as the first; otherwise undefined. */
const agreeing = (first: Fitting | undefined, other: Fitting): Fitting | undefined => {
  if (first === undefined) return other
  const one = first.resolved.settings
  const settings = withOpenness(one, other.resolved.settings)
  const wanted = one.isOpenLength === true ? { ...one, frames: settings.frames } : one
  return isDeepStrictEqual(settings, wanted) ? { ...other, resolved: { ...other.resolved, settings } } : undefined
}

/** If the first route chooses the length, each may choose; a settled length applies to all. */
const withOpenness = (one: VideoSettings, { isOpenLength, ...other }: VideoSettings): VideoSettings => {
  if (one.isOpenLength === true) return { ...other, isOpenLength: true }
  return isOpenLength === true ? { ...other, frames: one.frames } : other
}

const withFrames = (fitting: Fitting, frames: number): Fitting => {
  const { resolved } = fitting
  return { ...fitting, resolved: { ...resolved, settings: { ...resolved.settings, frames } } }
}
