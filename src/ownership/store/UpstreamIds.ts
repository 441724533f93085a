import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Schema } from "effect"
import { AccountId } from "../../contract/Caller.ts"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"

/** Whose the ids of upstreams are. */
export class UpstreamIds extends Effect.Service<UpstreamIds>()("gateway/ownership/store/UpstreamIds", {
  dependencies: [Commits.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits

    /** The accounts that have been given these, by id; one that nobody has been given is not among them. */
    const ownersOf = (
      upstream: string,
      ids: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyMap<string, AccountId>, SqlError> =>
      Effect.map(
        sql`SELECT id, account_id FROM upstream_ids WHERE upstream = ${upstream} AND ${sql.in("id", ids)}`,
        (found) => new Map(owned.all(found).map((row) => [row.id, row.account_id]))
      )

    /** Gives them to an account, for good: what another has already stays with it. Durable when it succeeds. */
    const give = (account: AccountId, upstream: string, ids: ReadonlyArray<string>): Effect.Effect<void, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        commits.write(
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
