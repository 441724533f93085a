import type { Batch, Generation, How } from "../generation/Generation.ts"
import type { Usage } from "../generation/GenerationEvent.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { Charge } from "./Ledger.ts"
import { Output } from "./Output.ts"

/** Whose generation it is that is watched. */
export interface Metering {
  /** Counts the input; only asked where the upstream does not tell. */
  readonly inputTokens: () => number
  /** Whether the gateway itself stops the work: the client then pays nothing. */
  readonly isShuttingDown: () => boolean
  /** Runs once, when it is over, with the tokens that are paid for and how it ended. */
  readonly done: (tokens: number, how: "finished" | "hang-up" | "failed", used: Usage) => void
}

/**
 * Watches a generation go by and pays for it once: what the upstream says it used when it finishes, what was produced
 * when the client hangs up, nothing when it fails. An upstream that tells no usage is counted after, and the count is
 * given to the client as well, so that both see the same numbers.
 */
export const metered = (generation: Generation, charge: Charge, options: Metering): Generation =>
  new Metered(generation, charge, options)

/** One object for each request, where closures would be eight. */
class Metered implements Generation {
  declare readonly native?: true
  declare readonly adapted?: ReadonlyArray<string>
  readonly #generation: Generation
  readonly #charge: Charge
  readonly #options: Metering
  #output: Output | undefined
  #reported: Usage | undefined
  /** Whether the reported usage is a total, and not just what was known at the start. */
  #isTotal = false
  #isOver = false
  #stored: Promise<void> | undefined
  /** Made once, and not for every chunk. */
  #observing: ((batch: Batch | undefined) => Batch | undefined) | undefined

  constructor(generation: Generation, charge: Charge, options: Metering) {
    this.#generation = generation
    this.#charge = charge
    this.#options = options
    if (generation.native !== undefined) this.native = generation.native
    if (generation.adapted !== undefined) this.adapted = generation.adapted
  }

  next(): Batch | undefined | Promise<Batch | undefined> {
    const next = this.#generation.next()
    return next instanceof Promise
      ? next.then((this.#observing ??= (batch) => this.#observe(batch)))
      : this.#observe(next)
  }

  cancel(how?: How): void {
    this.#generation.cancel(how)
    if (this.#isOver) return
    if (how === "failed" || this.#options.isShuttingDown()) this.#release()
    else this.#pay(this.#counted(), "hang-up", true)
  }

  settled(): Promise<void> | undefined {
    return this.#stored
  }

  #pay(used: Usage, how: "finished" | "hang-up", estimated: boolean): void {
    this.#isOver = true
    this.#stored = this.#charge.settle(used, how, estimated)
    const tokens = used.inputTokens + used.cacheReadTokens + used.cacheWriteTokens + used.outputTokens
    this.#options.done(tokens, how, used)
  }

  /** What was used as far as anybody can tell from here; what the upstream did say of the input stands. */
  #counted(): Usage {
    const reported = this.#reported ?? { ...noUsage, inputTokens: this.#options.inputTokens() }
    const output = this.#output
    if (output === undefined) return reported
    return {
      ...reported,
      outputTokens: Math.max(reported.outputTokens, output.tokens()),
      reasoningTokens: Math.max(reported.reasoningTokens, output.reasoningTokens()),
      searches: Math.max(reported.searches, output.searches)
    }
  }

  #release(): void {
    this.#isOver = true
    this.#charge.release()
    this.#options.done(0, "failed", noUsage)
  }

  #observe(batch: Batch | undefined): Batch | undefined {
    if (this.#isOver) return batch
    if (batch === undefined) {
      this.#release()
      return batch
    }
    for (const event of batch) {
      switch (event.type) {
        case "started":
          this.#reported = event.usage ?? this.#reported
          break
        case "usage":
          this.#reported = event.usage
          this.#isTotal = true
          break
        case "failed":
          this.#release()
          return batch
        case "finished": {
          if (this.#isTotal) {
            this.#pay(this.#reported ?? noUsage, "finished", false)
            return batch
          }
          const usage = this.#counted()
          this.#pay(usage, "finished", true)
          return batch.toSpliced(batch.indexOf(event), 0, { type: "usage", usage })
        }
        default:
          this.#output ??= new Output()
          this.#output.take(event)
      }
    }
    return batch
  }
}
