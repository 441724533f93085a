import { Effect, Option } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import { NotFound } from "../contract/Failure.ts"
import { hostOf } from "./store/deliveryStatements.ts"
import { toRecord } from "./Delivery.ts"
import { DeliveryStore } from "./store/DeliveryStore.ts"
import type { DeliveryRecord } from "./DeliveryRecord.ts"
import { DeliveryWake } from "./DeliveryWake.ts"

/** What a task's callbacks did, for the account that owns the task; and once more on request. */
export class Deliveries extends Effect.Service<Deliveries>()("gateway/callbacks/Deliveries", {
  effect: Effect.gen(function* () {
    const store = yield* DeliveryStore
    const wake = yield* DeliveryWake

    /** The deliveries of a task, oldest change first. Empty for a task without callbacks and for another account's. */
    const list = Effect.fn("Deliveries.list")(function* (account: AccountId, taskId: string) {
      return (yield* Effect.orDie(store.list(account, taskId))).map(toRecord)
    })

    /** Sends a delivery once more, now, with the same id and bytes, however it stands. */
    const redeliver = Effect.fn("Deliveries.redeliver")(function* (
      account: AccountId,
      taskId: string,
      id: string
    ): Effect.fn.Return<DeliveryRecord, NotFound> {
      const found = yield* Effect.orDie(store.redeliver(account, taskId, id))
      if (Option.isNone(found)) return yield* new NotFound({ message: "No such delivery", param: null })
      wake.due(hostOf(found.value.url), found.value.account_id)
      return toRecord(found.value)
    })

    return { list, redeliver, pending: store.pending } as const
  })
}) {}
