import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { settingsInEffect } from "../../contract/callers/accountSettings.ts"
import type { DeclaredColumns, StoredSettings } from "../../contract/callers/accountSettings.ts"
import { AccountId } from "../../contract/callers/Caller.ts"
import { rows } from "../../sql/decode.ts"
import { BudgetReport } from "../../ledger/store/BudgetReport.ts"
import type { BudgetStanding } from "../../ledger/store/BudgetReport.ts"
import { meterOf } from "../../ledger/budgets/meters.ts"
import type { Meter } from "../../ledger/budgets/meters.ts"
import { accountBudgetsOf } from "./accountBudgetsOf.ts"
import { accountColumns } from "./Accounts.ts"
import type { AccountRow } from "./Accounts.ts"
import { budgetedKeys, keyBudgetsOf } from "./KeyRow.ts"
import type { KeyRow } from "./KeyRow.ts"
import { declaredSettingColumns, settingColumns } from "./settingColumns.ts"

type KeyBudgets = Pick<KeyRow, "id" | "account_id" | "budgets" | "budget_nano_usd" | "budget_period">
type AccountBudgets = Pick<
  AccountRow,
  "id" | "budgets" | "declared_budgets" | keyof StoredSettings | keyof DeclaredColumns
>

/** The standing of a budget, and the name of the key that it is of; undefined for an account's. */
export interface NamedStanding extends BudgetStanding {
  readonly keyName: string | undefined
}

/** The budgets of stored keys and accounts. */
export class Budgets extends Effect.Service<Budgets>()("gateway/access/store/Budgets", {
  dependencies: [BudgetReport.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const report = yield* BudgetReport

    /** The standing of every budget of keys and accounts that are in use, keys first. */
    const standing: Effect.Effect<ReadonlyArray<NamedStanding>, SqlError> = Effect.gen(function* () {
      const keys = budgetedKeys.all(
        yield* sql`SELECT id, account_id, name, budget_nano_usd, budget_period, budgets FROM keys WHERE revoked_at IS NULL
          AND (budgets IS NULL AND budget_nano_usd IS NOT NULL OR budgets <> '[]')`
      )
      const accounts = withBudgets.all(
        yield* sql`SELECT * FROM accounts WHERE deleted_at IS NULL AND COALESCE(declared_budgets, budgets) <> '[]'`
      )
      const names = new Map(keys.map(({ id, name }) => [id, name]))
      const all = yield* report.standing([...keys.flatMap(metersOfKey), ...accounts.flatMap(metersOfAccount)])
      return all.map((one) => ({ ...one, keyName: one.meter.key && names.get(one.meter.key) }))
    })

    /** The standings of each row's budgets, in the order of the rows. */
    const each = <Row>(some: ReadonlyArray<Row>, metersOf: (row: Row) => ReadonlyArray<Meter>) =>
      Effect.gen(function* () {
        const meters = some.map(metersOf)
        const all = yield* report.standing(meters.flat())
        let at = 0
        return meters.map(({ length }) => all.slice(at, (at += length)))
      })

    return {
      standing,
      ofKeys: (some: ReadonlyArray<KeyBudgets>) => each(some, metersOfKey),
      ofAccounts: (some: ReadonlyArray<AccountBudgets>) => each(some, metersOfAccount),
      /** Forgets what the budgets of a key have counted. Run it in a transaction. */
      resetKey: (key: KeyBudgets) => report.reset(metersOfKey(key)),
      /** The same for an account. */
      resetAccount: (account: AccountBudgets) => report.reset(metersOfAccount(account))
    } as const
  })
}) {}

const metersOfKey = (row: KeyBudgets): ReadonlyArray<Meter> =>
  keyBudgetsOf(row).map((budget) => meterOf(budget, { account: row.account_id, key: row.id, trustsEndUser: false }))

const metersOfAccount = (row: AccountBudgets): ReadonlyArray<Meter> =>
  accountBudgetsOf(row).map((budget) =>
    meterOf(budget, {
      account: AccountId.make(row.id),
      key: undefined,
      trustsEndUser: settingsInEffect(row).trusts_end_user
    })
  )

const { budgets, declared_budgets, id } = accountColumns
const withBudgets = rows("accounts", { id, budgets, declared_budgets, ...settingColumns, ...declaredSettingColumns })
