import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { Unpriced } from "../../contract/Caller.ts"
import type { AccountId, Limits } from "../../contract/Caller.ts"
import { rows } from "../../sql/decode.ts"
import { prepared } from "../../sql/prepared.ts"
import { heldBy } from "../../ledger/store/balances.ts"
import { allSummed } from "../../ledger/store/usageStatements.ts"
import { LimitsJson, Patterns } from "./KeyRow.ts"

/** What may be changed of an account. */
export interface AccountSettings {
  readonly limits: Limits
  /** null: what the configuration says. */
  readonly unpriced: Unpriced | null
  /** Output tokens set aside at most for a request; null: what the configuration says. */
  readonly holdOutputTokens: number | null
  /** null: any. */
  readonly searchAllowed: ReadonlyArray<string> | null
  /** null: none. */
  readonly searchBlocked: ReadonlyArray<string> | null
}

/** The statements behind accounts; what they were granted and have used is the ledger's. */
export class Accounts extends Effect.Service<Accounts>()("gateway/access/store/Accounts", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const summed = allSummed(sql)

    const select = sql`SELECT a.*, ${heldBy(sql, "a")} AS held,
      (SELECT COUNT(*) FROM keys WHERE account_id = a.id AND revoked_at IS NULL) AS keys FROM accounts a`

    /** With what its tasks hold (on Postgres requests too), and how many keys it has. */
    const find = (id: string): Effect.Effect<AccountRow | undefined, SqlError> =>
      Effect.zipRight(summed, Effect.map(sql`${select} WHERE a.id = ${id} AND a.deleted_at IS NULL`, accounts.first))

    /** By id. */
    const list = (page: {
      readonly offset: number
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<AccountRow>, SqlError> =>
      Effect.zipRight(
        summed,
        Effect.map(
          sql`${select} WHERE a.deleted_at IS NULL ORDER BY a.id LIMIT ${page.limit} OFFSET ${page.offset}`,
          accounts.all
        )
      )

    const isThere = (id: string): Effect.Effect<boolean, SqlError> =>
      Effect.map(sql`SELECT 1 FROM accounts WHERE id = ${id} AND deleted_at IS NULL`, (found) => found.length > 0)

    /** Also by one that was deleted: its books stay. */
    const isTaken = (id: string): Effect.Effect<boolean, SqlError> =>
      Effect.map(sql`SELECT 1 FROM accounts WHERE id = ${id}`, (found) => found.length > 0)

    /** @param atMs null: no longer */
    const suspend = (id: string, atMs: number | null): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE accounts SET suspended_at = ${atMs} WHERE id = ${id}`

    /** Whether keys of the configuration file are its. */
    const isDeclared = (id: string): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        sql`SELECT 1 FROM keys WHERE account_id = ${id} AND declared = 'here' LIMIT 1`,
        (found) => found.length > 0
      )

    /** Hides it, and ends its keys, which lose their names. */
    const remove = (id: string, nowMs: number): Effect.Effect<unknown, SqlError> =>
      Effect.zipRight(
        sql`UPDATE keys SET revoked_at = COALESCE(revoked_at, ${nowMs}), name = id WHERE account_id = ${id}`,
        sql`UPDATE accounts SET deleted_at = ${nowMs} WHERE id = ${id}`
      )

    const insert = (id: string, settings: AccountSettings, nowMs: number): Effect.Effect<unknown, SqlError> =>
      sql`INSERT INTO accounts ${sql.insert({ id, created_at: nowMs, ...columnsOf(settings) })}`

    const update = (id: string, settings: AccountSettings): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE accounts SET ${sql.update(columnsOf(settings))} WHERE id = ${id}`

    /** Makes the account where there is none. */
    const ensure = (id: AccountId, nowMs: number): Effect.Effect<unknown, SqlError> =>
      sql`INSERT INTO accounts (id, created_at) VALUES (${id}, ${nowMs}) ON CONFLICT (id) DO NOTHING`

    /** The balance that the configuration file last gave the account, in nano-dollars; null: none yet. */
    const declaredBalance = (id: AccountId): Effect.Effect<number | null, SqlError> =>
      Effect.map(
        sql`SELECT declared_nano_usd FROM accounts WHERE id = ${id}`,
        (found) => declarations.first(found)?.declared_nano_usd ?? null
      )

    const declareBalance = (id: AccountId, nanoUsd: number): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE accounts SET declared_nano_usd = ${nanoUsd} WHERE id = ${id}`

    /** Forgets what the configuration file said of accounts, but for their balances. */
    const undeclare: Effect.Effect<unknown, SqlError> =
      sql`UPDATE accounts SET declared_unpriced = NULL, declared_hold_output_tokens = NULL
        WHERE declared_unpriced IS NOT NULL OR declared_hold_output_tokens IS NOT NULL`

    const declare = (
      id: AccountId,
      { holdOutputTokens, unpriced }: Pick<AccountSettings, "holdOutputTokens" | "unpriced">
    ): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE accounts SET declared_unpriced = ${unpriced}, declared_hold_output_tokens = ${holdOutputTokens}
        WHERE id = ${id}`

    const selectWebhook = prepared(
      sql,
      sql`SELECT webhook_version AS version, webhook_rotated_at AS rotated_at FROM accounts WHERE id = ${""}`
    )

    /** Which of its webhook secrets the account is at, and since when. */
    const webhookSecret = (id: AccountId): Effect.Effect<WebhookVersion | undefined, SqlError> =>
      Effect.map(selectWebhook([id]), webhookVersions.first)

    /** Moves the account to its next webhook secret; undefined where there is no such account. */
    const rotateWebhookSecret = (id: AccountId, nowMs: number): Effect.Effect<WebhookVersion | undefined, SqlError> =>
      Effect.map(
        sql`UPDATE accounts SET webhook_version = webhook_version + 1, webhook_rotated_at = ${nowMs}
          WHERE id = ${id} RETURNING webhook_version AS version, webhook_rotated_at AS rotated_at`,
        webhookVersions.first
      )

    return {
      find,
      list,
      isThere,
      isTaken,
      isDeclared,
      suspend,
      delete: remove,
      insert,
      update,
      ensure,
      declaredBalance,
      declareBalance,
      undeclare,
      declare,
      webhookSecret,
      rotateWebhookSecret
    } as const
  })
}) {}

const accounts = rows("accounts", {
  id: Schema.String,
  granted_nano_usd: Schema.NullOr(Schema.Int),
  settled_nano_usd: Schema.Int,
  held: Schema.Int,
  limits: LimitsJson,
  unpriced: Schema.NullOr(Unpriced),
  declared_unpriced: Schema.NullOr(Unpriced),
  hold_output_tokens: Schema.NullOr(Schema.Int),
  declared_hold_output_tokens: Schema.NullOr(Schema.Int),
  search_allowed: Schema.NullOr(Patterns),
  search_blocked: Schema.NullOr(Patterns),
  keys: Schema.Int,
  created_at: Schema.Int,
  suspended_at: Schema.NullOr(Schema.Int)
})
export type AccountRow = ReturnType<typeof accounts.one>

const declarations = rows("accounts", { declared_nano_usd: Schema.NullOr(Schema.Int) })
const webhookVersions = rows("accounts", { version: Schema.Int, rotated_at: Schema.NullOr(Schema.Int) })
type WebhookVersion = ReturnType<typeof webhookVersions.one>

const jsonOrNull = (value: ReadonlyArray<string> | null) => (value === null ? null : JSON.stringify(value))

const columnsOf = ({ holdOutputTokens, limits, searchAllowed, searchBlocked, unpriced }: AccountSettings) => ({
  unpriced,
  hold_output_tokens: holdOutputTokens,
  limits: JSON.stringify(limits),
  search_allowed: jsonOrNull(searchAllowed),
  search_blocked: jsonOrNull(searchBlocked)
})
