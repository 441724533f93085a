import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Option, Random, Schema } from "effect"
import type { AccountId } from "../../contract/callers/Caller.ts"
import { Node } from "../../cluster/Node.ts"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"
import { readable } from "../../sql/readable.ts"
import { Metrics } from "../../telemetry/Metrics.ts"
import { deliveries } from "../Delivery.ts"
import type { Delivery, LeasedDelivery, Outcome } from "../Delivery.ts"
import { nextAttemptAt, schedule } from "../schedule.ts"
import { makeDeliveryHolding } from "./deliveryHolding.ts"
import { lastAnswer } from "../lastAnswer.ts"
import { deliveryStatements, hostDues } from "./deliveryStatements.ts"
import type { HostDue, NewDelivery, Standing } from "./deliveryStatements.ts"

/** The most attempts that a delivery records. Only repeated redelivery reaches it. */
const remembered = 50

const readableOf = (all: ReadonlyArray<unknown>) => readable(deliveries, "delivery", all)

/** The tables of callbacks. At most one delivery of a task is `pending`; later changes wait for it. */
export class DeliveryStore extends Effect.Service<DeliveryStore>()("gateway/callbacks/store/DeliveryStore", {
  dependencies: [Node.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const metrics = yield* Metrics
    const holding = yield* makeDeliveryHolding
    let claims = 0
    const statements = deliveryStatements(sql, holding)

    /**
     * Runs inside the transaction that changes the task. It locks the task's deliveries: otherwise, on Postgres, a
     * sender that ends the previous one at the same moment would not see this one, and it would never be sent.
     */
    const insert = Effect.fnUntraced(function* (delivery: NewDelivery): Effect.fn.Return<void, SqlError> {
      const earlier = yield* statements.earlierOf(delivery)
      const dropped = earlier.filter((row) => row.is_dropped)
      if (dropped.length > 0) {
        yield* sql`UPDATE deliveries SET state = 'superseded', next_at = NULL WHERE ${sql.in(
          "id",
          dropped.map((row) => row.id)
        )}`
      }
      const answer = lastAnswer(earlier.map(({ attempts }) => attempts))
      if (answer.isGone) return void (yield* statements.add(delivery, "failed"))
      const isFirst = earlier.every((row) => row.is_dropped || !row.is_open)
      const notBeforeMs = Math.max(delivery.notBeforeMs ?? delivery.changedAtMs, answer.quietUntilMs)
      yield* statements.add({ ...delivery, notBeforeMs }, isFirst ? "pending" : "waiting")
    })

    /** Makes a task's next delivery due now. If a power cut undoes this, it is sent at its original time. */
    const hurry = (taskId: string): Effect.Effect<void, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => commits.commit(statements.hurry(taskId, nowMs), "soon"))

    /**
     * Claims up to `limit` due deliveries of one receiver. A due one with a lease was left by a sender that died: its
     * receiver may get it twice, under the same id. One that cannot be decoded is set aside for good. Not durable: a
     * power cut that undoes the claim also ends the process that claimed.
     */
    const claim = Effect.fnUntraced(function* (
      host: string,
      limit: number
    ): Effect.fn.Return<ReadonlyArray<LeasedDelivery>, SqlError> {
      const nowMs = yield* Clock.currentTimeMillis
      const owner = holding.owner()
      const token = `${owner}:${claims++}`
      const rows = yield* commits.commit(
        statements.claim({ token, owner, untilMs: holding.until(nowMs), host, nowMs, limit }),
        "first"
      )
      const leased = (yield* readableOf(rows)).map((row) => ({ ...row, token, claimedAtMs: nowMs }))
      if (leased.length < rows.length) yield* setAside(token, leased, nowMs)
      return leased
    })

    /** Ends claimed deliveries that could not be decoded, so that the rest of their tasks continues. */
    const setAside = (token: string, leased: ReadonlyArray<LeasedDelivery>, nowMs: number) =>
      commits
        .commit(
          Effect.gen(function* () {
            const inHand = leased.map((one) => one.id)
            const ended = yield* sql`UPDATE deliveries
              SET state = 'failed', next_at = NULL, lease_token = NULL, lease_owner = NULL
              WHERE lease_token = ${token} ${inHand.length === 0 ? sql`` : sql`AND NOT ${sql.in("id", inHand)}`}
              RETURNING task_id, event`
            yield* Effect.forEach(owners.all(ended), (row) => statements.promote(row, nowMs), { discard: true })
            metrics.deliveries.of("unreadable").add(ended.length)
          })
        )
        .pipe(Effect.catchAllCause((cause) => Effect.logWarning("unreadable deliveries were not set aside", cause)))

    const standing = (leased: LeasedDelivery, outcome: Outcome, hasNewer: boolean, random: number): Standing => {
      const tries = leased.tries + 1 - leased.redelivery
      const delivered = outcome.status !== undefined && outcome.status >= 200 && outcome.status < 300
      if (delivered) return { state: "delivered", next_at: null, tries, delivered_at: outcome.endedAtMs }
      const { delivered_at } = leased
      const isGone = outcome.status === 410
      if (leased.terminal === 0 && hasNewer && delivered_at === null && !isGone) {
        return { state: "superseded", next_at: null, tries, delivered_at }
      }
      const next_at = isGone
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

    /** A concurrent insert of the next change waits for this and sees its result, or is visible here. */
    const alone = (leased: LeasedDelivery) =>
      sql.onDialectOrElse({
        pg: () => Effect.asVoid(sql`SELECT 1 FROM deliveries WHERE id = ${leased.id} FOR UPDATE`),
        orElse: () => Effect.void
      })

    /**
     * Stores the outcome of an attempt. Does nothing if another sender has the lease. It is durable before the next
     * change is sent, otherwise a power cut could reorder them. The last one need not be durable: after a power cut it
     * is sent again, under the same id.
     */
    const finish = (leased: LeasedDelivery, outcome: Outcome): Effect.Effect<void, SqlError> =>
      Effect.flatMap(Random.next, (random) => {
        const changes = finished(leased, outcome, random)
        return commits.commit(changes, leased.terminal === 1 ? "soon" : "durable")
      })

    const finished = Effect.fnUntraced(function* (leased: LeasedDelivery, outcome: Outcome, random: number) {
      yield* alone(leased)
      const stands = standing(leased, outcome, yield* statements.hasNewer(leased), random)
      const attempts = JSON.stringify([...leased.attempts, attemptOf(outcome)].slice(-remembered))
      if (!(yield* statements.end(leased, stands, attempts))) return
      metrics.deliveries.of(stands.state).add(1)
      if (outcome.status === 410) {
        metrics.deliveries.of("failed").add(yield* statements.abandon(leased))
      } else if (stands.state !== "pending") {
        yield* statements.promote(leased, outcome.endedAtMs + (outcome.retryAfterMs ?? 0))
      }
    })

    /** Releases an unsent delivery, due at once. */
    const release = (leased: LeasedDelivery): Effect.Effect<void, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        commits.commit(sql`UPDATE deliveries SET lease_token = NULL, lease_owner = NULL, next_at = ${nowMs}
          WHERE id = ${leased.id} AND lease_token = ${leased.token}`)
      )

    /** Every receiver with an open delivery. Skips from host to host in the index, however many wait for each. */
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

    /** Removes the deliveries of tasks that a trigger does not remove, because their store is not the database. */
    const remove = (taskIds: ReadonlyArray<string>): Effect.Effect<void, SqlError> =>
      taskIds.length === 0
        ? Effect.void
        : Effect.asVoid(sql`DELETE FROM deliveries WHERE ${sql.in("task_id", taskIds)}`)

    const list = (account: AccountId, taskId: string): Effect.Effect<ReadonlyArray<Delivery>, SqlError> =>
      Effect.flatMap(
        sql`SELECT * FROM deliveries WHERE task_id = ${taskId} AND account_id = ${account} ORDER BY sequence, event`,
        readableOf
      )

    /** Makes a delivery due now: one more attempt if it had ended, otherwise the next attempt early. */
    const redeliver = (
      account: AccountId,
      taskId: string,
      id: string
    ): Effect.Effect<Option.Option<Delivery>, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
        const row = sql`SELECT * FROM deliveries
          WHERE id = ${id} AND task_id = ${taskId} AND account_id = ${account}`.pipe(
          Effect.flatMap(readableOf),
          Effect.map((rows) => Option.fromNullable(rows[0]))
        )
        const due = sql`UPDATE deliveries SET redelivery = 1,
            tries = CASE WHEN next_at IS NULL THEN ${schedule.length} ELSE tries END,
            next_at = CASE WHEN lease_token IS NULL THEN ${nowMs} ELSE next_at END,
            state = 'pending'
          WHERE id = ${id} AND task_id = ${taskId} AND account_id = ${account} AND state <> 'waiting'`
        return commits.commit(
          Effect.flatMap(row, (before) => (Option.isNone(before) ? Effect.succeedNone : Effect.zipRight(due, row)))
        )
      })

    /** The number of open deliveries, up to a hundred thousand, and the time of their oldest change. */
    const pending: Effect.Effect<{ readonly count: number; readonly oldestMs: number | null }, SqlError> = Effect.map(
      sql`SELECT COUNT(*) AS n, MIN(changed_at) AS oldest
        FROM (SELECT changed_at FROM deliveries WHERE next_at IS NOT NULL LIMIT 100000) AS counted`,
      (result) => {
        const { n, oldest } = counted.first(result) ?? { n: 0, oldest: null }
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
      nextDue: statements.nextDue,
      list,
      remove,
      redeliver,
      pending
    } as const
  })
}) {}

const owners = rows("deliveries", { task_id: Schema.String, event: Schema.String })
const counted = rows("deliveries", { n: Schema.Int, oldest: Schema.NullOr(Schema.Int) })

const attemptOf = (outcome: Outcome) => ({
  at: Math.floor(outcome.startedAtMs / 1000),
  duration_ms: outcome.endedAtMs - outcome.startedAtMs,
  status: outcome.status,
  reason: outcome.reason,
  not_before:
    outcome.retryAfterMs === undefined ? undefined : Math.ceil((outcome.endedAtMs + outcome.retryAfterMs) / 1000)
})
