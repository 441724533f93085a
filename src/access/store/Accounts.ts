import type { AccountPattern } from "../../contract/callers/Acting.ts"
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { declaredName, settingNames } from "../../contract/callers/accountSettings.ts"
import type { DeclaredSettings, StoredSettings } from "../../contract/callers/accountSettings.ts"
import { Unpriced } from "../../contract/callers/Caller.ts"
import { BudgetsJson } from "../../contract/budgets/Budget.ts"
import type { Budget } from "../../contract/budgets/Budget.ts"
import type { AccountId, Limits } from "../../contract/callers/Caller.ts"
import { rows } from "../../sql/decode.ts"
import { ofAccounts } from "../../sql/ofAccounts.ts"
import { prepare } from "../../sql/prepare.ts"
import { heldBy } from "../../ledger/store/balances.ts"
import { allSummed } from "../../ledger/store/usageStatements.ts"
import { LimitsJson, Patterns } from "./KeyRow.ts"
import { declaredSettingColumns, settingColumns, storedDeclared, storedSettings } from "./settingColumns.ts"

/** The settings of an account. */
export interface AccountSettings extends StoredSettings {
  readonly limits: Limits
  /** Patterns of the only models that its keys may use; null: any. */
  readonly models: ReadonlyArray<string> | null
  /** Patterns of models that none of its keys may use; null: none. */
  readonly notModels: ReadonlyArray<string> | null
  /** null: the configuration's. */
  readonly unpriced: Unpriced | null
  readonly budgets: ReadonlyArray<Budget>
  /** null: any. */
  readonly searchAllowed: ReadonlyArray<string> | null
  /** null: none. */
  readonly searchBlocked: ReadonlyArray<string> | null
  /** Gets the events of its tasks; null: none. */
  readonly webhookUrl: string | null
}

/** The settings of an account in the configuration file; null where it has none. */
interface DeclaredAccount extends Pick<AccountSettings, "models" | "notModels" | "unpriced">, DeclaredSettings {
  readonly budgets: ReadonlyArray<Budget> | null
}

/** The columns of settings from the configuration file. */
const declaredNames = [
  "declared_unpriced",
  "declared_models",
  "declared_not_models",
  "declared_budgets",
  ...settingNames.map(declaredName)
] as const

/** The table of accounts, except grants and usage, which are the ledger's. */
export class Accounts extends Effect.Service<Accounts>()("gateway/access/store/Accounts", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const summed = allSummed(sql)

    const select = sql`SELECT a.*, ${heldBy(sql, "a")} AS held,
      (SELECT COUNT(*) FROM keys WHERE account_id = a.id AND revoked_at IS NULL) AS keys FROM accounts a`

    /** With the amount held by its tasks (on Postgres also by requests), and its number of keys. */
    const find = (id: string): Effect.Effect<AccountRow | undefined, SqlError> =>
      Effect.zipRight(summed, Effect.map(sql`${select} WHERE a.id = ${id} AND a.deleted_at IS NULL`, accounts.first))

    /** Ordered by id. */
    const list = (page: {
      readonly offset: number
      readonly limit: number
      /** Only these: ids, or `team-*`. */
      readonly among?: ReadonlyArray<AccountPattern> | undefined
    }): Effect.Effect<ReadonlyArray<AccountRow>, SqlError> =>
      Effect.zipRight(
        summed,
        Effect.map(
          sql`${select} WHERE a.deleted_at IS NULL AND ${page.among === undefined ? sql`1 = 1` : ofAccounts(sql, "id", page.among)} ORDER BY a.id LIMIT ${page.limit} OFFSET ${page.offset}`,
          accounts.all
        )
      )

    /** The ids of some accounts, sorted. @param search a part of the id, in small or capital letters */
    const ids = (
      among: ReadonlyArray<AccountPattern>,
      search: string,
      limit: number
    ): Effect.Effect<ReadonlyArray<string>, SqlError> =>
      Effect.map(
        sql`SELECT a.id FROM accounts a WHERE a.deleted_at IS NULL AND ${ofAccounts(sql, "id", among)}
          AND LOWER(a.id) LIKE ${`%${search.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`} ESCAPE '\\'
          ORDER BY a.id LIMIT ${limit}`,
        (found) => accountIds.all(found).map(({ id }) => id)
      )

    const isThere = (id: string): Effect.Effect<boolean, SqlError> =>
      Effect.map(sql`SELECT 1 FROM accounts WHERE id = ${id} AND deleted_at IS NULL`, (found) => found.length > 0)

    /** True also for the id of a deleted account, whose ledger stays. */
    const isTaken = (id: string): Effect.Effect<boolean, SqlError> =>
      Effect.map(sql`SELECT 1 FROM accounts WHERE id = ${id}`, (found) => found.length > 0)

    /** @param atMs null resumes the account */
    const suspend = (id: string, atMs: number | null): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE accounts SET suspended_at = ${atMs} WHERE id = ${id}`

    /** True if the configuration file declares keys of the account. */
    const isDeclared = (id: string): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        sql`SELECT 1 FROM keys WHERE account_id = ${id} AND declared = 'here' LIMIT 1`,
        (found) => found.length > 0
      )

    /** Marks the account as deleted, revokes its keys and frees their names. */
    const remove = (id: string, nowMs: number): Effect.Effect<unknown, SqlError> =>
      Effect.zipRight(
        sql`UPDATE keys SET revoked_at = COALESCE(revoked_at, ${nowMs}), name = id WHERE account_id = ${id}`,
        sql`UPDATE accounts SET deleted_at = ${nowMs}, webhook_url = NULL WHERE id = ${id}`
      )

    const insert = (id: string, settings: AccountSettings, nowMs: number): Effect.Effect<unknown, SqlError> =>
      sql`INSERT INTO accounts ${sql.insert({ id, created_at: nowMs, ...columnsOf(settings) })}`

    const update = (id: string, settings: AccountSettings): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE accounts SET ${sql.update(columnsOf(settings))} WHERE id = ${id}`

    /** Creates the account if it does not exist. */
    const ensure = (id: AccountId, nowMs: number): Effect.Effect<unknown, SqlError> =>
      sql`INSERT INTO accounts (id, created_at) VALUES (${id}, ${nowMs}) ON CONFLICT (id) DO NOTHING`

    /** The balance that the configuration file last granted, in nano-dollars; null if none. */
    const declaredBalance = (id: AccountId): Effect.Effect<number | null, SqlError> =>
      Effect.map(
        sql`SELECT declared_nano_usd FROM accounts WHERE id = ${id}`,
        (found) => declarations.first(found)?.declared_nano_usd ?? null
      )

    const declareBalance = (id: AccountId, nanoUsd: number): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE accounts SET declared_nano_usd = ${nanoUsd} WHERE id = ${id}`

    /** Clears the settings from the configuration file, except balances. */
    const undeclare: Effect.Effect<unknown, SqlError> =
      sql`UPDATE accounts SET ${sql.update(Object.fromEntries(declaredNames.map((name) => [name, null])))}
        WHERE ${sql.or(declaredNames.map((name) => sql`${sql(name)} IS NOT NULL`))}`

    const declare = (
      id: AccountId,
      { budgets, models, notModels, unpriced, ...settings }: DeclaredAccount
    ): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE accounts SET ${sql.update({
        declared_unpriced: unpriced,
        declared_models: jsonOrNull(models),
        declared_not_models: jsonOrNull(notModels),
        declared_budgets: budgets === null ? null : JSON.stringify(budgets),
        ...storedDeclared(settings)
      })} WHERE id = ${id}`

    const selectWebhook = prepare(
      sql,
      sql`SELECT webhook_version AS version, webhook_rotated_at AS rotated_at FROM accounts WHERE id = ${""}`
    )

    const selectWebhookUrl = prepare(sql, sql`SELECT webhook_url FROM accounts WHERE id = ${""}`)

    /** The address of the account's webhook. */
    const webhookUrl = (id: AccountId): Effect.Effect<string | undefined, SqlError> =>
      Effect.map(selectWebhookUrl([id]), (found) => webhookUrls.first(found)?.webhook_url ?? undefined)

    /** The version of the account's webhook secret, and the time of its rotation. */
    const webhookSecret = (id: AccountId): Effect.Effect<WebhookVersion | undefined, SqlError> =>
      Effect.map(selectWebhook([id]), webhookVersions.first)

    /** Rotates the account's webhook secret; undefined if the account does not exist. */
    const rotateWebhookSecret = (id: AccountId, nowMs: number): Effect.Effect<WebhookVersion | undefined, SqlError> =>
      Effect.map(
        sql`UPDATE accounts SET webhook_version = webhook_version + 1, webhook_rotated_at = ${nowMs}
          WHERE id = ${id} RETURNING webhook_version AS version, webhook_rotated_at AS rotated_at`,
        webhookVersions.first
      )

    return {
      ids,
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
      webhookUrl,
      webhookSecret,
      rotateWebhookSecret
    } as const
  })
}) {}

export const accountColumns = {
  id: Schema.String,
  granted_nano_usd: Schema.NullOr(Schema.Int),
  settled_nano_usd: Schema.Int,
  held: Schema.Int,
  limits: LimitsJson,
  models: Schema.NullOr(Patterns),
  declared_models: Schema.NullOr(Patterns),
  not_models: Schema.NullOr(Patterns),
  declared_not_models: Schema.NullOr(Patterns),
  unpriced: Schema.NullOr(Unpriced),
  declared_unpriced: Schema.NullOr(Unpriced),
  budgets: BudgetsJson,
  declared_budgets: Schema.NullOr(BudgetsJson),
  ...settingColumns,
  ...declaredSettingColumns,
  search_allowed: Schema.NullOr(Patterns),
  search_blocked: Schema.NullOr(Patterns),
  webhook_url: Schema.NullOr(Schema.String),
  keys: Schema.Int,
  created_at: Schema.Int,
  suspended_at: Schema.NullOr(Schema.Int)
} as const
const accounts = rows("accounts", accountColumns)
export type AccountRow = ReturnType<typeof accounts.one>

const accountIds = rows("accounts", { id: Schema.String })
const declarations = rows("accounts", { declared_nano_usd: Schema.NullOr(Schema.Int) })
const webhookUrls = rows("accounts", { webhook_url: Schema.NullOr(Schema.String) })
const webhookVersions = rows("accounts", { version: Schema.Int, rotated_at: Schema.NullOr(Schema.Int) })
type WebhookVersion = ReturnType<typeof webhookVersions.one>

const jsonOrNull = (value: ReadonlyArray<string> | null) => (value === null ? null : JSON.stringify(value))

const columnsOf = ({
  budgets,
  limits,
  models,
  notModels,
  searchAllowed,
  searchBlocked,
  unpriced,
  webhookUrl,
  ...settings
}: AccountSettings) => ({
  models: jsonOrNull(models),
  not_models: jsonOrNull(notModels),
  budgets: JSON.stringify(budgets),
  ...storedSettings(settings),
  unpriced,
  limits: JSON.stringify(limits),
  search_allowed: jsonOrNull(searchAllowed),
  search_blocked: jsonOrNull(searchBlocked),
  webhook_url: webhookUrl
})
