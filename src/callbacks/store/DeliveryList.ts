import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { schedule } from "../schedule.ts"
import { DeliveryAttempt, DeliveryState } from "../DeliveryRecord.ts"

export interface DeliveryPage {
  readonly account?: string | undefined
  readonly task?: string | undefined
  readonly state?: DeliveryState | undefined
  readonly sinceMs: number
  /** The last delivery of the previous page. */
  readonly after?: { readonly changedAtMs: number; readonly id: string } | undefined
  readonly limit: number
}

/** Deliveries of every account without their bodies, for operators. */
export class DeliveryList extends Effect.Service<DeliveryList>()("gateway/callbacks/store/DeliveryList", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(Object.keys(listed).join(", "))

    const find = (id: string): Effect.Effect<ListedDelivery | undefined, SqlError> =>
      Effect.map(sql`SELECT ${columns} FROM deliveries WHERE id = ${id}`, deliveries.first)

    /** Newest change first. */
    const list = (page: DeliveryPage): Effect.Effect<ReadonlyArray<ListedDelivery>, SqlError> =>
      Effect.map(
        sql`SELECT ${columns} FROM deliveries WHERE ${sql.and([
          sql`changed_at >= ${page.sinceMs}`,
          ...(page.account === undefined ? [] : [sql`account_id = ${page.account}`]),
          ...(page.task === undefined ? [] : [sql`task_id = ${page.task}`]),
          ...(page.state === undefined ? [] : [sql`state = ${page.state}`]),
          ...(page.after === undefined ? [] : [sql`(changed_at, id) < (${page.after.changedAtMs}, ${page.after.id})`])
        ])} ORDER BY changed_at DESC, id DESC LIMIT ${page.limit}`,
        deliveries.all
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

    return { find, list, redeliver } as const
  })
}) {}

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
