import { Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { RequestQuote } from "../ledger/Quote.ts"
import { UsageReport } from "../ledger/UsageReport.ts"
import { Models } from "./Models.ts"

/** What an answer has where nothing tells: most are shorter. */
const usualOutput = 500

/** Quotes conversations: the estimate follows what the account's requests to the model used in the last week. */
export const makeQuoteText = Effect.gen(function* () {
  const models = yield* Models
  const report = yield* UsageReport
  return (caller: Caller, conversation: Conversation): Effect.Effect<RequestQuote, Failure> =>
    Effect.gen(function* () {
      const { model, most, mostNanoUsd, price } = yield* models.quote(caller, conversation)
      const maximum = most()
      const usual = yield* report.usual(caller.account, model.id)
      const searches = usual === undefined ? 1 : Math.round(usual.searches)
      return {
        model: model.id,
        price,
        estimated: {
          ...noUsage,
          inputTokens: maximum.inputTokens,
          outputTokens: Math.min(maximum.outputTokens, Math.ceil(usual?.outputTokens ?? usualOutput)),
          searches: Math.min(maximum.searches, searches)
        },
        most: { ...noUsage, ...maximum },
        mostNanoUsd: mostNanoUsd(),
        basis: usual === undefined ? ("usual" as const) : ("history" as const)
      }
    })
})
