import type { SqlClient } from "@effect/sql"
import { besideKeyName, declaredName, settingNames } from "../../contract/callers/accountSettings.ts"

const inEffect = settingNames
  .map((name) => `COALESCE(a.${declaredName(name)}, a.${name}) AS ${besideKeyName(name)}`)
  .join(", ")

/** A key as `k`, with its account and its person: the columns of an `Opening`, and how they come together. */
export const openings = (sql: SqlClient.SqlClient) => ({
  columns: sql.literal(`k.*, a.limits AS account_limits,
        COALESCE(a.declared_models, a.models) AS account_models,
        COALESCE(a.declared_not_models, a.not_models) AS account_not_models,
        COALESCE(a.deleted_at, a.suspended_at) AS suspended_at, p.held AS person_held,
        COALESCE(k.unpriced, a.declared_unpriced, a.unpriced) AS unpriced_here,
        COALESCE(a.declared_budgets, a.budgets) AS account_budgets,
        ${inEffect}, a.search_allowed, a.search_blocked`),
  joined: sql.literal("JOIN accounts a ON a.id = k.account_id LEFT JOIN people p ON p.id = k.person_id")
})
