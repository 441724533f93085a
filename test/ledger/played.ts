import { UpstreamFailed } from "../../src/contract/failures/Failure.ts"
import type { Batch, Generation, GenerationEnding } from "../../src/generation/Generation.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import type { GenerationEvent, Usage } from "../../src/generation/GenerationEvent.ts"
import type { Served } from "../../src/contract/records/Served.ts"
import { free } from "../../src/ledger/Price.ts"
import { meter } from "../../src/ledger/meter.ts"
import { readOn } from "../../src/ledger/readOn.ts"

export const usage = (some: Partial<Usage>): Usage => ({ ...noUsage, ...some })
export const text = (text: string): GenerationEvent => ({ type: "text-delta", text })
export const finished: GenerationEvent = { type: "finished", reason: "stop", stopSequence: null }
export const failed: GenerationEvent = { type: "failed", failure: new UpstreamFailed({}) }

/** Plays batches, one a call of `next`, and writes down what is paid. */
export const play = (
  batches: ReadonlyArray<Batch | Promise<Batch>>,
  options: { shuttingDown?: boolean; runsOn?: boolean; asked?: Served } = {}
) => {
  const paid: Array<{ used: Usage; how: string; estimated: boolean } | "released"> = []
  const done: Array<number> = []
  const doubted: Array<string> = []
  const cancelled: Array<GenerationEnding | undefined> = []
  const given = [...batches]
  let counts = 0
  let firstPieces = 0
  let isLeft = false
  const shutdown = new AbortController()
  const generation: Generation = {
    next: () => given.shift(),
    cancel: (how) => void cancelled.push(how)
  }
  const watched = meter(
    generation,
    {
      settle: (used, how, estimated) => {
        paid.push({ used, how, estimated })
        return Promise.resolve()
      },
      cut: (used, estimated) => void paid.push({ used, how: "cut", estimated }),
      release: () => void paid.push("released")
    },
    {
      price: free,
      inputTokens: () => {
        counts++
        return 7
      },
      doubtOf: (told) => (Number.isNaN(told.inputTokens) || told.inputTokens < 0 ? "number" : undefined),
      doubted: (reason) => void doubted.push(reason),
      noted: () => undefined,
      firstPiece: () => void firstPieces++,
      failed: () => {},
      isShuttingDown: () => options.shuttingDown === true,
      get isLeft() {
        return isLeft
      },
      readsOn: (generation, pending) => {
        if (options.runsOn !== true || options.shuttingDown === true) return undefined
        isLeft = true
        return readOn(generation, pending, shutdown.signal)
      },
      asked: () => options.asked,
      done: (tokens) => void done.push(tokens)
    }
  )
  const take = async (n: number) => {
    const events: Array<GenerationEvent> = []
    for (let i = 0; i < n; i++) events.push(...((await watched.next()) ?? []))
    return events
  }
  const stop = () => {
    options.shuttingDown = true
    shutdown.abort()
  }
  return { watched, stop, paid, done, doubted, cancelled, take, counts: () => counts, firstPieces: () => firstPieces }
}
