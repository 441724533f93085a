import { SqlError } from "@effect/sql/SqlError"
import { Context, Effect } from "effect"
import { Commits } from "../sql/Commits.ts"
import { StoreFailure, orStoreFailure } from "./StoreFailure.ts"

/** Actions that undo a failed unit of work, last first. */
class Undo extends Context.Reference<Undo>()("gateway/tasks/Undo", {
  defaultValue: (): Array<() => void> | undefined => undefined
}) {}

/**
 * Commits a task with its hold, answer and callbacks. A commit is a transaction of the database, so SQL inside of it is
 * all or nothing; a store outside of the database registers how to undo its part.
 */
export class UnitOfWork extends Effect.Service<UnitOfWork>()("gateway/tasks/UnitOfWork", {
  effect: Effect.map(Commits, (commits) => {
    function commit<A>(effect: Failing<A, never>): Effect.Effect<A, StoreFailure>
    function commit<A, E>(effect: Failing<A, E>): Effect.Effect<A, E | StoreFailure>
    function commit<A, E>(effect: Failing<A, E>): Effect.Effect<A, E | StoreFailure> {
      return Effect.suspend(() => {
        const undo: Array<() => void> = []
        const takeBack = Effect.sync(() => {
          while (undo.length > 0) undo.pop()?.()
        })
        const inside = databaseFailures(effect).pipe(
          Effect.provideService(Undo, undo),
          // Before the next unit of the same commit begins.
          Effect.onError(() => takeBack)
        )
        const written: Effect.Effect<A, E | StoreFailure> = orStoreFailure(commits.commit(inside))
        // The commit may fail too. An interrupted caller does not stop it.
        return Effect.tapErrorCause(written, () => takeBack)
      })
    }

    /** Inside a commit: runs plain code if the commit fails. */
    const onUndo = (run: () => void): Effect.Effect<void> => Effect.map(Undo, (undo) => void undo?.push(run))

    return { commit, onUndo, afterCommit: commits.afterCommit } as const
  })
}) {}

type Failing<A, E> = Effect.Effect<A, E | SqlError | StoreFailure>

/** The database error decides whether its transaction is retried. */
const databaseFailures = <A, E>(effect: Failing<A, E>): Failing<A, E> =>
  Effect.mapError(effect, (error) =>
    error instanceof StoreFailure && error.cause instanceof SqlError ? error.cause : error
  )
