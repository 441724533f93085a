import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Option, Schema } from "effect"
import { rows } from "../../../sql/decode.ts"
import { encodeOrder, Order, OrdersUnavailable } from "../Order.ts"
import type { Orders } from "../Order.ts"

/** Orders of all nodes, in the database: whichever node goes on with a task knows what was ordered. */
export const sharedOrders = (sql: SqlClient.SqlClient): Orders => {
  const told = <A>(asked: Effect.Effect<A, SqlError>) =>
    Effect.mapError(asked, ({ message }) => new OrdersUnavailable({ message }))
  return {
    write: ({ endsAtMs, id, order, taskId }) => {
      const [content, ends] = [encodeOrder(order), Math.ceil(endsAtMs)]
      return told(
        Effect.asVoid(sql`INSERT INTO sandbox_orders (id, task_id, content, ends_at)
          VALUES (${id}, ${taskId}, ${content}, ${ends})
          ON CONFLICT (id) DO UPDATE SET content = EXCLUDED.content, ends_at = EXCLUDED.ends_at`)
      )
    },
    read: (id) =>
      told(
        Effect.map(sql`SELECT content FROM sandbox_orders WHERE id = ${id}`, (found) =>
          Option.fromNullable(orders.first(found)?.content)
        )
      ),
    idOf: (taskId) =>
      told(
        Effect.map(sql`SELECT id FROM sandbox_orders WHERE task_id = ${taskId}`, (found) =>
          Option.fromNullable(named.first(found)?.id)
        )
      ),
    over: (nowMs) =>
      told(
        Effect.map(sql`SELECT id FROM sandbox_orders WHERE ends_at <= ${nowMs} LIMIT 1000`, (found) =>
          named.all(found).map(({ id }) => id)
        )
      ),
    remove: (id) => told(Effect.asVoid(sql`DELETE FROM sandbox_orders WHERE id = ${id}`))
  }
}

const orders = rows("sandbox_orders", { content: Schema.parseJson(Order) })
const named = rows("sandbox_orders", { id: Schema.String })
