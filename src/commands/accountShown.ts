import type { AccountDeleted } from "../admin/AccountDeleted.ts"
import type { AccountRecord, GrantRecord } from "../admin/AccountRecord.ts"
import { settingTexts } from "../contract/callers/accountSettings.ts"
import { budgetLines } from "./budgets.ts"
import { limitsShown, shortTime } from "./options.ts"
import { moneyText } from "./moneyText.ts"
import { fields, table } from "./table.ts"

/** An account, one setting a line. */
export const showAccount = (account: AccountRecord) =>
  fields({
    account: account.id,
    available: account.available === null ? "unmetered" : moneyText(account.available),
    granted: account.granted === null ? null : moneyText(account.granted),
    used: moneyText(account.settled),
    held: moneyText(account.held),
    models: account.models.join(" "),
    "not models": account.not_models.join(" ") || null,
    limits: limitsShown(account.limits) || null,
    budgets: budgetLines(account.budgets),
    "models without a price": account.unpriced,
    ...Object.fromEntries(settingTexts(account).map(({ line }) => line)),
    "search finds": account.search_domains.allowed?.join(", ") ?? null,
    "search never finds": account.search_domains.blocked?.join(", ") ?? null,
    webhook: account.webhook_url,
    "in gateway.yaml": account.declared.map((name) => name.replaceAll("_", " ")).join(", ") || null,
    keys: String(account.keys),
    created: account.created_at,
    suspended: account.suspended_at
  })

/** The records removed with an account. */
export const deletedShown = ({ id, removed }: AccountDeleted): string => {
  const there = Object.entries(removed).flatMap(([what, count = 0]) => (count > 0 ? [[what, count] as const] : []))
  const rows = there.map(([what, count]) => [what.replaceAll("_", " "), count.toLocaleString("en")])
  const removedTable = rows.length === 0 ? [] : ["", table(["REMOVED", "ROWS"], rows)]
  return [`Deleted ${id}; its usage and payments stay.`, ...removedTable].join("\n")
}

/** An account's grants below it; nothing without them. */
export const grantsShown = (grants: ReadonlyArray<GrantRecord>) =>
  grants.length === 0
    ? ""
    : `\n\n${table(
        ["GIVEN", "USD", "NOTE"],
        grants.map(({ amount, note, time }) => [shortTime(time), moneyText(amount), note])
      )}`
