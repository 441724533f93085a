import type { Batch, Generation, How } from "../generation/Generation.ts"
import type { Usage } from "../generation/GenerationEvent.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { Charge } from "./Ledger.ts"
import { Output } from "./Output.ts"

interface Options {
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
export const metered = (generation: Generation, charge: Charge, options: Options): Generation => {
  const output = new Output()
  let reported: Usage | undefined
  /** Whether the reported usage is a total, and not just what was known at the start. */
  let isTotal = false
  let isOver = false
  let stored: Promise<void> | undefined

  const pay = (used: Usage, how: "finished" | "hang-up", estimated: boolean) => {
    isOver = true
    stored = charge.settle(used, how, estimated)
    options.done(used.inputTokens + used.cacheReadTokens + used.cacheWriteTokens + used.outputTokens, how, used)
  }

  /** What was used as far as anybody can tell from here; what the upstream did say of the input stands. */
  const counted = (): Usage => ({
    ...(reported ?? { ...noUsage, inputTokens: options.inputTokens() }),
    outputTokens: Math.max(reported?.outputTokens ?? 0, output.tokens()),
    reasoningTokens: Math.max(reported?.reasoningTokens ?? 0, output.reasoningTokens()),
    searches: Math.max(reported?.searches ?? 0, output.searches)
  })

  const release = () => {
    isOver = true
    charge.release()
    options.done(0, "failed", noUsage)
  }

  const observe = (batch: Batch | undefined): Batch | undefined => {
    if (isOver) return batch
    if (batch === undefined) {
      release()
      return batch
    }
    for (const event of batch) {
      switch (event.type) {
        case "started":
          reported = event.usage ?? reported
          break
        case "usage":
          reported = event.usage
          isTotal = true
          break
        case "failed":
          release()
          return batch
        case "finished": {
          if (isTotal) {
            pay(reported ?? noUsage, "finished", false)
            return batch
          }
          const usage = counted()
          pay(usage, "finished", true)
          return batch.toSpliced(batch.indexOf(event), 0, { type: "usage", usage })
        }
        default:
          output.take(event)
      }
    }
    return batch
  }

  const cancel = (how?: How) => {
    generation.cancel(how)
    if (isOver) return
    if (how === "failed" || options.isShuttingDown()) release()
    else pay(counted(), "hang-up", true)
  }

  return {
    ...(generation.native === undefined ? {} : { native: generation.native }),
    ...(generation.adapted === undefined ? {} : { adapted: generation.adapted }),
    next: () => {
      const next = generation.next()
      return next instanceof Promise ? next.then(observe) : observe(next)
    },
    cancel,
    settled: () => stored
  }
}
