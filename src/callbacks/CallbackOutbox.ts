import { Effect, Layer } from "effect"
import { Outbox } from "../tasks/Outbox.ts"
import type { TaskChange } from "../tasks/Outbox.ts"
import { isTerminal } from "../tasks/Task.ts"
import { DeliveryStore, hostOf } from "./DeliveryStore.ts"
import { DeliveryWake } from "./DeliveryWake.ts"

/** Turns every change of a task with a callback address into a delivery, in the change's own transaction. */
export const CallbackOutbox: Layer.Layer<Outbox, never, DeliveryStore | DeliveryWake> = Layer.effect(
  Outbox,
  Effect.gen(function* () {
    const store = yield* DeliveryStore
    const wake = yield* DeliveryWake
    return {
      record: ({ task, record }: TaskChange) =>
        task.callbackUrl === null
          ? Effect.void
          : store.insert({
              taskId: task.id,
              account: task.account,
              sequence: task.changes,
              status: task.state,
              terminal: isTerminal(task.state),
              url: task.callbackUrl,
              body: JSON.stringify(record()),
              changedAtMs: task.updatedAtMs
            }),
      committed: ({ task }: TaskChange) => {
        if (task.callbackUrl !== null) wake.due(hostOf(task.callbackUrl))
      }
    }
  })
)
