import { Effect, Option } from "effect"
import type { AccountId } from "../contract/callers/Caller.ts"
import { NotFound } from "../contract/failures/Failure.ts"
import { hostOf } from "./store/deliveryStatements.ts"
import { toRecord } from "./Delivery.ts"
import { DeliveryStore } from "./store/DeliveryStore.ts"
import type { DeliveryRecord } from "./DeliveryRecord.ts"
import { DeliveryWake } from "./DeliveryWake.ts"

/** A task's deliveries, for the account that owns it, and redelivery on request. */
export class Deliveries extends Effect.Service<Deliveries>()("gateway/callbacks/Deliveries", {
  effect: Effect.gen(function* () {
    const store = yield* DeliveryStore
    const wake = yield* DeliveryWake

    /** A task's deliveries, oldest change first. Empty for a task without callbacks or of another account. */
    const list = Effect.fn("Deliveries.list")(function* (account: AccountId, taskId: string) {
      return (yield* Effect.orDie(store.list(account, taskId))).map(toRecord)
    })

    /** Sends a delivery again at once, with the same id and bytes, in any state. */
    const redeliver = Effect.fn("Deliveries.redeliver")(function* (
      account: AccountId,
      taskId: string,
      id: string
    ): Effect.fn.Return<DeliveryRecord, NotFound> {
      const delivery = yield* Effect.orDie(store.redeliver(account, taskId, id))
      if (Option.isNone(delivery)) return yield* new NotFound({ message: "No such delivery", param: null })
      wake.due(hostOf(delivery.value.url), delivery.value.account_id)
      return toRecord(delivery.value)
    })

    return { list, redeliver, pending: store.pending } as const
  })
}) {}
