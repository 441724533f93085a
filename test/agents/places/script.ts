import { overflowOf } from "../../places/strict/overflow.ts"
import type { Ask, Refusal } from "../../places/strict/rule.ts"
import { offeredIn } from "../../places/strict/said.ts"
import type { Call, Said } from "../../places/strict/said.ts"

/** A turn of the model: calls in parallel, or the place's refusal of an input that is too long until it is compacted. */
export type Step = ReadonlyArray<Call> | "overflow"

export const ended = "The loop has ended."

export interface Player {
  readonly play: (ask: Ask) => Said | Refusal
  /** The turns that were taken, and the summaries that were asked for. */
  readonly turns: () => number
  readonly compactions: () => number
  /** Whether it answers the loop itself, and not a question on the side. */
  readonly isTurn: (ask: Ask) => boolean
}

export interface Compacting {
  /** How the program asks for a summary; undefined if it does not compact. */
  readonly summary?: RegExp
  /** The input tokens at which it compacts by itself. */
  readonly fullAt?: number
}

/**
 * A model that goes through a list of turns, whatever the conversation says. A request that does not offer the next
 * turn's tools is one on the side, a title for instance.
 *
 * At the sixteenth turn it reports as many tokens as a program compacts at by itself.
 *
 * @param countsAll whether it reports what each request has, about, in place of a few tokens
 */
export const makePlayer = (steps: ReadonlyArray<Step>, { fullAt, summary }: Compacting, countsAll: boolean): Player => {
  let at = 0
  let compactions = 0
  const isSummary = (ask: Ask) => ask.path.endsWith("/compact") || summary?.test(JSON.stringify(ask.body)) === true
  const callsOf = (ask: Ask, step: ReadonlyArray<Call>): ReadonlyArray<Call> | undefined => {
    const offered = [...offeredIn(ask).keys()]
    const calls = step.flatMap(({ input, name }) => {
      const found = offered.find((one) => one === name) ?? offered.find((one) => one.endsWith(name))
      return found === undefined ? [] : [{ name: found, input }]
    })
    return calls.length === step.length ? calls : undefined
  }
  const turns = steps.flatMap((step) => (step === "overflow" ? [] : [step]))
  const nextCalls = () => turns[turnsBefore(at)] ?? turns.at(-1) ?? []
  const turnsBefore = (end: number) => steps.slice(0, end).filter((step) => step !== "overflow").length
  const isTurn = (ask: Ask) => !isSummary(ask) && offeredIn(ask).size > 0 && callsOf(ask, nextCalls()) !== undefined
  return {
    isTurn,
    turns: () => turnsBefore(at),
    compactions: () => compactions,
    play: (ask) => {
      if (isSummary(ask)) {
        compactions++
        if (steps[at] === "overflow") at++
        return { calls: [], text: "<summary>The user wants a loop of calls. Half of them are done; go on.</summary>" }
      }
      if (!isTurn(ask)) return { calls: [], text: "A loop" }
      const step = steps[at]
      if (step === "overflow") return overflowOf(ask)
      if (step === undefined) return { calls: [], text: ended }
      at++
      const inputTokens = countsAll ? Math.ceil(ask.bytes / 4) : turnsBefore(at) === 16 ? fullAt : undefined
      return { calls: callsOf(ask, step) ?? [], ...(inputTokens !== undefined && { inputTokens }) }
    }
  }
}
