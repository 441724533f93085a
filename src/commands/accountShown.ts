import type { AccountRecord } from "../admin/AccountRecord.ts"
import { budgetLines } from "./budgets.ts"
import { limitsShown } from "./options.ts"
import { fields } from "./table.ts"

/** An account, one setting a line. */
export const shown = (account: AccountRecord) =>
  fields({
    account: account.id,
    available: account.available === null ? "unmetered" : `$${account.available.usd}`,
    granted: account.granted === null ? null : `$${account.granted.usd}`,
    used: `$${account.settled.usd}`,
    held: `$${account.held.usd}`,
    limits: limitsShown(account.limits) || null,
    budgets: budgetLines(account.budgets),
    "end users": account.trusts_end_user ? "trusted" : null,
    "models without a price": account.unpriced,
    "output tokens held for": account.hold_output_tokens === null ? null : String(account.hold_output_tokens),
    "search finds": account.search_domains.allowed?.join(", ") ?? null,
    "search never finds": account.search_domains.blocked?.join(", ") ?? null,
    webhook: account.webhook_url,
    keys: String(account.keys),
    created: account.created_at,
    suspended: account.suspended_at
  })
