import { Context, Effect, Layer } from "effect"
import type { JsonObject } from "../contract/fields.ts"
import type { StoreFailure } from "./StoreFailure.ts"
import type { Task } from "./Task.ts"

/** A change of a task's state, its creation included. */
export interface TaskChange {
  readonly task: Task
  /** The task's record at this change, as its owner would read it. */
  readonly record: () => JsonObject
  /** The type of the event that it is to the account's webhook; absent if it is none. */
  readonly event?: string | undefined
  /** The earliest time of delivery, in Unix ms; at once if absent. */
  readonly notBeforeMs?: number | undefined
}

/**
 * Called for every change of state, inside the transaction that makes it: its inserts are stored exactly if the change
 * is. It must wait for nothing but the database. `committed` is called after the commit.
 */
export class Outbox extends Context.Tag("gateway/tasks/Outbox")<
  Outbox,
  {
    readonly record: (change: TaskChange) => Effect.Effect<void, StoreFailure>
    /** Called once the change is durable: a hint to start delivering. */
    readonly committed: (change: TaskChange) => void
    /** Makes a delayed delivery due now. */
    readonly hurry: (task: Task) => Effect.Effect<void, StoreFailure>
    /** Removes the deliveries of removed tasks, in the same unit of work. */
    readonly forget: (taskIds: ReadonlyArray<string>) => Effect.Effect<void, StoreFailure>
  }
>() {
  /** Ignores all changes. */
  static readonly none = Layer.succeed(Outbox, {
    record: () => Effect.void,
    committed: () => {},
    hurry: () => Effect.void,
    forget: () => Effect.void
  })
}
