import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { firstRows } from "../../sql/slices.ts"
import { schedule } from "../schedule.ts"
import { DeliveryAttempt, DeliveryState } from "../DeliveryRecord.ts"
import type { DeliveryFilter } from "../DeliveryRecord.ts"

export interface DeliveryPage {
  readonly account?: string | undefined
  readonly task?: string | undefined
  readonly state?: DeliveryFilter | undefined
  readonly sinceMs: number
  /** The last delivery of the previous page. */
  readonly after?: { readonly changedAtMs: number; readonly id: string } | undefined
  readonly limit: number
}

/** Deliveries of every account without their bodies, for operators. */
export class DeliveryList extends Effect.Service<DeliveryList>()("gateway/callbacks/store/DeliveryList", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // While one is being sent, `next_at` is the end of its lease.
    const next = "CASE WHEN lease_token IS NULL THEN next_at END AS next_at"
    const columns = sql.literal(
      Object.keys(listed)
        .map((name) => (name === "next_at" ? next : name))
        .join(", ")
    )
    const stuck = sql.literal(`(${isRetried} OR ${isLost})`)

    const find = (id: string): Effect.Effect<ListedDelivery | undefined, SqlError> =>
      Effect.map(sql`SELECT ${columns} FROM deliveries WHERE id = ${id}`, deliveries.first)

    /** Newest change first. */
    const list = (page: DeliveryPage): Effect.Effect<ReadonlyArray<ListedDelivery>, SqlError> =>
      firstRows(sql)(
        {
          table: "deliveries",
          key: { changed_at: Schema.Int, id: Schema.String },
          isDescending: true,
          whose: page.account === undefined ? undefined : sql`account_id = ${page.account}`,
          begins: page.after && sql`(changed_at, id) < (${page.after.changedAtMs}, ${page.after.id})`,
          ends: sql`changed_at >= ${page.sinceMs}`
        },
        page.limit,
        (within, left) =>
          Effect.map(
            sql`SELECT ${columns} FROM deliveries WHERE ${sql.and([
              within,
              ...(page.task === undefined ? [] : [sql`task_id = ${page.task}`]),
              ...(page.state === undefined ? [] : [page.state === "stuck" ? stuck : sql`state = ${page.state}`])
            ])} ORDER BY changed_at DESC, id DESC LIMIT ${left}`,
            deliveries.all
          )
      )

    /**
     * Receivers with deliveries that failed for good, of changes since a time, or whose tries failed this often; those with
     * the most come first, 20 at most.
     */
    const stuckReceivers = (sinceMs: number, tries: number): Effect.Effect<ReadonlyArray<StuckReceiver>, SqlError> =>
      Effect.map(
        sql`SELECT host, CAST(SUM(lost) AS BIGINT) AS lost, CAST(SUM(1 - lost) AS BIGINT) AS retried,
            MIN(changed_at) AS since, MIN(next_at) AS next_at
          FROM (SELECT host, 0 AS lost, changed_at, next_at FROM deliveries
              WHERE next_at IS NOT NULL AND ${sql.literal(isRetried)} AND tries >= ${tries}
            UNION ALL
            SELECT host, 1 AS lost, changed_at, NULL AS next_at FROM deliveries
              WHERE changed_at >= ${sinceMs} AND ${sql.literal(isLost)}) AS stuck
          GROUP BY host ORDER BY COUNT(*) DESC, host LIMIT 20`,
        receivers.all
      )

    /** Makes a delivery due now: one more attempt if it had ended, otherwise the next attempt early. */
    const redeliver = (id: string): Effect.Effect<unknown, SqlError> =>
      Effect.flatMap(
        Clock.currentTimeMillis,
        (nowMs) => sql`UPDATE deliveries SET redelivery = 1,
            tries = CASE WHEN next_at IS NULL THEN ${schedule.length} ELSE tries END,
            next_at = CASE WHEN lease_token IS NULL THEN ${nowMs} ELSE next_at END,
            state = 'pending'
          WHERE id = ${id} AND state <> 'waiting'`
      )

    return { find, list, stuckReceivers, redeliver } as const
  })
}) {}

/** A delivery that arrived once and is sent again is not stuck. */
const isRetried = "(state = 'pending' AND tries > 0 AND delivered_at IS NULL)"
/** Failed for good, and no later change arrived. */
const isLost = `(state = 'failed' AND NOT EXISTS (SELECT 1 FROM deliveries AS later
  WHERE later.task_id = deliveries.task_id AND later.event = deliveries.event
  AND later.sequence > deliveries.sequence AND later.state = 'delivered'))`

const listed = {
  id: Schema.String,
  task_id: Schema.String,
  account_id: Schema.String,
  status: Schema.String,
  event: Schema.String,
  url: Schema.String,
  state: DeliveryState,
  changed_at: Schema.Int,
  next_at: Schema.NullOr(Schema.Int),
  attempts: Schema.parseJson(Schema.Array(DeliveryAttempt)),
  delivered_at: Schema.NullOr(Schema.Int)
} as const

const deliveries = rows("deliveries", listed)
export type ListedDelivery = ReturnType<typeof deliveries.one>

const receivers = rows("deliveries", {
  host: Schema.String,
  lost: Schema.Int,
  retried: Schema.Int,
  since: Schema.Int,
  next_at: Schema.NullOr(Schema.Int)
})
/** A receiver's stuck deliveries: how many failed for good and how many wait for another try, since when, and the next try. */
export type StuckReceiver = ReturnType<typeof receivers.one>
