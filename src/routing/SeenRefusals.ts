import type { PlaceRefusal, PlaceRefusals } from "../upstreams/calls/PlaceRefusals.ts"
import { Recent } from "./Recent.ts"

/** The most refusals that are remembered, and of one model and one account: callers can make fields and models up. */
const mostRefusals = 500
const mostOfModel = 20
const mostOfAccount = 50
/** A refusal is reported once within this time, in ms. */
const dayMs = 86_400_000
/** Callers and upstreams write names at any length. */
const longestPath = 80

interface SeenRefusal extends PlaceRefusal {
  readonly sinceMs: number
}

/** Fields that upstreams refused although the gateway sends them there, as seen on this node. */
export class SeenRefusals implements PlaceRefusals {
  readonly #seen = new Recent<SeenRefusal>(mostRefusals)
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  note({ account, model, path, upstream, words }: PlaceRefusal): boolean {
    const nowMs = this.#now()
    // The same field of each turn and tool is one.
    const named = path.slice(0, longestPath).replaceAll(/\d+/g, "0")
    const key = `${upstream}\n${model}\n${named}`
    const before = this.#seen.get(key)
    if (before !== undefined && nowMs - before.sinceMs < dayMs) return false
    const today = this.all(nowMs)
    if (today.filter((one) => one.upstream === upstream && one.model === model).length >= mostOfModel) return false
    if (today.filter((one) => one.account === account).length >= mostOfAccount) return false
    this.#seen.set(key, { account, upstream, model, path: named, words, sinceMs: nowMs })
    return true
  }

  /** Those of the last day. */
  all(nowMs: number): ReadonlyArray<SeenRefusal> {
    return [...this.#seen.values()].filter(({ sinceMs }) => nowMs - sinceMs < dayMs)
  }
}
