import type { AccountRecord } from "../admin/AccountRecord.ts"
import { usdText } from "../contract/text/usdText.ts"
import type { Money } from "../ledger/Money.ts"
import { moneyText } from "./moneyText.ts"
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
  account.available === null ? "unmetered" : moneyText(account.available),
  account.granted === null ? "" : moneyText(account.granted),
  moneyText(account.settled),
  moneyText(account.held),
  String(account.keys),
  limitsShown(account.limits),
  shortTime(account.created_at)
]

const sums = (accounts: ReadonlyArray<AccountRecord>): ReadonlyArray<string> => {
  const all = (amountOf: (account: AccountRecord) => Money | null) =>
    usdText(accounts.reduce((sum, account) => sum + (amountOf(account)?.nano_usd ?? 0), 0) / 1e9)
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
