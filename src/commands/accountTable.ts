import type { AccountRecord } from "../admin/AccountRecord.ts"
import { showUsd } from "../contract/showUsd.ts"
import type { Money } from "../ledger/Money.ts"
import { limitsShown, shortTime } from "./options.ts"
import { listTable } from "./table.ts"

/** A table of accounts with a row of sums. */
export const accountTable = (accounts: ReadonlyArray<AccountRecord>, wide = false): string =>
  listTable(header, [...accounts.map(row), ...(accounts.length > 1 ? [sums(accounts)] : [])], { rare, wide })

const rare = ["LIMITS", "CREATED", "GRANTED", "HELD", "KEYS"]
const header = ["ACCOUNT", "STATUS", "AVAILABLE", "GRANTED", "USED", "HELD", "KEYS", "LIMITS", "CREATED"]

const row = (account: AccountRecord) => [
  account.id,
  account.suspended_at === null ? "active" : "suspended",
  account.available === null ? "unmetered" : `$${account.available.usd}`,
  account.granted === null ? "" : `$${account.granted.usd}`,
  `$${account.settled.usd}`,
  `$${account.held.usd}`,
  String(account.keys),
  limitsShown(account.limits),
  shortTime(account.created_at)
]

const sums = (accounts: ReadonlyArray<AccountRecord>): ReadonlyArray<string> => {
  const all = (amountOf: (account: AccountRecord) => Money | null) =>
    sumShown(accounts.map((account) => amountOf(account)?.nano_usd ?? 0))
  return [
    `${accounts.length} accounts`,
    "",
    all(({ available }) => available),
    all(({ granted }) => granted),
    all(({ settled }) => settled),
    all(({ held }) => held),
    String(accounts.reduce((sum, { keys }) => sum + keys, 0)),
    "",
    ""
  ]
}

/** Each amount is a safe integer; their sum may not be. */
const sumShown = (nanoUsd: ReadonlyArray<number>): string => {
  const sum = nanoUsd.reduce((one, other) => one + other, 0)
  return Number.isSafeInteger(sum) ? `$${showUsd(sum)}` : `over $${Math.floor(Number.MAX_SAFE_INTEGER / 1e9)}`
}
