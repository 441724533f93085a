import type { Caller } from "../contract/callers/Caller.ts"
import type { RequestRecord } from "../contract/records/RequestRecord.ts"
import type { TaskHold } from "../ledger/DurableHolds.ts"
import { Offers } from "../ledger/Offers.ts"
import { labelsOf } from "./labelsOf.ts"
import type { PricedRoute } from "../catalogue/Catalogue.ts"
import type { Quote } from "./Quote.ts"

interface Accepted {
  /** The task's id. */
  readonly id: string
  readonly caller: Caller
  readonly requestId: string
}

interface ConversationHold extends TaskHold, Pick<Quote, "otherModels"> {
  readonly offers: Offers<PricedRoute>
}

/** The hold of a conversation whose answer is fetched later. */
export const holdOf = (
  accepted: Accepted,
  { held, heldTokens, model, modelLimits, mostNanoUsd, otherModels, own, routes }: Quote,
  record: Pick<RequestRecord, "tags" | "endUser"> | undefined
): ConversationHold => {
  const offers = new Offers(routes, own)
  return {
    ...accepted,
    model: model.id,
    offers,
    otherModels,
    get upstream() {
      return offers.all[0].upstream
    },
    get price() {
      return offers.all[0].price
    },
    unpriced: model.unpriced,
    modelLimits,
    mostNanoUsd,
    mostTokens: heldTokens,
    labels: labelsOf([model], record),
    held
  }
}
