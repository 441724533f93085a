import { Recent } from "./Recent.ts"
import type { Route } from "./Route.ts"

/** The most routes that are remembered. */
const mostRoutes = 500
/** How long a tier is expected again, in ms. */
const keptMs = 86_400_000
/** Upstreams name tiers, at any length. */
const longestTier = 40

/** A tier at which an upstream's key answered for a model, though no request named it. */
export interface SeenTier extends Pick<Route, "upstream" | "model" | "key"> {
  readonly tier: string
  readonly sinceMs: number
  readonly lastMs: number
}

/** The tiers that accounts at providers have by default, as their answers tell them, on this node. */
export class SeenTiers {
  readonly #seen = new Recent<SeenTier>(mostRoutes)

  note(route: Route, tier: string, nowMs: number): void {
    const { key, model, upstream } = route
    const before = this.#current(route, nowMs)
    const named = tier.slice(0, longestTier).toLowerCase()
    const sinceMs = before?.tier === named ? before.sinceMs : nowMs
    this.#seen.set(nameOf(route), {
      upstream,
      model,
      tier: named,
      sinceMs,
      lastMs: nowMs,
      ...(key !== undefined && { key })
    })
  }

  /** The tier of the last day; undefined if none was seen. */
  at(route: Route, nowMs: number): string | undefined {
    return this.#current(route, nowMs)?.tier
  }

  all(nowMs: number): ReadonlyArray<SeenTier> {
    return [...this.#seen.values()].filter((one) => isCurrent(one, nowMs))
  }

  #current(route: Route, nowMs: number): SeenTier | undefined {
    const seen = this.#seen.size === 0 ? undefined : this.#seen.get(nameOf(route))
    return seen !== undefined && isCurrent(seen, nowMs) ? seen : undefined
  }
}

const isCurrent = ({ lastMs }: SeenTier, nowMs: number): boolean => nowMs - lastMs < keptMs

const nameOf = ({ key = "", model, upstream }: Route): string => `${upstream}\n${key}\n${model}`
