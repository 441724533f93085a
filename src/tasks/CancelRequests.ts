import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Layer, Option, Queue } from "effect"
import { AccountId } from "../contract/Caller.ts"
import { Changes } from "../sql/Changes.ts"
import { Cancellation } from "./Cancellation.ts"
import type { Cancelled } from "./Cancellation.ts"

/** How often somebody who waits looks for the answer, in ms. */
const lookEvery = 50

/**
 * Wishes to cancel a task by those who run the gateway, perhaps in another process. The server alone may end a task: it
 * knows the upstreams, and the money that the task holds is in its memory. So a wish is a row, and so is its answer.
 */
export class CancelRequests extends Effect.Service<CancelRequests>()("gateway/tasks/CancelRequests", {
  dependencies: [Changes.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const changes = yield* Changes

    /** Leaves the wish. To be run in a transaction. */
    const ask = (id: string): Effect.Effect<void, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        Effect.zipRight(
          changes.tell,
          sql`INSERT INTO task_cancellations (task_id, asked_at) VALUES (${id}, ${nowMs})
            ON CONFLICT (task_id) DO UPDATE SET asked_at = excluded.asked_at, outcome = NULL`
        )
      )

    const outcome = (id: string): Effect.Effect<Option.Option<Cancelled>, SqlError> =>
      Effect.map(
        sql<{ outcome: Cancelled | null }>`SELECT outcome FROM task_cancellations WHERE task_id = ${id}`,
        // A task that is gone took its wish with it.
        ([row]) => (row === undefined ? Option.some("none") : Option.fromNullable(row.outcome))
      )

    /** Waits for the server's answer; none where there is none in that time. */
    const answer = (id: string, patienceMs: number): Effect.Effect<Option.Option<Cancelled>, SqlError> =>
      Effect.flatMap(outcome(id), (found) =>
        Option.isSome(found) || patienceMs <= 0
          ? Effect.succeed(found)
          : Effect.zipRight(Effect.sleep(lookEvery), answer(id, patienceMs - lookEvery))
      )

    const open = sql<{ id: string; kind: string; account: string }>`SELECT t.id, t.kind, t.account_id AS account
      FROM task_cancellations c JOIN tasks t ON t.id = c.task_id WHERE c.outcome IS NULL ORDER BY c.asked_at LIMIT 100`

    const settle = (id: string, outcome: Cancelled) =>
      sql`UPDATE task_cancellations SET outcome = ${outcome} WHERE task_id = ${id}`

    return { ask, answer, open, settle } as const
  })
}) {}

/** The server's part: fulfils the wishes that are there at the start, and each new one within a second. */
export const CancelRequestsLive = Layer.scopedDiscard(
  Effect.gen(function* () {
    const requests = yield* CancelRequests
    const changes = yield* Changes
    const cancellation = yield* Cancellation
    const wanted = yield* Queue.sliding<void>(1)
    const pass = Effect.flatMap(requests.open, (open) =>
      Effect.forEach(
        open,
        ({ account, id, kind }) =>
          Effect.flatMap(cancellation.cancel(AccountId.make(account), kind, id), (outcome) =>
            requests.settle(id, outcome)
          ),
        { concurrency: 10, discard: true }
      )
    )
    yield* wanted.offer(undefined)
    yield* changes.listen(wanted.offer(undefined))
    yield* wanted.take.pipe(
      Effect.zipRight(pass),
      Effect.catchAllCause((cause) => Effect.logWarning("wishes to cancel wait for the next change", cause)),
      Effect.forever,
      Effect.annotateLogs({ fiber: "cancelRequests" }),
      Effect.forkScoped
    )
  })
).pipe(Layer.provide([CancelRequests.Default, Changes.Default, Cancellation.Default]))
