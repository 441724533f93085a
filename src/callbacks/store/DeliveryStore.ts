import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Option, Random, Schema } from "effect"
import { AccountId } from "../../contract/Caller.ts"
import { Node } from "../../nodes/Node.ts"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"
import { readable } from "../../sql/readable.ts"
import { Metrics } from "../../telemetry/Metrics.ts"
import { deliveries, deliveryId } from "../Delivery.ts"
import type { Delivery, LeasedDelivery, Outcome } from "../Delivery.ts"
import { nextAttemptAt, schedule } from "../schedule.ts"
import { makeDeliveryHolding } from "./deliveryHolding.ts"

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
  /** As its task has it. */
  readonly trace?: string | null
  readonly changedAtMs: number
  /** When it may be sent at the earliest, in Unix ms; at once where absent. */
  readonly notBeforeMs?: number | undefined
}

/** A receiver (host and port) with something to send: when the first of it is due, and whose that is. */
export interface HostDue {
  readonly host: string
  readonly account_id: AccountId
  readonly due: number
}

const readableOf = (all: ReadonlyArray<object>) => readable(deliveries, "delivery", all)

/** The statements behind callbacks. At most one delivery of a task is `pending`; later changes wait behind it. */
export class DeliveryStore extends Effect.Service<DeliveryStore>()("gateway/callbacks/store/DeliveryStore", {
  dependencies: [Node.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const metrics = yield* Metrics
    const holding = yield* makeDeliveryHolding
    let claims = 0
    const onPg = (clause: string) =>
      sql.onDialectOrElse({ pg: () => sql.literal(clause), orElse: () => sql.literal("") })

    /**
     * Runs inside the transaction that changes the task. Locks what the task has open, or on Postgres a sender that ends
     * the one before at this moment would not see this one and nobody would ever send it.
     */
    const insert = Effect.fnUntraced(function* (delivery: NewDelivery): Effect.fn.Return<void, SqlError> {
      const stored = yield* sql`SELECT id,
            CASE WHEN state = 'pending' AND terminal = 0 AND tries > 0 AND redelivery = 0 AND lease_token IS NULL
              THEN 1 ELSE 0 END AS dropped
          FROM deliveries WHERE task_id = ${delivery.taskId} AND state IN ('pending', 'waiting')
          ORDER BY sequence ${onPg("FOR UPDATE")}`
      const open = openDeliveries.all(stored)
      const dropped = open.filter((row) => row.dropped)
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
        trace: delivery.trace ?? null,
        state: first ? "pending" : "waiting",
        changed_at: delivery.changedAtMs,
        next_at: first ? (delivery.notBeforeMs ?? delivery.changedAtMs) : null
      })}`
    })

    /** What of a task was to be sent later is due now. */
    const hurry = (taskId: string): Effect.Effect<void, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        commits.statement(sql`UPDATE deliveries SET next_at = ${nowMs}
          WHERE task_id = ${taskId} AND tries = 0 AND lease_token IS NULL AND next_at > ${nowMs}`)
      )

    /**
     * Takes up to `limit` due deliveries of one receiver. A due one that still has a lease was left by a sender that
     * died: its receiver may see it twice, under the same id. One that can't be read is set aside for good.
     */
    const claim = Effect.fnUntraced(function* (
      host: string,
      limit: number
    ): Effect.fn.Return<ReadonlyArray<LeasedDelivery>, SqlError> {
      const nowMs = yield* Clock.currentTimeMillis
      const owner = holding.owner()
      const token = `${owner}:${claims++}`
      const due = sql`SELECT id FROM deliveries WHERE host = ${host} AND next_at <= ${nowMs}
          ORDER BY next_at LIMIT ${limit}`
      const rows = yield* commits.statement(sql`UPDATE deliveries
          SET lease_token = ${token}, lease_owner = ${owner}, next_at = ${holding.until(nowMs)}
          WHERE ${sql.onDialectOrElse({
            pg: () => sql`id = ANY (ARRAY(${due} FOR UPDATE SKIP LOCKED))`,
            orElse: () => sql`id IN (${due})`
          })} ${holding.mayClaim(owner)} RETURNING *`)
      const leased = (yield* readableOf(rows)).map((row) => ({ ...row, token }))
      if (leased.length < rows.length) yield* setAside(token, leased, nowMs)
      return leased
    })

    /** Ends what was claimed and is not in hand, whatever its row holds; the rest of its task goes on. */
    const setAside = (token: string, leased: ReadonlyArray<LeasedDelivery>, nowMs: number) =>
      commits
        .write(
          Effect.gen(function* () {
            const inHand = leased.map((one) => one.id)
            const ended = yield* sql`UPDATE deliveries
              SET state = 'failed', next_at = NULL, lease_token = NULL, lease_owner = NULL
              WHERE lease_token = ${token} ${inHand.length === 0 ? sql`` : sql`AND NOT ${sql.in("id", inHand)}`}
              RETURNING task_id`
            yield* Effect.forEach(owners.all(ended), (row) => promote(row.task_id, nowMs), { discard: true })
            metrics.deliveries.of("unreadable").add(ended.length)
          })
        )
        .pipe(Effect.catchAllCause((cause) => Effect.logWarning("unreadable deliveries were not set aside", cause)))

    /** Sends the next waiting delivery of a task on its way, unless one is already. */
    const promote = (taskId: string, nowMs: number) => sql`UPDATE deliveries SET state = 'pending', next_at = ${nowMs}
      WHERE task_id = ${taskId} AND state = 'waiting'
      AND sequence = (SELECT MIN(sequence) FROM deliveries WHERE task_id = ${taskId} AND state = 'waiting')
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE task_id = ${taskId} AND state = 'pending')`

    const standing = (leased: LeasedDelivery, outcome: Outcome, hasNewer: boolean, random: number) => {
      const tries = leased.tries + 1 - leased.redelivery
      const delivered = outcome.status !== undefined && outcome.status >= 200 && outcome.status < 300
      if (delivered) return { state: "delivered", next_at: null, tries, delivered_at: outcome.endedAtMs }
      const { delivered_at } = leased
      if (leased.terminal === 0 && hasNewer && delivered_at === null) {
        return { state: "superseded", next_at: null, tries, delivered_at }
      }
      const next_at =
        outcome.status === 410
          ? undefined
          : nextAttemptAt({
              changedAtMs: leased.changed_at,
              nowMs: outcome.endedAtMs,
              tries,
              retryAfterMs: outcome.retryAfterMs,
              random
            })
      if (next_at !== undefined) return { state: "pending", next_at, tries, delivered_at }
      return { state: delivered_at === null ? "failed" : "delivered", next_at: null, tries, delivered_at }
    }

    /** Who inserts the next change at this moment waits, and sees what becomes of this one; or it is there to be seen. */
    const alone = (leased: LeasedDelivery) =>
      sql.onDialectOrElse({
        pg: () => Effect.asVoid(sql`SELECT 1 FROM deliveries WHERE id = ${leased.id} FOR UPDATE`),
        orElse: () => Effect.void
      })

    /** Stores what came of an attempt. Changes nothing where the lease has gone to another sender. */
    const finish = (leased: LeasedDelivery, outcome: Outcome): Effect.Effect<void, SqlError> =>
      Effect.flatMap(Random.next, (random) => commits.write(finished(leased, outcome, random)))

    const finished = Effect.fnUntraced(function* (leased: LeasedDelivery, outcome: Outcome, random: number) {
      yield* alone(leased)
      const newer = yield* sql`SELECT 1 FROM deliveries
              WHERE task_id = ${leased.task_id} AND sequence > ${leased.sequence} LIMIT 1`
      const stands = standing(leased, outcome, newer.length > 0, random)
      const columns = {
        ...stands,
        redelivery: 0,
        lease_token: null,
        lease_owner: null,
        attempts: JSON.stringify([...leased.attempts, attemptOf(outcome)].slice(-remembered))
      }
      const updated = yield* sql`UPDATE deliveries SET ${sql.update(columns)}
              WHERE id = ${leased.id} AND lease_token = ${leased.token} RETURNING id`
      if (updated.length === 0) return
      metrics.deliveries.of(stands.state).add(1)
      if (stands.state !== "pending") yield* promote(leased.task_id, outcome.endedAtMs)
    })

    /** Gives a delivery back unsent, due at once. */
    const release = (leased: LeasedDelivery): Effect.Effect<void, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        commits.statement(sql`UPDATE deliveries SET lease_token = NULL, lease_owner = NULL, next_at = ${nowMs}
          WHERE id = ${leased.id} AND lease_token = ${leased.token}`)
      )

    /** Every receiver with something to send. Hops from host to host in the index, however much waits for each. */
    const hosts: Effect.Effect<ReadonlyArray<HostDue>, SqlError> = Effect.map(
      sql`WITH RECURSIVE hosts (host) AS (
        SELECT MIN(host) FROM deliveries WHERE next_at IS NOT NULL
        UNION ALL
        SELECT (SELECT MIN(host) FROM deliveries WHERE next_at IS NOT NULL AND host > hosts.host)
        FROM hosts WHERE hosts.host IS NOT NULL
      )
      SELECT host, account_id, next_at AS due FROM deliveries WHERE id IN (
        SELECT (SELECT id FROM deliveries WHERE next_at IS NOT NULL AND host = hosts.host ORDER BY next_at LIMIT 1)
        FROM hosts WHERE host IS NOT NULL) ORDER BY host`,
      hostDues.all
    )

    /** The first delivery of a receiver. */
    const nextDue = (host: string): Effect.Effect<Option.Option<HostDue>, SqlError> =>
      Effect.map(
        sql`SELECT host, account_id, next_at AS due FROM deliveries
          WHERE next_at IS NOT NULL AND host = ${host} ORDER BY next_at LIMIT 1`,
        (found) => Option.fromNullable(hostDues.first(found))
      )

    const list = (account: AccountId, taskId: string): Effect.Effect<ReadonlyArray<Delivery>, SqlError> =>
      Effect.flatMap(
        sql`SELECT * FROM deliveries WHERE task_id = ${taskId} AND account_id = ${account} ORDER BY sequence`,
        readableOf
      )

    /** Due now, once more: one attempt for what had ended, the next one early for what was still being tried. */
    const redeliver = (
      account: AccountId,
      taskId: string,
      id: string
    ): Effect.Effect<Option.Option<Delivery>, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
        const found = sql`SELECT * FROM deliveries
          WHERE id = ${id} AND task_id = ${taskId} AND account_id = ${account}`.pipe(
          Effect.flatMap(readableOf),
          Effect.map((rows) => Option.fromNullable(rows[0]))
        )
        const due = sql`UPDATE deliveries SET redelivery = 1,
            tries = CASE WHEN next_at IS NULL THEN ${schedule.length} ELSE tries END,
            next_at = CASE WHEN lease_token IS NULL THEN ${nowMs} ELSE next_at END,
            state = 'pending'
          WHERE id = ${id} AND task_id = ${taskId} AND account_id = ${account} AND state <> 'waiting'`
        return commits.write(
          Effect.flatMap(found, (before) => (Option.isNone(before) ? Effect.succeedNone : Effect.zipRight(due, found)))
        )
      })

    /** Deliveries that are under way or will be tried (again), up to a hundred thousand; and of when the oldest change is. */
    const pending: Effect.Effect<{ readonly count: number; readonly oldestMs: number | null }, SqlError> = Effect.map(
      sql`SELECT COUNT(*) AS n, MIN(changed_at) AS oldest
        FROM (SELECT changed_at FROM deliveries WHERE next_at IS NOT NULL LIMIT 100000) AS counted`,
      (found) => {
        const { n, oldest } = counted.first(found) ?? { n: 0, oldest: null }
        return { count: n, oldestMs: oldest }
      }
    )

    const { putBack, takeOver } = holding
    return {
      insert,
      hurry,
      claim,
      finish,
      release,
      takeOver,
      putBack,
      hosts,
      nextDue,
      list,
      redeliver,
      pending
    } as const
  })
}) {}

const openDeliveries = rows("deliveries", { id: Schema.String, dropped: Schema.Boolean })
const owners = rows("deliveries", { task_id: Schema.String })
const hostDues = rows("deliveries", { host: Schema.String, account_id: AccountId, due: Schema.Int })
const counted = rows("deliveries", { n: Schema.Int, oldest: Schema.NullOr(Schema.Int) })

/** Whom a delivery is for, as far as parallelism goes. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? ""

const attemptOf = (outcome: Outcome) => ({
  at: Math.floor(outcome.startedAtMs / 1000),
  duration_ms: outcome.endedAtMs - outcome.startedAtMs,
  status: outcome.status,
  reason: outcome.reason
})
