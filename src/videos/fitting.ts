import { isDeepStrictEqual } from "node:util"
import { Effect, Either } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import type { InvalidRequest, NotFound } from "../contract/Failure.ts"
import type { Price } from "../ledger/Price.ts"
import { commonResolutions, priceAt } from "../catalogue/Catalogue.ts"
import type { ListedRoute, Model } from "../catalogue/Catalogue.ts"
import type { Route } from "../routing/Route.ts"
import { VideoUpstreams } from "../upstreams/VideoUpstream.ts"
import type { VideoSettings, VideoUpstream } from "../upstreams/VideoUpstream.ts"
import type { CreateVideoTask } from "./CreateVideoTask.ts"
import { openLength } from "./lengths.ts"
import { makePromote } from "./promote.ts"
import type { Meant } from "./promote.ts"
import { resolve } from "./resolve.ts"
import type { Resolved } from "./resolve.ts"

/** A place that can make what is asked. */
export interface Fitting {
  readonly place: Route
  readonly price: Price
  readonly upstream: VideoUpstream
  readonly meant: Meant
  readonly resolved: Resolved
}

interface Asked {
  readonly account: AccountId
  readonly request: CreateVideoTask
  /** As it came; null where nothing is to be made of it. */
  readonly body: unknown
  readonly model: Model
  readonly random: Parameters<typeof resolve>[2]
}

/**
 * Finds those of a model's places that can make what is asked, in the order of its routes. All of them make the same
 * video, which is what is held for and shown: of an open length the longest that any of them makes. A draft is promoted
 * at the first alone. Fails where none can.
 */
export const makeFitting = Effect.gen(function* () {
  const upstreams = yield* VideoUpstreams
  const promote = yield* makePromote

  const fittingAt = Effect.fnUntraced(function* ({ account, body, model, random, request }: Asked, place: ListedRoute) {
    const upstream = upstreams.get(place.upstream)
    if (upstream === undefined) return undefined
    const meant = yield* promote(account, request, body, upstream)
    const resolved = yield* resolve(meant.request, limitsOf(model, upstream, place), random)
    const fit = upstream.fit?.(resolved)
    return fit?.type === "refused"
      ? yield* fit.refused
      : { place, price: priceAt(model, place), upstream, meant, resolved }
  })

  return Effect.fnUntraced(function* (asked: Asked) {
    const { model, request } = asked
    const found: Array<Fitting> = []
    let refused: InvalidRequest | NotFound | undefined
    for (const place of model.routes) {
      const fitting = yield* Effect.either(fittingAt(asked, place))
      if (Either.isLeft(fitting)) refused ??= fitting.left
      else if (fitting.right !== undefined) {
        const agreed = agreeing(found[0], fitting.right)
        if (agreed !== undefined) found.push(agreed)
      }
      if (found.length > 0 && request.content.some(({ type }) => type === "draft_task")) break
    }
    const [first, ...others] = found
    if (first !== undefined) {
      const longest = Math.max(...found.map(({ resolved }) => resolved.settings.frames))
      return [withFrames(first, longest), ...others.map((other) => withFrames(other, longest))] as const
    }
    return yield* refused ?? Effect.dieMessage(`model ${model.id} has no upstream`)
  })
})

/** What an upstream takes of a model's videos. */
const limitsOf = (model: Model, upstream: VideoUpstream, place: Route) => ({
  images: 9,
  videos: 3,
  audios: 3,
  isPassthrough: upstream.isPassthrough,
  resolutions: model.resolutions ?? commonResolutions,
  seconds: upstream.seconds,
  ...openLength(upstream, [place.model, model.id])
})

/** A place beside the first, which makes the same video; undefined where it can't. */
const agreeing = (first: Fitting | undefined, other: Fitting): Fitting | undefined => {
  if (first === undefined) return other
  const one = first.resolved.settings
  const settings = withOpenness(one, other.resolved.settings)
  const wanted = one.isOpenLength === true ? { ...one, frames: settings.frames } : one
  return isDeepStrictEqual(settings, wanted) ? { ...other, resolved: { ...other.resolved, settings } } : undefined
}

/** Where the first place chooses the length each of them may; a length that is settled there is asked of all. */
const withOpenness = (one: VideoSettings, { isOpenLength, ...other }: VideoSettings): VideoSettings => {
  if (one.isOpenLength === true) return { ...other, isOpenLength: true }
  return isOpenLength === true ? { ...other, frames: one.frames } : other
}

const withFrames = (fitting: Fitting, frames: number): Fitting => {
  const { resolved } = fitting
  return { ...fitting, resolved: { ...resolved, settings: { ...resolved.settings, frames } } }
}
