import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Schema } from "effect"
import { AccountId, KeyId } from "../../contract/callers/Caller.ts"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"

/** The owner of an upstream's object. */
export interface Owner {
  readonly account: AccountId
  /** The caller's key that made it; null for what was made elsewhere, which is its account's. */
  readonly maker: KeyId | null
  /** The name of the upstream's key that made it; null for its only or first one. */
  readonly key: string | null
}

/** The owners of upstreams' ids. */
export class UpstreamIds extends Effect.Service<UpstreamIds>()("gateway/ownership/store/UpstreamIds", {
  dependencies: [Commits.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits

    /** The owners by id; ids without one are missing. */
    const ownersOf = (
      upstream: string,
      ids: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyMap<string, Owner>, SqlError> =>
      Effect.map(
        sql`SELECT id, account_id, key_id, upstream_key FROM upstream_ids WHERE upstream = ${upstream} AND ${sql.in("id", ids)}`,
        (found) =>
          new Map(
            owned
              .all(found)
              .map((row) => [row.id, { account: row.account_id, maker: row.key_id, key: row.upstream_key }])
          )
      )

    /** Gives ids to an account permanently; ids with another owner stay there. Durable when it succeeds. */
    const give = (
      { account, key, maker }: Owner,
      upstream: string,
      ids: ReadonlyArray<string>
    ): Effect.Effect<void, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        commits.commit(
          Effect.forEach(
            ids,
            (id) =>
              sql`INSERT INTO upstream_ids
                ${sql.insert({ upstream, id, account_id: account, given_at: nowMs, key_id: maker, upstream_key: key })}
                ON CONFLICT DO NOTHING`,
            { discard: true }
          )
        )
      )

    return { ownersOf, give } as const
  })
}) {}

const owned = rows("upstream_ids", {
  id: Schema.String,
  account_id: AccountId,
  key_id: Schema.NullOr(KeyId),
  upstream_key: Schema.NullOr(Schema.String)
})
