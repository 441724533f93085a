import type { BetaRefusal } from "../protocols/Protocol.ts"
import type { GenerateOptions } from "../Upstream.ts"

/** How long a refused part is left out: places learn new ones. */
const learnedMs = 3_600_000
/** The most models of accounts to remember. Wildcards let callers name models. */
const mostModels = 1_000
/** The most betas and fields of each: callers can make them up. */
const mostNames = 100

interface Learned {
  /** When each refused beta may be sent again. */
  readonly betas: Map<string, number>
  /** The same for fields, by their paths. */
  readonly fields: Map<string, number>
  /** Betas of a refusal that did not name the one. Each is tried again with a later request, one at a time. */
  suspects: ReadonlyArray<string>
  suspectsUntilMs: number
  /** Betas that a request with them was accepted with since. */
  readonly taken: Set<string>
}

interface LeftOut {
  readonly betas: ReadonlySet<string>
  /** By their paths. */
  readonly fields: ReadonlyArray<string>
}

export const nothingLeftOut: LeftOut = { betas: new Set<never>(), fields: [] }

/** An account's requests for a model there. */
export type Asking = Pick<GenerateOptions, "serves" | "upstreamModel">

/**
 * The betas and optional fields that a place has refused, by the model's id there. What an account's requests provoke
 * changes no other account's.
 */
export class RefusedParts {
  readonly #byModel = new Map<string, Learned>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** The parts to leave out of the next request: all refused ones, and all suspects but the first. */
  at(asking: Asking): LeftOut {
    const learned = this.#byModel.size === 0 ? undefined : this.#byModel.get(keyOf(asking))
    if (learned === undefined) return nothingLeftOut
    const suspects = learned.suspectsUntilMs > this.#now() ? learned.suspects.slice(1) : []
    return { betas: new Set([...this.#valid(learned.betas), ...suspects]), fields: this.#valid(learned.fields) }
  }

  /** Remembers a field that was refused whatever its value. */
  learnField(asking: Asking, path: string): void {
    this.#remember(this.#of(asking).fields, path)
  }

  /**
   * Remembers a refusal of betas.
   *
   * @returns the betas to leave out of one more try
   */
  learn(asking: Asking, { betas, isNamed }: BetaRefusal): ReadonlyArray<string> {
    const learned = this.#of(asking)
    const unproven = isNamed ? betas : betas.filter((beta) => !learned.taken.has(beta))
    const guilty = unproven.length === 0 ? betas : unproven
    if (isNamed || guilty.length === 1) {
      for (const beta of guilty) this.#remember(learned.betas, beta)
      learned.suspects = learned.suspects.filter((beta) => !guilty.includes(beta))
    } else {
      learned.suspects = [...new Set([...learned.suspects, ...guilty])].slice(-mostNames)
      learned.suspectsUntilMs = this.#now() + learnedMs
    }
    for (const beta of guilty) learned.taken.delete(beta)
    return guilty
  }

  /** Notes that a request with these betas was accepted. */
  accept(asking: Asking, betas: ReadonlyArray<string>): void {
    if (betas.length === 0 || this.#byModel.size === 0) return
    const learned = this.#byModel.get(keyOf(asking))
    if (learned === undefined) return
    if (learned.taken.size >= mostNames) learned.taken.clear()
    for (const beta of betas) learned.taken.add(beta)
    learned.suspects = learned.suspects.filter((beta) => !learned.taken.has(beta))
  }

  #valid(names: Map<string, number>): ReadonlyArray<string> {
    const nowMs = this.#now()
    for (const [name, untilMs] of names) if (untilMs <= nowMs) names.delete(name)
    return [...names.keys()]
  }

  #remember(names: Map<string, number>, name: string): void {
    if (names.size >= mostNames) names.clear()
    names.set(name, this.#now() + learnedMs)
  }

  #of(asking: Asking): Learned {
    const key = keyOf(asking)
    const before = this.#byModel.get(key)
    if (before !== undefined) return before
    if (this.#byModel.size >= mostModels) this.#byModel.clear()
    const learned: Learned = {
      betas: new Map(),
      fields: new Map(),
      suspects: [],
      suspectsUntilMs: 0,
      taken: new Set()
    }
    this.#byModel.set(key, learned)
    return learned
  }
}

const keyOf = ({ serves, upstreamModel }: Asking): string => `${serves?.caller.account ?? ""}\n${upstreamModel}`
