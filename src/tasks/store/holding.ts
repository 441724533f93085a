import { SqlClient } from "@effect/sql"
import type { Fragment } from "@effect/sql/Statement"
import { Clock, Duration, Effect, Schema } from "effect"
import { makeLostClaims } from "../../cluster/lostClaims.ts"
import { Node } from "../../cluster/Node.ts"
import { isLiving, whileItLives } from "../../cluster/store/living.ts"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"
import { orStoreFailure } from "../StoreFailure.ts"
import type { StoreFailure } from "../StoreFailure.ts"
import { TaskChanges } from "../TaskChanges.ts"
import { LeaseTime } from "../TaskSettings.ts"

/** A task held by a worker of this process. */
export interface InHand {
  readonly task: { readonly id: string }
  readonly token: string
}

/** How long a worker holds a task, and what happens to it when the worker dies. */
export interface Holding {
  /** When a task that is claimed now is due again unless it is renewed or given back. */
  readonly until: (nowMs: number) => number
  /** The end of a claim's condition, with its values. */
  readonly mayClaim: Fragment
  readonly claimant: () => ReadonlyArray<string>
  /** Renews all held tasks; returns the ids of those that are still held. */
  readonly renew: (leased: ReadonlyArray<InHand>) => Effect.Effect<ReadonlySet<string>, StoreFailure>
  /** Makes tasks held by a previous process due; returns their number. */
  readonly takeOver: Effect.Effect<number, StoreFailure>
  /** How long ago the oldest lease expired whose task was not claimed since, in ms; 0 if there is none. */
  readonly oldestExpiredMs: Effect.Effect<number, StoreFailure>
}

/** With one process, as with SQLite: a lease until a time, renewed while the turn runs. */
const forTime = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  const node = yield* Node
  const leaseMs = Duration.toMillis(yield* LeaseTime)

  const holding: Holding = {
    until: (nowMs) => nowMs + leaseMs,
    mayClaim: sql``,
    claimant: () => [],
    renew: (leased) =>
      Effect.map(
        Effect.forEach(chunksOf(leased), (some) =>
          Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
            orStoreFailure(
              commits.commit(
                sql`UPDATE tasks SET next_run_at = ${nowMs + leaseMs}
              WHERE ${sql.in(
                "id",
                some.map(({ task }) => task.id)
              )} AND lease_owner = ${node.id()}
              AND ${sql.in("lease_token", [...new Set(some.map(({ token }) => token))])} RETURNING id`,
                "soon"
              )
            )
          )
        ),
        (renewed) => new Set(named.all(renewed.flat()).map(({ id }) => id))
      ),
    // The lock on the database guarantees that this process is the only one.
    takeOver: Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      Effect.map(
        orStoreFailure(
          commits.commit(sql`UPDATE tasks SET next_run_at = ${afterDeath(sql, nowMs)}
          WHERE ended_at IS NULL AND lease_token IS NOT NULL AND lease_owner <> ${node.id()}
          AND next_run_at > ${afterDeath(sql, nowMs)} RETURNING id`)
        ),
        (due) => due.length
      )
    ),
    oldestExpiredMs: Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      Effect.map(orStoreFailure(sql`SELECT MIN(next_run_at) AS at FROM tasks WHERE lease_token IS NOT NULL`), (found) =>
        Math.max(0, nowMs - (oldest.first(found)?.at ?? nowMs))
      )
    )
  }
  return holding
})

/**
 * With nodes: a worker holds a task for as long as its node lives. Tasks are not renewed; they become due when the node
 * is declared dead.
 */
const forLife = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  const node = yield* Node
  const { bells } = yield* TaskChanges
  const clock = yield* Effect.clock

  node.whenReaping((dead) =>
    Effect.suspend(
      () => sql`UPDATE tasks SET attempts = attempts + 1, lease_token = NULL, lease_owner = NULL,
          next_run_at = ${afterDeath(sql, clock.unsafeCurrentTimeMillis())}
        WHERE lease_token IS NOT NULL AND lease_owner = ${dead}`
    )
  )
  node.onReaped(() => {
    bells.due.ring()
    bells.deadlines.ring()
  })

  const findLost = makeLostClaims()
  const renew: Holding["renew"] = Effect.fnUntraced(function* (leased) {
    const ours = claimed.all(
      yield* orStoreFailure(
        sql`SELECT id, lease_token AS token FROM tasks WHERE lease_token IS NOT NULL AND lease_owner = ${node.id()}`
      )
    )
    const lost = findLost(
      ours,
      leased.map(({ task, token }) => ({ id: task.id, token }))
    )
    const now = clock.unsafeCurrentTimeMillis()
    const putBack = ({ id, token }: (typeof lost)[number]) =>
      orStoreFailure(
        commits.commit(sql`UPDATE tasks SET lease_token = NULL, lease_owner = NULL, next_run_at = ${now}
          WHERE id = ${id} AND lease_token = ${token}`)
      )
    yield* Effect.forEach(lost, putBack, { discard: true })
    if (lost.length > 0) bells.due.ring()
    const tokens = new Map(ours.map(({ id, token }) => [id, token]))
    return new Set(leased.flatMap(({ task: { id }, token }) => (tokens.get(id) === token ? [id] : [])))
  })

  const holding: Holding = {
    until: () => whileItLives,
    mayClaim: sql`AND ${isLiving(sql, "")}`,
    claimant: () => [node.id()],
    renew,
    takeOver: Effect.succeed(0),
    oldestExpiredMs: Effect.map(
      orStoreFailure(sql`SELECT MAX((EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint - good_until) AS at FROM nodes
        WHERE EXISTS (SELECT 1 FROM tasks WHERE lease_token IS NOT NULL AND lease_owner = nodes.id)`),
      (found) => Math.max(0, oldest.first(found)?.at ?? 0)
    )
  }
  return holding
})

export const makeHolding = Effect.flatMap(
  Node,
  ({ isShared }): Effect.Effect<Holding, never, Effect.Effect.Context<typeof forLife>> => (isShared ? forLife : forTime)
)

/** Short statements let requests run in between. */
const chunksOf = (all: ReadonlyArray<InHand>): ReadonlyArray<ReadonlyArray<InHand>> =>
  Array.from({ length: Math.ceil(all.length / 200) }, (_, index) => all.slice(index * 200, (index + 1) * 200))

/**
 * When a dead worker's task is due: after several deaths it waits a moment. If one task kills its worker, the others
 * get time to end without it.
 */
const afterDeath = (sql: SqlClient.SqlClient, nowMs: number) =>
  sql`CAST(${nowMs} AS BIGINT) + CASE WHEN attempts < 2 THEN 0 WHEN attempts = 2 THEN 500
    WHEN attempts = 3 THEN 1000 ELSE 1800 END`

const named = rows("tasks", { id: Schema.String })
const claimed = rows("tasks", { id: Schema.String, token: Schema.String })
const oldest = rows("tasks", { at: Schema.NullOr(Schema.Int) })
