import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Option, Schema } from "effect"
import { rows } from "../../../sql/decode.ts"
import { encodeOrder, Order, OrdersUnavailable } from "../Order.ts"
import type { Orders } from "../Order.ts"

/** Orders of all nodes in the database, so that any node can continue a task. */
export const sharedOrders = (sql: SqlClient.SqlClient): Orders => {
  const orUnavailable = <A>(query: Effect.Effect<A, SqlError>) =>
    Effect.mapError(query, ({ message }) => new OrdersUnavailable({ message }))
  return {
    write: ({ endsAtMs, id, order, taskId }) => {
      const [content, ends] = [encodeOrder(order), Math.ceil(endsAtMs)]
      return orUnavailable(
        Effect.asVoid(sql`INSERT INTO sandbox_orders (id, task_id, content, ends_at)
          VALUES (${id}, ${taskId}, ${content}, ${ends})
          ON CONFLICT (id) DO UPDATE SET content = EXCLUDED.content, ends_at = EXCLUDED.ends_at`)
      )
    },
    read: (id) =>
      orUnavailable(
        Effect.map(sql`SELECT content FROM sandbox_orders WHERE id = ${id}`, (result) =>
          Option.fromNullable(orders.first(result)?.content)
        )
      ),
    idOf: (taskId) =>
      orUnavailable(
        Effect.map(sql`SELECT id FROM sandbox_orders WHERE task_id = ${taskId}`, (result) =>
          Option.fromNullable(named.first(result)?.id)
        )
      ),
    over: (nowMs) =>
      orUnavailable(
        Effect.map(sql`SELECT id FROM sandbox_orders WHERE ends_at <= ${nowMs} LIMIT 1000`, (result) =>
          named.all(result).map(({ id }) => id)
        )
      ),
    remove: (id) => orUnavailable(Effect.asVoid(sql`DELETE FROM sandbox_orders WHERE id = ${id}`))
  }
}

const orders = rows("sandbox_orders", { content: Schema.parseJson(Order) })
const named = rows("sandbox_orders", { id: Schema.String })
