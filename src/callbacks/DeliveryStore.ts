import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Option, Random, Schema } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import { Commits } from "../sql/Commits.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import { Delivery, deliveryId } from "./Delivery.ts"
import type { Held, Outcome } from "./Delivery.ts"
import { nextAttemptAt, schedule } from "./schedule.ts"

/** Longer than an attempt can take: DNS 3 s, the request 15 s. */
const leaseMs = 30_000

/** Attempts that a delivery remembers; only a person who asks for redelivery over and over comes this far. */
const remembered = 50

export interface NewDelivery {
  readonly taskId: string
  readonly account: AccountId
  /** Counts the task's changes. */
  readonly sequence: number
  readonly status: string
  readonly terminal: boolean
  readonly url: string
  readonly body: string
  readonly changedAtMs: number
}

/** A receiver (host and port) with something to send, and when the first of it is due. */
export interface HostDue {
  readonly host: string
  readonly due: number
}

const decodeRows = Schema.decodeUnknown(Schema.Array(Delivery))
const rowsOf = (rows: ReadonlyArray<unknown>) => Effect.orDie(decodeRows(rows))

/** The statements behind callbacks. At most one delivery of a task is `pending`; later changes wait behind it. */
export class DeliveryStore extends Effect.Service<DeliveryStore>()("gateway/callbacks/DeliveryStore", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const metrics = yield* Metrics
    const owner = crypto.randomUUID()
    let claims = 0
    const onPg = (clause: string) =>
      sql.onDialectOrElse({ pg: () => sql.literal(clause), orElse: () => sql.literal("") })

    /**
     * Runs inside the transaction that changes the task. Locks what the task has open, or on Postgres a sender that ends
     * the one before at this moment would not see this one and nobody would ever send it.
     */
    const insert = (delivery: NewDelivery): Effect.Effect<void, SqlError> =>
      Effect.gen(function* () {
        const open = yield* sql<{ id: string; dropped: number }>`SELECT id,
            CASE WHEN state = 'pending' AND terminal = 0 AND tries > 0 AND redelivery = 0 AND lease_token IS NULL
              THEN 1 ELSE 0 END AS dropped
          FROM deliveries WHERE task_id = ${delivery.taskId} AND state IN ('pending', 'waiting') ${onPg("FOR UPDATE")}`
        const dropped = open.filter((row) => row.dropped === 1)
        if (dropped.length > 0) {
          yield* sql`UPDATE deliveries SET state = 'superseded', next_at = NULL WHERE ${sql.in(
            "id",
            dropped.map((row) => row.id)
          )}`
        }
        const first = dropped.length === open.length
        yield* sql`INSERT INTO deliveries ${sql.insert({
          id: deliveryId(delivery.taskId, delivery.status),
          task_id: delivery.taskId,
          account_id: delivery.account,
          sequence: delivery.sequence,
          status: delivery.status,
          terminal: delivery.terminal ? 1 : 0,
          url: delivery.url,
          host: hostOf(delivery.url),
          body: delivery.body,
          state: first ? "pending" : "waiting",
          changed_at: delivery.changedAtMs,
          next_at: first ? delivery.changedAtMs : null
        })}`
      })

    /**
     * Takes up to `limit` due deliveries of one receiver. A due one that still has a lease was left by a sender that
     * died: its receiver may see it twice, under the same id.
     */
    const claim = (host: string, limit: number): Effect.Effect<ReadonlyArray<Held>, SqlError> =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const token = `${owner}:${claims++}`
        const rows = yield* commits.statement(sql`UPDATE deliveries
          SET lease_token = ${token}, lease_owner = ${owner}, next_at = ${nowMs + leaseMs}
          WHERE id IN (SELECT id FROM deliveries WHERE host = ${host} AND next_at <= ${nowMs}
            ORDER BY next_at LIMIT ${limit} ${onPg("FOR UPDATE SKIP LOCKED")})
          RETURNING *`)
        return (yield* rowsOf(rows)).map((row) => ({ ...row, token }))
      })

    /** Sends the next waiting delivery of a task on its way, unless one is already. */
    const promote = (taskId: string, nowMs: number) => sql`UPDATE deliveries SET state = 'pending', next_at = ${nowMs}
      WHERE task_id = ${taskId} AND state = 'waiting'
      AND sequence = (SELECT MIN(sequence) FROM deliveries WHERE task_id = ${taskId} AND state = 'waiting')
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE task_id = ${taskId} AND state = 'pending')`

    const standing = (held: Held, outcome: Outcome, hasNewer: boolean, random: number) => {
      const tries = held.tries + 1 - held.redelivery
      const delivered = outcome.status !== undefined && outcome.status >= 200 && outcome.status < 300
      if (delivered) return { state: "delivered", next_at: null, tries, delivered_at: outcome.endedAtMs }
      const { delivered_at } = held
      if (held.terminal === 0 && hasNewer && delivered_at === null) {
        return { state: "superseded", next_at: null, tries, delivered_at }
      }
      const next_at =
        outcome.status === 410
          ? undefined
          : nextAttemptAt({
              changedAtMs: held.changed_at,
              nowMs: outcome.endedAtMs,
              tries,
              retryAfterMs: outcome.retryAfterMs,
              random
            })
      if (next_at !== undefined) return { state: "pending", next_at, tries, delivered_at }
      return { state: delivered_at === null ? "failed" : "delivered", next_at: null, tries, delivered_at }
    }

    /** Stores what came of an attempt. Changes nothing where the lease has gone to another sender. */
    const finish = (held: Held, outcome: Outcome): Effect.Effect<void, SqlError> =>
      Effect.flatMap(Random.next, (random) =>
        commits.write(
          Effect.gen(function* () {
            const newer = yield* sql`SELECT 1 FROM deliveries
              WHERE task_id = ${held.task_id} AND sequence > ${held.sequence} LIMIT 1`
            const stands = standing(held, outcome, newer.length > 0, random)
            const columns = {
              ...stands,
              redelivery: 0,
              lease_token: null,
              lease_owner: null,
              attempts: JSON.stringify([...held.attempts, attemptOf(outcome)].slice(-remembered))
            }
            const updated = yield* sql`UPDATE deliveries SET ${sql.update(columns)}
              WHERE id = ${held.id} AND lease_token = ${held.token} RETURNING id`
            if (updated.length === 0) return
            metrics.deliveries.of(stands.state).add(1)
            if (stands.state !== "pending") yield* promote(held.task_id, outcome.endedAtMs)
          })
        )
      )

    /** Gives a delivery back unsent, due at once. */
    const release = (held: Held): Effect.Effect<void, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        commits.statement(sql`UPDATE deliveries SET lease_token = NULL, lease_owner = NULL, next_at = ${nowMs}
          WHERE id = ${held.id} AND lease_token = ${held.token}`)
      )

    /**
     * Makes what other senders held due at once. Only where this process is known to be the only one, which on SQLite
     * the lock on the database file says; on Postgres a dead node's leases run out.
     */
    const takeOver: Effect.Effect<void, SqlError> = sql.onDialectOrElse({
      sqlite: () =>
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
          commits.statement(sql`UPDATE deliveries SET lease_token = NULL, lease_owner = NULL, next_at = ${nowMs}
            WHERE lease_token IS NOT NULL AND lease_owner <> ${owner}`)
        ),
      orElse: () => Effect.void
    })

    /** Every receiver with something to send. Hops from host to host in the index, however much waits for each. */
    const hosts: Effect.Effect<ReadonlyArray<HostDue>, SqlError> = sql<HostDue>`
      WITH RECURSIVE hosts (host) AS (
        SELECT MIN(host) FROM deliveries WHERE next_at IS NOT NULL
        UNION ALL
        SELECT (SELECT MIN(host) FROM deliveries WHERE next_at IS NOT NULL AND host > hosts.host)
        FROM hosts WHERE hosts.host IS NOT NULL
      )
      SELECT host, (SELECT MIN(next_at) FROM deliveries WHERE next_at IS NOT NULL AND host = hosts.host) AS due
      FROM hosts WHERE host IS NOT NULL`

    /** When the first delivery of a receiver is due. */
    const nextDue = (host: string): Effect.Effect<Option.Option<number>, SqlError> =>
      Effect.map(
        sql<{ due: number | null }>`SELECT MIN(next_at) AS due FROM deliveries
          WHERE next_at IS NOT NULL AND host = ${host}`,
        (rows) => Option.fromNullable(rows[0]?.due)
      )

    const list = (account: AccountId, taskId: string): Effect.Effect<ReadonlyArray<Delivery>, SqlError> =>
      Effect.flatMap(
        sql`SELECT * FROM deliveries WHERE task_id = ${taskId} AND account_id = ${account} ORDER BY sequence`,
        rowsOf
      )

    /** Due now, once more: one attempt for what had ended, the next one early for what was still being tried. */
    const redeliver = (
      account: AccountId,
      taskId: string,
      id: string
    ): Effect.Effect<Option.Option<Delivery>, SqlError> =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        yield* commits.statement(sql`UPDATE deliveries SET redelivery = 1,
            tries = CASE WHEN next_at IS NULL THEN ${schedule.length} ELSE tries END,
            next_at = CASE WHEN lease_token IS NULL THEN ${nowMs} ELSE next_at END,
            state = 'pending'
          WHERE id = ${id} AND task_id = ${taskId} AND account_id = ${account} AND state <> 'waiting'`)
        const rows = yield* sql`SELECT * FROM deliveries
          WHERE id = ${id} AND task_id = ${taskId} AND account_id = ${account}`
        return Option.fromNullable((yield* rowsOf(rows))[0])
      })

    /** Deliveries that are under way or will be tried (again), counted up to a hundred thousand. */
    const pending: Effect.Effect<number, SqlError> = Effect.map(
      sql<{ n: number }>`SELECT COUNT(*) AS n
        FROM (SELECT 1 FROM deliveries WHERE next_at IS NOT NULL LIMIT 100000) AS some`,
      (rows) => rows[0]?.n ?? 0
    )

    return { insert, claim, finish, release, takeOver, hosts, nextDue, list, redeliver, pending } as const
  })
}) {}

/** Whom a delivery is for, as far as parallelism goes. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? ""

const attemptOf = (outcome: Outcome) => ({
  at: Math.floor(outcome.startedAtMs / 1000),
  duration_ms: outcome.endedAtMs - outcome.startedAtMs,
  status: outcome.status,
  reason: outcome.reason
})
