import { Effect } from "effect"
import type { TaskError } from "../tasks/Task.ts"
import type { Lease, TaskTurn } from "../tasks/TaskKind.ts"
import { failedTurn } from "./turns.ts"

const idOfAnother: TaskError = {
  code: "InternalServiceError",
  message: "The upstream gave this video the id of another one. Create it again."
}

type SettleFailure = Effect.Effect.Error<ReturnType<Lease["settle"]>>

/** Settles the turn that records an upstream's id. If another task has the id, two accounts would be shown one video. */
export const settleIfNew = (lease: Lease, upstreamId: string, turn: TaskTurn) =>
  // No unanswered submits are looked for around the time 0.
  Effect.flatMap(lease.rivals([upstreamId], 0), ({ taken }): Effect.Effect<"settled" | TaskTurn, SettleFailure> =>
    taken.has(upstreamId)
      ? Effect.as(Effect.logError("the upstream gave a video the id of another one"), failedTurn(idOfAnother))
      : lease.settle(turn)
  )
