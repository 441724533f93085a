import { Effect } from "effect"
import type { Conversation } from "../generation/Conversation.ts"
import type { Demand } from "../generation/Demand.ts"
import type { Served } from "../contract/records/Served.ts"
import type { Price } from "../ledger/Price.ts"
import { isUsual } from "../ledger/variants.ts"
import { UpstreamCalls } from "../routing/UpstreamCalls.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import { TextUpstreams } from "../upstreams/Upstreams.ts"
import type { AdmittedRoute } from "./admit.ts"

/** The tiers, speeds and places at which a request may be served. */
export type Ways = readonly [Served, ...ReadonlyArray<Served>]

/** A request, and what it asks for beside tokens. */
export interface Asking {
  readonly conversation: Pick<Conversation, "serviceTier">
  readonly demands: ReadonlyArray<Demand>
}

/**
 * The ways in which a route may serve a request. A tier that the request names can only be served as something cheaper,
 * provided that the upstream has tiers: one that has none may leave a cheap one unheeded. A route that translates sends
 * what its dialect has, and the upstream's defaults where the request names nothing.
 *
 * @param seen the tier at which the route's key has lately served requests that named none
 */
export const waysServed = (
  { endpoint }: Pick<AdmittedRoute, "endpoint">,
  { conversation, demands }: Asking,
  { carries, defaults }: Pick<TextUpstream, "carries" | "defaults"> = {},
  seen?: string
): Ways => {
  // One that is named twice, differently, has no price of its own, and so the dearest.
  const asked = (of: Demand["of"]) => {
    const values = new Set(demands.flatMap((one) => (one.of === of ? [one.value.toLowerCase()] : [])))
    return values.size === 0 ? undefined : [...values].join(" or ")
  }
  const isPassed = endpoint !== undefined
  const hasTiers = carries?.has("serviceTier") === true
  const speed = isPassed ? asked("speed") : undefined
  const geo = (isPassed ? asked("inference_geo") : undefined) ?? defaults?.geo
  const image = demands.find((one) => one.image !== undefined)?.image
  const at = (tier: string | undefined): Served => ({
    ...(tier !== undefined && { tier }),
    ...(speed !== undefined && { speed }),
    ...(geo !== undefined && { geo }),
    ...(image !== undefined && { image })
  })
  const named = isPassed ? asked("service_tier") : conversation.serviceTier
  // `auto` leaves it to the upstream, as nothing does.
  const tier = named === "auto" ? undefined : named
  if (tier !== undefined && hasTiers) return [at(tier)]
  if (tier !== undefined && isPassed) return [at(undefined), at(tier)]
  if (tier === undefined && defaults?.tier !== undefined) return [at(defaults.tier)]
  return seen === undefined ? [at(undefined)] : [at(undefined), at(seen)]
}

export type Serving = Effect.Effect.Success<typeof makeServing>

/** Knows how routes serve requests: by what they name, by the upstreams' defaults, and by what answers told. */
export const makeServing = Effect.gen(function* () {
  const upstreams = yield* TextUpstreams
  const { tiers } = yield* UpstreamCalls
  const clock = yield* Effect.clock

  return {
    /** The ways of the routes that have a price. */
    waysAt: (routes: ReadonlyArray<AdmittedRoute>, price: Price, asking: Asking): Ways => {
      const nowMs = clock.unsafeCurrentTimeMillis()
      const [first = {}, ...others] = routes
        .filter((route) => route.price === price)
        .flatMap((route) => waysServed(route, asking, upstreams.get(route.part), tiers.at(route, nowMs)))
      return [first, ...others]
    },
    /** The tier, speed and place that a route was asked for, as far as it gets them; undefined if there are none. */
    askedAt: (route: AdmittedRoute, asking: Asking): Served | undefined => {
      const asked = waysServed(route, asking, upstreams.get(route.part)).at(-1) ?? {}
      return Object.keys(asked).length === 0 ? undefined : asked
    },
    /** A route answered, perhaps at a tier that its request did not name. */
    answered: (route: AdmittedRoute | undefined, tier: string | undefined): void => {
      if (tier === undefined || route === undefined || isUsual(tier)) return
      if (upstreams.get(route.part)?.defaults?.tier !== undefined) return
      tiers.note(route, tier, clock.unsafeCurrentTimeMillis())
    }
  } as const
})
