import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import type { AccountRecord } from "../admin/AccountRecord.ts"
import type { KeyRecord } from "../admin/KeyRecord.ts"
import { usdText } from "../contract/text/usdText.ts"
import type { BudgetRecord } from "../ledger/BudgetRecord.ts"
import { administer } from "./administer.ts"
import { budgetText } from "./budgets.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import { account, help, json, limitOption, print, shortTime, wide } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { listTable } from "./table.ts"

/** A budget, or the balance of an account (`budget` is null), with the share that is used. */
interface Listed {
  readonly account: string
  readonly key: string | null
  readonly key_name: string | null
  readonly used_ratio: number
  readonly budget: BudgetRecord | null
  /** Dollars of a balance that are left, and that were ever granted. */
  readonly left_usd: string | null
  readonly granted_usd: string | null
}

const budgets = Command.make(
  "budgets",
  {
    account,
    from: Options.integer("from").pipe(
      Options.withPseudoName("PERCENT"),
      Options.withDescription("Only what is used up this far (0)."),
      Options.withDefault(0)
    ),
    limit: limitOption(50),
    wide,
    json
  },
  ({ account, from, json, limit, wide }) =>
    administer(
      Effect.gen(function* () {
        const { accounts, keys } = yield* Operator
        const [ofAccounts, ofKeys] = yield* Effect.all([accounts.list(most), keys.list({ all: false, limit: most })])
        const all = [...ofAccounts.flatMap(accountRows), ...ofKeys.flatMap(keyRows)]
          .filter((one) => (account._tag === "None" || one.account === account.value) && one.used_ratio * 100 >= from)
          .toSorted((one, other) => other.used_ratio - one.used_ratio)
          .slice(0, limit)
        yield* print(json, all, () =>
          listTable(header, all.map(row), { rare: [], ids: ["KEY"], answers: header, wide })
        )
      })
    )
).pipe(
  Command.withDescription(
    help(
      "List budgets of keys and accounts, and balances, those that are used up most first.",
      "gateway budgets --from 80",
      "gateway budgets --account team-a --json"
    )
  )
)

export const budgetsCommand = remoteLeaf(budgets)

const most = 100_000

const accountRows = (record: AccountRecord): ReadonlyArray<Listed> => {
  const { available, budgets, granted, id } = record
  const own = budgets.map((budget) => ofBudget(budget, { account: id, key: null, key_name: null }))
  if (available === null || granted === null) return own
  const used = granted.nano_usd <= 0 ? 1 : 1 - available.nano_usd / granted.nano_usd
  const owner = { account: id, key: null, key_name: null }
  return [{ ...owner, used_ratio: used, budget: null, left_usd: available.usd, granted_usd: granted.usd }, ...own]
}

const keyRows = ({ account, budgets, id, name }: KeyRecord): ReadonlyArray<Listed> =>
  budgets.map((budget) => ofBudget(budget, { account, key: id, key_name: name }))

const ofBudget = (budget: BudgetRecord, owner: Pick<Listed, "account" | "key" | "key_name">): Listed => ({
  ...owner,
  used_ratio: budget.used_ratio,
  budget,
  left_usd: null,
  granted_usd: null
})

const header = ["USED", "ACCOUNT", "KEY", "BUDGET", "BEGINS AGAIN"]

const row = ({ account, budget, granted_usd: granted, key, key_name, left_usd: left, used_ratio: ratio }: Listed) => [
  `${Math.floor(ratio * 100)} %`,
  account,
  key === null ? "" : `${key_name} (${key})`,
  budget === null ? `balance: ${usdText(Number(left))} of ${usdText(Number(granted))} left` : budgetText(budget),
  shortTime(budget?.ends_at ?? null)
]
