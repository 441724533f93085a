import { Deferred, Effect, FiberId } from "effect"
import { InvalidRequest } from "../contract/Failure.ts"
import type { StoreFailure } from "../tasks/StoreFailure.ts"
import { NamedSlots } from "../flow/NamedSlots.ts"

/** How long a create waits for what its upstream says to it. */
export const longestFirstReply = "10 seconds"

/** Somebody who waits for what the upstream says to a new task. */
export interface PendingReply {
  /** What is undone where the task is taken back, in the same transaction. */
  readonly undo: Effect.Effect<unknown, StoreFailure>
  /** The upstream said no, and the task is gone. */
  readonly refused: (message: string) => void
  /** The task stands. */
  readonly stands: () => void
}

/**
 * New tasks whose callers still wait for what the upstream says: one that is refused meanwhile is a 400, and its task
 * never was. Only callers of this process are known here; another's tasks stand, and fail.
 */
export class FirstReplies extends Effect.Service<FirstReplies>()("gateway/videos/FirstReplies", {
  sync: () => {
    const waiting = new NamedSlots<PendingReply>()
    return {
      /** Runs `store`, which makes the task, and waits for the word. Fails where that is a no. */
      await: <A, E>(
        id: string,
        undo: PendingReply["undo"],
        store: Effect.Effect<A, E>
      ): Effect.Effect<A, E | InvalidRequest> =>
        Effect.suspend(() => {
          const word = Deferred.unsafeMake<void, InvalidRequest>(FiberId.none)
          waiting.set(id, {
            undo,
            refused: (message) => Deferred.unsafeDone(word, new InvalidRequest({ param: null, message })),
            stands: () => Deferred.unsafeDone(word, Effect.void)
          })
          // Whoever has been taken off the list is being taken back: that word is waited for.
          const late = Effect.suspend(() => (waiting.delete(id) ? Effect.void : Deferred.await(word)))
          const heard = Effect.raceFirst(Deferred.await(word), Effect.delay(Effect.void, longestFirstReply))
          return Effect.zipLeft(store, Effect.zipRight(heard, late))
        }).pipe(Effect.ensuring(Effect.sync(() => void waiting.delete(id)))),
      /** Takes whoever waits for a task off the list, to be told; undefined where nobody does. */
      take: (id: string): PendingReply | undefined => {
        const one = waiting.get(id)
        waiting.delete(id)
        return one
      }
    }
  }
}) {}
