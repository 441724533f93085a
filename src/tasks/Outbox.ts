import { Context, Effect, Layer } from "effect"
import type { JsonObject } from "../contract/fields.ts"
import type { StoreFailure } from "./StoreFailure.ts"
import type { Task } from "./Task.ts"

/** A task has reached a state (its creation included). */
export interface TaskChange {
  readonly task: Task
  /** The record as its owner would read it at this change. */
  readonly record: () => JsonObject
  /** When it may be told at the earliest, in Unix ms; at once where absent. */
  readonly notBeforeMs?: number | undefined
}

/**
 * Hears of every change of state inside the transaction that makes it, so that what it inserts is stored exactly if the
 * change is. It must wait for nothing but the database; `committed` is called after the commit.
 */
export class Outbox extends Context.Tag("gateway/tasks/Outbox")<
  Outbox,
  {
    readonly record: (change: TaskChange) => Effect.Effect<void, StoreFailure>
    /** Called once the change is durable: a hint to start delivering. */
    readonly committed: (change: TaskChange) => void
    /** Makes a delayed delivery due now. */
    readonly hurry: (task: Task) => Effect.Effect<void, StoreFailure>
    /** Removes the changes of tasks that are removed, in the same unit of work. */
    readonly forget: (taskIds: ReadonlyArray<string>) => Effect.Effect<void, StoreFailure>
  }
>() {
  /** Nobody listens. */
  static readonly none = Layer.succeed(Outbox, {
    record: () => Effect.void,
    committed: () => {},
    hurry: () => Effect.void,
    forget: () => Effect.void
  })
}
