import type { Signal } from "@preact/signals"
import type { AccountRecord } from "../../src/admin/AccountRecord.ts"
import { dollars, number, usd } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { Dialog } from "../parts/Dialog.tsx"
import { TextField } from "../parts/fields.tsx"
import { dollarsText, useField, wrong } from "../parts/form.ts"
import type { Field } from "../parts/form.ts"
import { editedField, StaleEdit, useStaleEdit } from "../parts/StaleEdit.tsx"
import { words } from "../words/words.ts"
import { AccountBudgets } from "./AccountBudgets.tsx"
import { AccountModels } from "./AccountModels.tsx"
import { isAccount } from "./accountDialog.ts"
import type { AccountDialog, DialogOf } from "./accountDialog.ts"
import { LimitFields, useLimits } from "./limitFields.tsx"
import { useAccountSettings } from "./settingFields.tsx"

const text = words.accountForm
const names = words.keyForm

/** Dialogs for making and changing accounts. */
export const AccountDialogs = ({
  changed,
  deleted,
  open
}: {
  readonly open: Signal<AccountDialog | undefined>
  readonly changed: () => Promise<void>
  /** The shown account is gone. */
  readonly deleted?: () => void
}) => {
  const asked = open.value
  const close = () => (open.value = undefined)
  if (asked === undefined) return null
  if (asked.of === "create") return <Create close={close} changed={changed} />
  const props = { account: asked.account, close, changed }
  switch (asked.of) {
    case "budgets":
      return <AccountBudgets {...props} />
    case "credit":
      return <Credit {...props} />
    case "delete":
      return <Delete account={asked.account} close={close} changed={async () => deleted?.()} />
    case "models":
      return <AccountModels {...props} />
    case "settings":
      return <Settings {...props} />
    case "suspend":
      return <Suspend {...props} />
  }
}

const Webhook = ({ of }: { readonly of: Field }) => (
  <TextField id="account-webhook" label={text.webhook} of={of} placeholder={words.none} hint={text.webhookHint} />
)

const webhookIn = (field: Field): string | null => (field.value.value.trim() === "" ? null : field.value.value.trim())

const Create = ({ changed, close }: Omit<DialogOf, "account">) => {
  const { client, toast } = useApp()
  const [id, balance, webhook] = [useField(), useField(), useField()]
  const limits = useLimits()
  const run = async () => {
    const name = id.value.value.trim()
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) throw wrong(id, text.idFirst)
    const payload = {
      id: name,
      balance_usd: dollarsText(balance, text.balance),
      limits: limits.read(),
      webhook_url: webhookIn(webhook)
    }
    await client.admin((admin) => admin.adminAccounts.create({ payload }))
    await changed()
    toast(text.created(name))
  }
  return (
    <Dialog title={text.create} close={close} act={{ word: words.accounts.create, run }}>
      <TextField id="account-id" label={text.id} of={id} hint={text.idHint} />
      <TextField
        id="account-balance"
        label={text.balance}
        of={balance}
        inputMode="decimal"
        placeholder={words.none}
        hint={text.balanceHint}
      />
      <LimitFields of="account" limits={limits} />
      <Webhook of={webhook} />
    </Dialog>
  )
}

const Credit = ({ account: { available, id }, changed, close }: DialogOf) => {
  const { client, toast } = useApp()
  const [amount, note] = [useField(), useField()]
  const run = async () => {
    const typed = dollarsText(amount, text.amount, true)
    if (typed === null) throw wrong(amount, text.amountFirst)
    const said = note.value.value.trim()
    const payload = { usd: typed, ...(said === "" ? {} : { note: said }) }
    await client.admin((admin) => admin.adminAccounts.credit({ path: { id }, payload }))
    await changed()
    toast(text.added(usd(Number(typed)), id))
  }
  const hint = available === null ? text.firstCredit : text.amountHint(usd(dollars(available)))
  return (
    <Dialog title={text.creditTitle(id)} close={close} act={{ word: text.add, run }}>
      <TextField id="credit-amount" label={text.amount} of={amount} inputMode="decimal" hint={hint} />
      <TextField id="credit-note" label={text.note} of={note} hint={text.noteHint} />
    </Dialog>
  )
}

const Settings = ({ account, changed, close }: DialogOf) => {
  const { client, toast } = useApp()
  const limits = useLimits(account.limits)
  const webhook = useField(account.webhook_url)
  const settings = useAccountSettings(account)
  const stale = useStaleEdit<AccountRecord>(
    account,
    [
      ...limits.edited<AccountRecord>(),
      ...settings.edited,
      editedField(text.webhook, webhook, (now) => now.webhook_url)
    ],
    isAccount
  )
  const run = () =>
    stale.save(async (version) => {
      const payload = { limits: limits.read(), ...settings.read(), webhook_url: webhookIn(webhook), ...version }
      await client.admin((admin) => admin.adminAccounts.update({ path: { id: account.id }, payload }))
      await changed()
      toast(names.saved)
    })
  return (
    <Dialog title={text.edit(account.id)} close={close} act={{ word: names.save, run }}>
      <StaleEdit of={stale} />
      <LimitFields of="account" limits={limits} />
      <div class="pair">{settings.controls}</div>
      <Webhook of={webhook} />
    </Dialog>
  )
}

const Suspend = ({ account: { id }, changed, close }: DialogOf) => {
  const { client, toast } = useApp()
  const run = async () => {
    await client.admin((admin) => admin.adminAccounts.suspend({ path: { id } }))
    await changed()
    toast(text.suspended(id))
  }
  return (
    <Dialog
      title={text.suspendTitle(id)}
      safe={words.dialog.keep}
      close={close}
      act={{ word: words.accounts.suspend, isDangerous: true, run }}
    >
      <p>{text.suspend}</p>
    </Dialog>
  )
}

/** Permanent: the dialog lists what is deleted, and the account's name must be typed. */
const Delete = ({ account: { id }, changed, close }: DialogOf) => {
  const { client, deletions, toast } = useApp()
  const typed = useField()
  const run = async () => {
    if (typed.value.value.trim() !== id) throw wrong(typed, text.deleteType(id))
    const gone = await deletions.run(id, () => client.admin((admin) => admin.adminAccounts.delete({ path: { id } })))
    await changed()
    const count = Object.values(gone.removed).reduce<number>((sum, one = 0) => sum + one, 0)
    toast(text.isDeleted(id, number(count)))
  }
  return (
    <Dialog
      title={text.deleteTitle(id)}
      safe={words.dialog.keep}
      close={close}
      act={{ word: words.accounts.delete, isDangerous: true, run }}
    >
      <p>{text.delete}</p>
      <ul>
        {text.deleted.map((what) => (
          <li key={what}>{what}</li>
        ))}
      </ul>
      <p>{text.kept}</p>
      <TextField id="account-delete" label={text.deleteType(id)} look="mono" of={typed} />
    </Dialog>
  )
}
