import { Effect, Layer } from "effect"
import { Outbox } from "../tasks/Outbox.ts"
import type { TaskChange } from "../tasks/Outbox.ts"
import { stored } from "../tasks/StoreFailure.ts"
import { isTerminal } from "../tasks/Task.ts"
import type { Task } from "../tasks/Task.ts"
import { DeliveryStore } from "./store/DeliveryStore.ts"
import { hostOf } from "./store/deliveryStatements.ts"
import { DeliveryWake } from "./DeliveryWake.ts"

/** Turns every change of a task with a callback address into a delivery, in the change's own transaction. */
export const CallbackOutbox: Layer.Layer<Outbox, never, DeliveryStore | DeliveryWake> = Layer.effect(
  Outbox,
  Effect.gen(function* () {
    const store = yield* DeliveryStore
    const wake = yield* DeliveryWake
    return {
      record: ({ task, record, notBeforeMs }: TaskChange) =>
        task.callbackUrl === null
          ? Effect.void
          : stored(
              store.insert({
                taskId: task.id,
                account: task.account,
                sequence: task.changes,
                status: task.state,
                terminal: isTerminal(task.state),
                url: task.callbackUrl,
                body: JSON.stringify(record()),
                trace: task.trace,
                changedAtMs: task.updatedAtMs,
                notBeforeMs
              })
            ),
      hurry: ({ account, callbackUrl, id }: Task) =>
        callbackUrl === null
          ? Effect.void
          : Effect.map(stored(store.hurry(id)), () => wake.due(hostOf(callbackUrl), account)),
      forget: (taskIds: ReadonlyArray<string>) => stored(store.remove(taskIds)),
      committed: ({ task }: TaskChange) => {
        if (task.callbackUrl !== null) wake.due(hostOf(task.callbackUrl), task.account)
      }
    }
  })
)
