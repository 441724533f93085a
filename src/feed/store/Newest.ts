import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"

/** Recent changes of several tables, for the feed. */
export class Newest extends Effect.Service<Newest>()("gateway/feed/store/Newest", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const lastAudit: Effect.Effect<number, SqlError> = Effect.map(
      sql`SELECT COALESCE(MAX(id), 0) AS id FROM audit`,
      (found) => ids.one(found[0]).id
    )

    /** Operators' changes since an audit id, oldest first. */
    const audited = (after: number): Effect.Effect<ReadonlyArray<Audited>, SqlError> =>
      Effect.map(sql`SELECT id, action, target FROM audit WHERE id > ${after} ORDER BY id LIMIT 500`, audit.all)

    /** Unfinished deliveries. */
    const pending: Effect.Effect<ReadonlyArray<PendingDelivery>, SqlError> = Effect.map(
      sql`SELECT id, account_id, tries, lease_token IS NOT NULL AS sending FROM deliveries
        WHERE next_at IS NOT NULL LIMIT 500`,
      deliveries.all
    )

    return { lastAudit, audited, pending } as const
  })
}) {}

const ids = rows("audit", { id: Schema.Int })
const audit = rows("audit", { id: Schema.Int, action: Schema.String, target: Schema.String })
const deliveries = rows("deliveries", {
  id: Schema.String,
  account_id: Schema.String,
  tries: Schema.Int,
  sending: Schema.Boolean
})

type Audited = ReturnType<typeof audit.one>
type PendingDelivery = ReturnType<typeof deliveries.one>
