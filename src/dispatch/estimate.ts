import { Effect } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { RequestQuote } from "../ledger/Quote.ts"
import { UsageReport } from "../ledger/store/UsageReport.ts"
import type { PricedRoute } from "../catalogue/Catalogue.ts"
import type { Quote } from "./Quote.ts"
import { piecesOf } from "../contract/records/measures.ts"

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
    { answers, assumed, model, most, mostNanoUsd, routes: [first, ...others] }: Quote
  ): Effect.fn.Return<RequestQuote, Failure> {
    const maximum = most()
    const usual = yield* report.usual(caller.account, model.id)
    const quoted = <R extends PricedRoute>(route: R) => ({ ...route, assumes: assumed(route.price) })
    const routes = [quoted(first), ...others.map(quoted)] as const
    const searches = usual === undefined ? 1 : Math.round(usual.searches)
    return {
      model: model.id,
      routes,
      estimated: {
        ...noUsage,
        inputTokens: answers * maximum.countedTokens,
        outputTokens: answers * Math.min(maximum.outputTokens, Math.ceil(usual?.outputTokens ?? usualOutput)),
        searches: answers * Math.min(maximum.searches, searches),
        ...piecesOf(maximum)
      },
      most: {
        ...noUsage,
        inputTokens: answers * maximum.inputTokens,
        outputTokens: answers * maximum.outputTokens,
        searches: answers * maximum.searches,
        ...piecesOf(maximum)
      },
      mostNanoUsd: Math.max(...routes.map(({ price }) => mostNanoUsd(price))),
      basis: usual === undefined ? ("usual" as const) : ("history" as const)
    }
  })
})
