import { Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { RequestQuote } from "../ledger/Quote.ts"
import { UsageReport } from "../ledger/store/UsageReport.ts"
import type { AdmissionRequest } from "./admit.ts"
import { Dispatch } from "./Dispatch.ts"

/** What an answer has where nothing tells: most are shorter. */
const usualOutput = 500

/**
 * Quotes conversations: the estimate follows what the account's requests to the model used in the last week. Several
 * answers cost several times what one does.
 */
export const makeQuoteText = Effect.gen(function* () {
  const models = yield* Dispatch
  const report = yield* UsageReport
  return Effect.fnUntraced(function* (
    caller: Caller,
    conversation: Conversation,
    asked: AdmissionRequest,
    answers = 1
  ): Effect.fn.Return<RequestQuote, Failure> {
    const { model, most, mostNanoUsd, routes } = yield* models.quote(caller, conversation, asked)
    const maximum = most()
    const usual = yield* report.usual(caller.account, model.id)
    const searches = usual === undefined ? 1 : Math.round(usual.searches)
    return {
      model: model.id,
      price: routes[0].price,
      estimated: {
        ...noUsage,
        inputTokens: answers * maximum.inputTokens,
        outputTokens: answers * Math.min(maximum.outputTokens, Math.ceil(usual?.outputTokens ?? usualOutput)),
        searches: answers * Math.min(maximum.searches, searches)
      },
      most: {
        ...noUsage,
        inputTokens: answers * maximum.inputTokens,
        outputTokens: answers * maximum.outputTokens,
        searches: answers * maximum.searches
      },
      mostNanoUsd: answers * Math.max(...routes.map(({ price }) => mostNanoUsd(price))),
      basis: usual === undefined ? ("usual" as const) : ("history" as const)
    }
  })
})
