import { Deferred, Effect, FiberId } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { StoreFailure } from "../tasks/StoreFailure.ts"
import { NamedSlots } from "../flow/NamedSlots.ts"

/** How long a create waits for its upstream's first reply. */
export const longestFirstReply = "10 seconds"

/** A create that waits for its upstream's first reply. */
export interface PendingReply {
  /** Undone in the same transaction if the task is withdrawn. */
  readonly undo: Effect.Effect<unknown, StoreFailure>
  /** The upstream refused, and the task was withdrawn. */
  readonly refused: (message: string) => void
  /** The task stands. */
  readonly stands: () => void
}

/**
 * New tasks whose callers wait for the upstream's first reply. If it refuses meanwhile, the caller gets a 400 and the
 * task is withdrawn. Only this process's callers are known here; tasks of others stand, and fail.
 */
export class FirstReplies extends Effect.Service<FirstReplies>()("gateway/videos/FirstReplies", {
  sync: () => {
    const pending = new NamedSlots<PendingReply>()
    return {
      /** Runs `store`, which creates the task, and waits for the reply. Fails if it is a refusal. */
      await: <A, E>(
        id: string,
        undo: PendingReply["undo"],
        store: Effect.Effect<A, E>
      ): Effect.Effect<A, E | InvalidRequest> =>
        Effect.suspend(() => {
          const reply = Deferred.unsafeMake<void, InvalidRequest>(FiberId.none)
          pending.set(id, {
            undo,
            refused: (message) => Deferred.unsafeDone(reply, new InvalidRequest({ param: null, message })),
            stands: () => Deferred.unsafeDone(reply, Effect.void)
          })
          // A create already removed from the map is being withdrawn: wait for its result.
          const orWithdrawn = Effect.suspend(() => (pending.delete(id) ? Effect.void : Deferred.await(reply)))
          const firstReply = Effect.raceFirst(Deferred.await(reply), Effect.delay(Effect.void, longestFirstReply))
          return Effect.zipLeft(store, Effect.zipRight(firstReply, orWithdrawn))
        }).pipe(Effect.ensuring(Effect.sync(() => void pending.delete(id)))),
      /** Removes and returns the create that waits for a task; undefined if there is none. */
      take: (id: string): PendingReply | undefined => {
        const one = pending.get(id)
        pending.delete(id)
        return one
      }
    }
  }
}) {}
