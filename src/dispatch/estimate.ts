import { Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import type { Failure } from "../contract/Failure.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { RequestQuote } from "../ledger/Quote.ts"
import { UsageReport } from "../ledger/store/UsageReport.ts"
import type { Quote } from "./Quote.ts"

/** The estimated output tokens without history. Most answers are shorter. */
const usualOutput = 500

/**
 * Adds an estimate to a quote, from the account's requests to the model in the last week. Several answers cost several
 * times as much.
 */
export const makeEstimate = Effect.gen(function* () {
  const report = yield* UsageReport
  return Effect.fnUntraced(function* (
    caller: Caller,
    { answers, model, most, mostNanoUsd, routes }: Quote
  ): Effect.fn.Return<RequestQuote, Failure> {
    const maximum = most()
    const usual = yield* report.usual(caller.account, model.id)
    const searches = usual === undefined ? 1 : Math.round(usual.searches)
    return {
      model: model.id,
      routes,
      estimated: {
        ...noUsage,
        inputTokens: answers * maximum.countedTokens,
        outputTokens: answers * Math.min(maximum.outputTokens, Math.ceil(usual?.outputTokens ?? usualOutput)),
        searches: answers * Math.min(maximum.searches, searches)
      },
      most: {
        ...noUsage,
        inputTokens: answers * maximum.inputTokens,
        outputTokens: answers * maximum.outputTokens,
        searches: answers * maximum.searches
      },
      mostNanoUsd: Math.max(...routes.map(({ price }) => mostNanoUsd(price))),
      basis: usual === undefined ? ("usual" as const) : ("history" as const)
    }
  })
})
