import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Schema } from "effect"
import { AccountId } from "../../contract/Caller.ts"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"

/** The owners of upstreams' ids. */
export class UpstreamIds extends Effect.Service<UpstreamIds>()("gateway/ownership/store/UpstreamIds", {
  dependencies: [Commits.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits

    /** The owning accounts by id; ids without an owner are missing. */
    const ownersOf = (
      upstream: string,
      ids: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyMap<string, AccountId>, SqlError> =>
      Effect.map(
        sql`SELECT id, account_id FROM upstream_ids WHERE upstream = ${upstream} AND ${sql.in("id", ids)}`,
        (found) => new Map(owned.all(found).map((row) => [row.id, row.account_id]))
      )

    /** Gives ids to an account permanently; ids with another owner stay there. Durable when it succeeds. */
    const give = (account: AccountId, upstream: string, ids: ReadonlyArray<string>): Effect.Effect<void, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        commits.commit(
          Effect.forEach(
            ids,
            (id) =>
              sql`INSERT INTO upstream_ids ${sql.insert({ upstream, id, account_id: account, given_at: nowMs })}
                ON CONFLICT DO NOTHING`,
            { discard: true }
          )
        )
      )

    return { ownersOf, give } as const
  })
}) {}

const owned = rows("upstream_ids", { id: Schema.String, account_id: AccountId })
