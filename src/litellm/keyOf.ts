import type { JsonObject } from "../contract/fields.ts"
import { listAt, textAt } from "../contract/json/json.ts"
import type { Clock } from "./budgetOf.ts"
import { objectOf, timeOf } from "./columns.ts"
import { budgetsOf, limitsOf } from "./limitsOf.ts"
import { modelRule } from "./modelRule.ts"
import type { PlannedKey } from "./Plan.ts"

interface Owned {
  readonly account: string
  readonly name: string
  readonly hash: string
  /** The row of its `budget_id`. */
  readonly budget: JsonObject | undefined
  readonly clock: Clock
  readonly groups: ReadonlyMap<string, ReadonlyArray<string>>
}

/** A virtual key. Its secret works unchanged: both programs store its SHA-256. */
export const keyOf = (
  row: JsonObject,
  { account, budget, clock, groups, hash, name }: Owned
): { readonly key: PlannedKey; readonly notes: ReadonlyArray<string> } => {
  const { budgets, notes } = budgetsOf(row, budget, clock)
  const own = [...notes]
  for (const column of ["aliases", "permissions", "config", "router_settings", "budget_fallbacks"]) {
    if (Object.keys(objectOf(row[column])).length > 0) own.push(`${column}: ${reasons[column] ?? ""}`)
  }
  for (const column of ["allowed_routes", "allowed_cache_controls", "policies"]) {
    if (listAt(row, column).length > 0) own.push(`${column}: keys open every endpoint of their models`)
  }
  if (row["blocked"] === true)
    own.push("is blocked: made as expired; `gateway keys update ID --never-expires` opens it")
  return {
    key: {
      account,
      name: name.slice(0, 200),
      hash,
      // `sk-...abcd`
      hint: /^sk-\.\.\.(.{4})$/.exec(textAt(row, "key_name") ?? "")?.[1] ?? "",
      models: modelRule(row, groups) ?? ["*"],
      limits: limitsOf(row, budget),
      budgets,
      expiresAtMs: timeOf(row["expires"]),
      blocked: row["blocked"] === true
    },
    notes: own
  }
}

const reasons: Readonly<Record<string, string>> = {
  aliases: "aliases are for all keys: `alias` under models",
  permissions: "keys have no such switches",
  config: "keys have no settings of models",
  router_settings: "routes and fallbacks are the models'",
  budget_fallbacks: "over a budget, requests are refused"
}
