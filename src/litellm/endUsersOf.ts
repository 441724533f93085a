import type { JsonObject } from "../contract/fields.ts"
import { numberAt, textAt } from "../contract/json/json.ts"
import type { Note } from "./Plan.ts"
import type { Rows, Settings } from "./Source.ts"

/**
 * Budgets of end users don't come along. LiteLLM counts an end user over all teams, and lets requests without one pass;
 * here a budget with `each: end_user` is an account's, and requests without an end user share one.
 */
export const endUsersOf = (rows: Rows, { litellm }: Settings): ReadonlyArray<Note> => {
  const blocked = rows.endUsers
    .filter((row) => row["blocked"] === true)
    .map((row) => ({ at: endUser(row), why: "is blocked: end users can't be, here" }))
  const withBudget = rows.endUsers.filter((row) => textAt(row, "budget_id") !== undefined)
  const isUsual =
    textAt(litellm, "max_end_user_budget_id") !== undefined || numberAt(litellm, "max_end_user_budget") !== undefined
  if (!isUsual && withBudget.length === 0) return blocked
  return [
    ...blocked,
    {
      at: "budgets of end users",
      why: `${isUsual ? "a budget of all" : `budgets of ${withBudget.length}`}: an account's \`budgets: [{ each: end_user }]\` with \`trusts_end_user: true\` comes near; requests without an end user share one of them`
    }
  ]
}

const endUser = (row: JsonObject) => `end user "${textAt(row, "user_id") ?? ""}"`
