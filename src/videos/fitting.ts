import { Effect, Either } from "effect"
import type { Usage } from "../generation/GenerationEvent.ts"
import type { Holder, Unpriced } from "../contract/callers/Caller.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { NotFound } from "../contract/failures/Failure.ts"
import { priceOfVideo } from "../ledger/Price.ts"
import type { Price } from "../ledger/Price.ts"
import type { Model, ServedRoute } from "../catalogue/Catalogue.ts"
import { videoBoundsAt } from "../catalogue/videoBounds.ts"
import { arrangeRoutes, withKeys } from "../routing/arrangeRoutes.ts"
import { isSameRoute } from "../routing/Route.ts"
import { atKey, keyNames } from "../upstreams/keys/KeyPool.ts"
import { VideoUpstreams } from "../upstreams/videos/VideoUpstream.ts"
import type { VideoJob, VideoSettings, VideoUpstream } from "../upstreams/videos/VideoUpstream.ts"
import { quotedConsumption } from "./consumption.ts"
import { isRatio } from "./CreateVideoTask.ts"
import type { CreateVideoTask } from "./CreateVideoTask.ts"
import { framesPerSecond } from "./geometry.ts"
import { givenFields } from "./givenFields.ts"
import { makePromote } from "./promote.ts"
import type { ResolvedDraft } from "./promote.ts"
import { resolve } from "./resolve.ts"
import type { Resolved } from "./resolve.ts"

/** A route that can render a request. */
export interface Fitting {
  readonly place: ServedRoute
  readonly price: Price
  readonly unpriced?: Unpriced
  readonly upstream: VideoUpstream
  readonly meant: ResolvedDraft
  readonly resolved: Resolved
  /** The parameters that the route changes or drops. */
  readonly adapted: ReadonlyArray<string>
}

interface FittingRequest {
  readonly holder: Holder
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
 * Finds the routes of a model that can render a request within their bounds, in order. The first one settles what is left
 * open but for a length that its model chooses, and all make the same video. A draft is promoted on the first route
 * alone. Fails if none fits.
 */
export const makeFitting = Effect.gen(function* () {
  const upstreams = yield* VideoUpstreams
  const promote = yield* makePromote

  const fittingAt = Effect.fnUntraced(function* (
    { body, holder, model, random, request, strict }: FittingRequest,
    place: ServedRoute,
    first: Fitting | undefined
  ) {
    const pool = upstreams.get(place.upstream)
    const upstream = atKey(pool, place.key)
    if (pool === undefined || upstream === undefined) return undefined
    const limits = {
      ...videoBoundsAt(place, upstream),
      model: model.id,
      isPassthrough: upstream.isPassthrough
    }
    const meant = yield* promote(holder, request, body, upstream, keyNames(pool), limits)
    const resolved = withBilledInput(upstream, yield* resolve(settledBy(first, meant.request), limits, random))
    const given = givenFields(meant.request, resolved)
    const fit = upstream.fit?.({ ...resolved, upstreamModel: place.knownAs ?? place.model, given })
    if (fit?.type === "refused") return yield* fit.refused
    const adapted = [...(fit?.adapted ?? []), ...soundChanged(meant.request, resolved)]
    const [lost] = adapted
    if (strict && lost !== undefined) return yield* notCarried(lost)
    const price = priceOfVideo(place.price, pricedVideo(resolved, adapted))
    const { unpriced } = place
    return { place, price, ...(unpriced !== undefined && { unpriced }), upstream, meant, resolved, adapted }
  })

  return Effect.fnUntraced(function* (asked: FittingRequest) {
    const { model, request } = asked
    const fitted: Array<Fitting> = []
    let refused: InvalidRequest | NotFound | undefined
    const draw = () => `${asked.random()}`
    const routes = withKeys(
      arrangeRoutes<ServedRoute>(model.routes, draw),
      ({ upstream }) => upstreams.get(upstream)?.keys,
      { name: draw() },
      (route, { key }) => ({ ...route, key })
    )
    for (const place of routes) {
      if (fitted[0] !== undefined && asked.noFallback && !isSameRoute(place, fitted[0].place)) break
      const fitting = yield* Effect.either(fittingAt(asked, place, fitted[0]))
      if (Either.isLeft(fitting)) refused ??= fitting.left
      else if (fitting.right !== undefined) fitted.push(fitting.right)
      if (fitted.length > 0 && request.content.some(({ type }) => type === "draft_task")) break
    }
    const [first, ...others] = fitted
    if (first !== undefined) return [first, ...others] as const
    return yield* refused ?? Effect.dieMessage(`model ${model.id} has no upstream`)
  })
})

const notCarried = (param: string) =>
  new InvalidRequest({ param, message: `${param}: not supported as asked by this model's upstream` })

/** Named where the model has no switch and makes the other of what was asked. */
const soundChanged = ({ generate_audio: asked }: CreateVideoTask, { settings }: Resolved): ReadonlyArray<string> =>
  typeof asked === "boolean" && asked !== settings.generateAudio ? ["generate_audio"] : []

/** The properties of a video that its price depends on, as the upstream makes it. */
const pricedVideo = ({ media, settings }: Resolved, adapted: ReadonlyArray<string>) => ({
  resolution: settings.resolution,
  hasVideoInput: media.some(({ kind }) => kind === "video"),
  inputImages: media.filter(({ kind }) => kind === "image").length,
  hasSound: settings.generateAudio,
  serviceTier: adapted.includes("service_tier") ? "default" : settings.serviceTier
})

const withBilledInput = ({ billsInputVideo }: VideoUpstream, resolved: Resolved): Resolved =>
  billsInputVideo === true && resolved.settings.inputVideoSeconds !== undefined
    ? { ...resolved, settings: { ...resolved.settings, isInputVideoBilled: true } }
    : resolved

/** A request as the first route settled it, for the routes behind. */
const settledBy = (first: Fitting | undefined, request: CreateVideoTask): CreateVideoTask => {
  if (first === undefined) return request
  const { byFrames, frames, isOpenLength, ratio, resolution } = first.resolved.settings
  const duration = isOpenLength === true ? -1 : Math.floor(frames / framesPerSecond)
  return {
    ...request,
    resolution,
    ...(isRatio(ratio) && { ratio }),
    ...(byFrames ? { frames } : { duration, frames: null })
  }
}

/** The most that any of the routes makes of a request. */
export const longestOf = ([first, ...others]: readonly [Fitting, ...ReadonlyArray<Fitting>]): Resolved => {
  const { resolved } = first
  const all = [first, ...others].map((one) => one.resolved.settings)
  const inputVideoSeconds = Math.max(...all.map((settings) => settings.inputVideoSeconds ?? 0))
  const frames = Math.max(...all.map((settings) => settings.frames))
  const isInputVideoBilled = all.some((settings) => settings.isInputVideoBilled)
  return {
    ...resolved,
    settings: {
      ...resolved.settings,
      frames,
      ...(inputVideoSeconds > 0 && { inputVideoSeconds }),
      ...(isInputVideoBilled && { isInputVideoBilled })
    }
  }
}

/** The most that any of the routes bills, which is held. */
export const mostBilled = (fitting: readonly [Fitting, ...ReadonlyArray<Fitting>]): Usage =>
  quotedConsumption(longestOf(fitting), Math.max(...fitting.map(({ upstream }) => upstream.extraFrames ?? 0)))

/** A route as the job has it. An open length is one of its own. */
export const placeIn = (
  { generateAudio, isOpenLength }: VideoSettings,
  { adapted, place: { key, model, upstream }, price, resolved }: Fitting
): NonNullable<VideoJob["routes"]>[number] => ({
  upstream,
  model,
  ...(key === undefined ? {} : { key }),
  ...(isOpenLength === true && { length: lengthIn(resolved.settings) }),
  ...(resolved.settings.generateAudio !== generateAudio && { sound: resolved.settings.generateAudio }),
  price: price.text,
  ...(adapted.length === 0 ? {} : { adapted })
})

const lengthIn = ({ frames, isOpenLength }: VideoSettings) => ({
  frames,
  ...(isOpenLength === true && { isOpenLength })
})
