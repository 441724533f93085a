import type { BetaRefusal } from "../protocols/Protocol.ts"

/** How long a refused beta is left out: places learn new ones. */
const learnedMs = 3_600_000
/** The most models to remember. Wildcards let callers name models. */
const mostModels = 1_000

interface Learned {
  /** When each refused beta may be sent again. */
  readonly untilMs: Map<string, number>
  /** Betas of a refusal that did not name the one. Each is tried again with a later request, one at a time. */
  suspects: ReadonlyArray<string>
  /** Betas that a request with them was accepted with since. */
  readonly taken: Set<string>
}

/** The betas that a place has refused, by the model's id there. */
export class RefusedBetas {
  readonly #byModel = new Map<string, Learned>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** The betas to leave out of the next request: all refused ones, and all suspects but the first. */
  at(model: string): ReadonlySet<string> {
    const learned = this.#byModel.get(model)
    if (learned === undefined) return none
    const nowMs = this.#now()
    for (const [beta, untilMs] of learned.untilMs) if (untilMs <= nowMs) learned.untilMs.delete(beta)
    return new Set([...learned.untilMs.keys(), ...learned.suspects.slice(1)])
  }

  /**
   * Remembers a refusal.
   *
   * @returns the betas to leave out of one more try
   */
  learn(model: string, { betas, isNamed }: BetaRefusal): ReadonlyArray<string> {
    const learned = this.#of(model)
    const unproven = isNamed ? betas : betas.filter((beta) => !learned.taken.has(beta))
    const guilty = unproven.length === 0 ? betas : unproven
    if (isNamed || guilty.length === 1) {
      for (const beta of guilty) learned.untilMs.set(beta, this.#now() + learnedMs)
      learned.suspects = learned.suspects.filter((beta) => !guilty.includes(beta))
    } else learned.suspects = [...new Set([...learned.suspects, ...guilty])]
    for (const beta of guilty) learned.taken.delete(beta)
    return guilty
  }

  /** Notes that a request with these betas was accepted. */
  accept(model: string, betas: ReadonlyArray<string>): void {
    const learned = this.#byModel.get(model)
    if (learned === undefined) return
    for (const beta of betas) learned.taken.add(beta)
    learned.suspects = learned.suspects.filter((beta) => !learned.taken.has(beta))
  }

  #of(model: string): Learned {
    const before = this.#byModel.get(model)
    if (before !== undefined) return before
    if (this.#byModel.size >= mostModels) this.#byModel.clear()
    const learned: Learned = { untilMs: new Map(), suspects: [], taken: new Set() }
    this.#byModel.set(model, learned)
    return learned
  }
}

const none: ReadonlySet<string> = new Set<never>()
