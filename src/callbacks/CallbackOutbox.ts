import { Effect, Layer } from "effect"
import { Accounts } from "../access/store/Accounts.ts"
import { Outbox } from "../tasks/Outbox.ts"
import type { TaskChange } from "../tasks/Outbox.ts"
import { orStoreFailure } from "../tasks/StoreFailure.ts"
import { isTerminal } from "../tasks/Task.ts"
import type { Task } from "../tasks/Task.ts"
import { DeliveryStore } from "./store/DeliveryStore.ts"
import { hostOf } from "./store/deliveryStatements.ts"
import { DeliveryWake } from "./DeliveryWake.ts"
import { webhookEvent } from "./webhookEvent.ts"

/**
 * Turns every change of a task with a callback address into a delivery, and every event into one to the account's
 * webhook, in the change's own transaction.
 */
export const CallbackOutbox = Layer.effect(
  Outbox,
  Effect.gen(function* () {
    const store = yield* DeliveryStore
    const wake = yield* DeliveryWake
    const accounts = yield* Accounts
    /** Spares gateways without webhooks a scan for each event. */
    let hasWebhooks = false

    const deliver = ({ notBeforeMs, task }: TaskChange, url: string, body: string, event?: string) =>
      store.insert({
        taskId: task.id,
        account: task.account,
        sequence: task.changes,
        status: task.state,
        event,
        terminal: isTerminal(task.state),
        url,
        body,
        trace: task.trace,
        changedAtMs: task.updatedAtMs,
        notBeforeMs
      })

    const toCallback = (change: TaskChange) =>
      change.task.callbackUrl === null
        ? Effect.void
        : deliver(change, change.task.callbackUrl, JSON.stringify(change.record()))

    const toWebhook = (change: TaskChange, event: string) =>
      Effect.flatMap(accounts.webhookUrl(change.task.account), (url) => {
        if (url === undefined) return Effect.void
        hasWebhooks = true
        return deliver(change, url, JSON.stringify(webhookEvent(event, change.task)), event)
      })

    return {
      record: (change: TaskChange) => {
        const { event } = change
        const called = toCallback(change)
        return orStoreFailure(event === undefined ? called : Effect.zipRight(called, toWebhook(change, event)))
      },
      hurry: ({ account, callbackUrl, id }: Task) =>
        callbackUrl === null
          ? Effect.void
          : Effect.map(orStoreFailure(store.hurry(id)), () => wake.due(hostOf(callbackUrl), account)),
      forget: (taskIds: ReadonlyArray<string>) => orStoreFailure(store.remove(taskIds)),
      committed: ({ event, task }: TaskChange) => {
        if (task.callbackUrl !== null) wake.due(hostOf(task.callbackUrl), task.account)
        if (event !== undefined && hasWebhooks) wake.scan()
      }
    }
  })
).pipe(Layer.provide(Accounts.Default))
