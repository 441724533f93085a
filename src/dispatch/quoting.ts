import { Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import type { Forbidden, InvalidRequest, ModelForbidden } from "../contract/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import type { SharedLimits } from "../ledger/DurableHolds.ts"
import type { Ledger } from "../ledger/Ledger.ts"
import { Offers } from "../ledger/Offers.ts"
import { mostOf } from "../ledger/Price.ts"
import { countTokens } from "../tokens/tokens.ts"
import { triedRoutes } from "./admit.ts"
import type { Admitted, AdmissionRequest, QuoteRequest } from "./admit.ts"
import { heldFor, mostUsed } from "./mostUsed.ts"
import { once } from "./Quote.ts"
import type { Quote } from "./Quote.ts"

type Admit = (
  caller: Caller,
  conversation: Conversation,
  asked: AdmissionRequest
) => Admitted | InvalidRequest | ModelForbidden | Forbidden

/** The maximum cost of a conversation. Fails if it would be refused before an upstream is called. */
export const quoting =
  (admit: Admit, ledger: Pick<Ledger, "permit">, limitsOf: (model: Model) => SharedLimits | undefined) =>
  (
    caller: Caller,
    conversation: Conversation,
    asked: QuoteRequest
  ): Effect.Effect<Quote, InvalidRequest | ModelForbidden | Forbidden> =>
    Effect.suspend(() => {
      const admitted = admit(caller, conversation, asked)
      if (!("fitting" in admitted)) return Effect.fail(admitted)
      const { fitting, model } = admitted
      const { unpriced } = model
      const offers = new Offers(triedRoutes(admitted.routes, admitted))
      const answers = asked.answers ?? 1
      const most = once(() => mostUsed(fitting, admitted, countTokens(fitting)))
      return Effect.map(ledger.permit({ caller, model: model.id, prices: offers.prices, unpriced }), (prices) => {
        offers.keep(prices)
        return {
          model,
          modelLimits: limitsOf(model),
          routes: offers.all,
          answers,
          most,
          mostNanoUsd: (price) => answers * mostOf(price, most()),
          held: (price) => heldFor(price, most(), { answers, caller, conversation: fitting, model })
        }
      })
    })
