import type { Budget } from "../../contract/budgets/Budget.ts"
import type { AccountRow } from "./Accounts.ts"

/** The budgets in effect. */
export const accountBudgetsOf = (row: Pick<AccountRow, "budgets" | "declared_budgets">): ReadonlyArray<Budget> =>
  row.declared_budgets ?? row.budgets
