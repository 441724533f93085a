import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { Node } from "../../cluster/Node.ts"
import { isLiving } from "../../cluster/store/living.ts"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"
import type { Ask } from "./KeptAnswers.ts"

/** The table of claims, which records the node that answers requests with a key. */
export const makeClaimStore = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  const node = yield* Node

  node.whenReaping((dead) => sql`DELETE FROM idempotency_claims WHERE node = ${dead}`)

  /** Claims a request for this node; false if a request with this key is already claimed. */
  const insert = (ask: Ask, token: string): Effect.Effect<boolean, SqlError> =>
    Effect.map(
      Effect.suspend(() => {
        const id = node.id()
        return commits.commit(
          sql`INSERT INTO idempotency_claims (account_id, endpoint, idempotency_key, body_hash, node, token)
            SELECT ${ask.account}, ${ask.endpoint}, ${ask.key}, ${ask.bodyHash}, ${id}, ${token}
            WHERE ${isLiving(sql, id)} ON CONFLICT DO NOTHING RETURNING token`
        )
      }),
      (claimed) => claimed.length > 0
    )

  /** The body hash of the claimed request; undefined if there is none. */
  const bodyHash = (ask: Ask): Effect.Effect<string | undefined, SqlError> =>
    Effect.map(
      sql`SELECT body_hash FROM idempotency_claims
        WHERE account_id = ${ask.account} AND endpoint = ${ask.endpoint} AND idempotency_key = ${ask.key}`,
      (found) => claims.first(found)?.body_hash
    )

  /** Fails if the claim is gone. In a transaction, it can't be reaped before the end. */
  const held = (token: string): Effect.Effect<void, SqlError | "lost"> =>
    Effect.flatMap(sql`SELECT token FROM idempotency_claims WHERE token = ${token} FOR SHARE`, (found) =>
      found.length > 0 ? Effect.void : Effect.fail("lost" as const)
    )

  const remove = (token: string): Effect.Effect<unknown, SqlError> =>
    commits.commit(sql`DELETE FROM idempotency_claims WHERE token = ${token}`)

  /** Tokens of this node's claims. */
  const own: Effect.Effect<ReadonlyArray<string>, SqlError> = Effect.suspend(() =>
    Effect.map(sql`SELECT token FROM idempotency_claims WHERE node = ${node.id()}`, (found) =>
      tokens.all(found).map(({ token }) => token)
    )
  )

  return { insert, bodyHash, held, remove, own } as const
})

const claims = rows("idempotency_claims", { body_hash: Schema.String })
const tokens = rows("idempotency_claims", { token: Schema.String })
