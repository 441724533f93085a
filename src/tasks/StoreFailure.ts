import { SqlError } from "@effect/sql/SqlError"
import { Data, Effect } from "effect"

/** A store could not read or write. The write may have succeeded all the same. */
export class StoreFailure extends Data.TaggedError("StoreFailure")<{
  readonly message: string
  readonly cause: unknown
}> {}

type Failing<A, E, R> = Effect.Effect<A, E | SqlError | StoreFailure, R>

/** Maps database errors to `StoreFailure`. */
export function orStoreFailure<A, R>(effect: Failing<A, never, R>): Effect.Effect<A, StoreFailure, R>
export function orStoreFailure<A, E, R>(effect: Failing<A, E, R>): Effect.Effect<A, E | StoreFailure, R>
export function orStoreFailure<A, E, R>(effect: Failing<A, E, R>): Effect.Effect<A, E | StoreFailure, R> {
  return Effect.mapError(effect, (error) =>
    error instanceof SqlError ? new StoreFailure({ message: error.message, cause: error }) : error
  )
}
