import type { AccountRecord } from "../../src/admin/AccountRecord.ts"
import { withBudget, withoutBudget } from "../../src/contract/budgets/WrittenBudget.ts"
import type { WrittenBudget } from "../../src/contract/budgets/WrittenBudget.ts"
import { useApp } from "../hooks/useApp.ts"
import { budgetText } from "../keyText.ts"
import { Dialog } from "../parts/Dialog.tsx"
import { TextField } from "../parts/fields.tsx"
import { dollarsText, useField, wholeNumber } from "../parts/form.ts"
import { editedField, StaleEdit, useStaleEdit } from "../parts/StaleEdit.tsx"
import { words } from "../words/words.ts"
import { isAccount } from "./accountDialog.ts"
import type { DialogOf } from "./accountDialog.ts"

const text = words.accountBudgets

/** A usual budget; null takes it away. */
type Usual = readonly [budget: WrittenBudget, isGiven: boolean]

type Budget = AccountRecord["budgets"][number]

const isPlain = ({ each, models, rolling, tag, zone = "UTC" }: Budget) =>
  each === undefined && models === undefined && rolling === undefined && tag === undefined && zone === "UTC"

const plainOf = (account: AccountRecord, unit: "requests" | "usd", per: "day" | "month"): number | null =>
  account.budgets.find((one) => isPlain(one) && one.per === per && one[unit] !== undefined)?.[unit] ?? null

const isUsual = (one: Budget) =>
  isPlain(one) && (one.per === "day" ? one.tokens === undefined : one.per === "month" && one.usd !== undefined)

/** The usual budgets of an account; its other ones stay. */
export const AccountBudgets = ({ account, changed, close }: DialogOf) => {
  const { client, toast } = useApp()
  const month = useField(plainOf(account, "usd", "month"))
  const day = useField(plainOf(account, "usd", "day"))
  const requests = useField(plainOf(account, "requests", "day"))
  const stale = useStaleEdit<AccountRecord>(
    account,
    [
      editedField(text.month, month, (now) => plainOf(now, "usd", "month")),
      editedField(text.day, day, (now) => plainOf(now, "usd", "day")),
      editedField(text.requests, requests, (now) => plainOf(now, "requests", "day"))
    ],
    isAccount
  )
  const run = () =>
    stale.save(async (version) => {
      const [perMonth, perDay] = [dollarsText(month, text.month), dollarsText(day, text.day)]
      const count = wholeNumber(requests, text.requests)
      const usual: ReadonlyArray<Usual> = [
        [{ usd: perMonth ?? 1, per: "month" }, perMonth !== null],
        [{ usd: perDay ?? 1, per: "day" }, perDay !== null],
        [{ requests: count ?? 1, per: "day" }, count !== null]
      ]
      const stored: ReadonlyArray<WrittenBudget> = (stale.now() ?? account).budgets
      const budgets = usual.reduce(
        (all, [one, isGiven]) => (isGiven ? withBudget(all, one) : withoutBudget(all, one)),
        stored
      )
      const payload = { budgets, ...version }
      await client.admin((admin) => admin.adminAccounts.update({ path: { id: account.id }, payload }))
      await changed()
      toast(words.keyForm.saved)
    })
  const others = account.budgets.filter((one) => !isUsual(one))
  return (
    <Dialog title={text.title(account.id)} close={close} act={{ word: words.keyForm.save, run }}>
      <StaleEdit of={stale} />
      <TextField id="budget-month" label={text.month} of={month} inputMode="decimal" placeholder={words.none} />
      <TextField id="budget-day" label={text.day} of={day} inputMode="decimal" placeholder={words.none} />
      <TextField
        id="budget-requests"
        label={text.requests}
        of={requests}
        inputMode="numeric"
        placeholder={words.none}
        hint={text.utc}
      />
      {others.length > 0 && (
        <div class="hint">
          {text.others(others.length)}
          <ul>
            {others.map((one) => (
              <li key={budgetText(one)}>{budgetText(one)}</li>
            ))}
          </ul>
        </div>
      )}
    </Dialog>
  )
}
