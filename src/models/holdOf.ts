import type { Caller } from "../contract/Caller.ts"
import type { TaskHold } from "../ledger/DurableHolds.ts"
import type { Quote } from "./Quote.ts"

interface Accepted {
  /** The task's. */
  readonly id: string
  readonly caller: Caller
  readonly requestId: string
}

/** What is set aside for a conversation whose answer is fetched later. */
export const holdOf = (accepted: Accepted, { held, model, mostNanoUsd, price }: Quote): TaskHold => ({
  ...accepted,
  model: model.id,
  upstream: model.routes[0]?.upstream ?? "",
  price,
  unpriced: model.unpriced,
  modelLimits: model.limits,
  mostNanoUsd,
  held
})
