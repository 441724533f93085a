import type { AccountRecord } from "../../src/admin/AccountRecord.ts"
import type { App } from "../app.ts"
import { openDialog } from "../components/dialog.ts"
import { dollarsText, field, textInput, wrong } from "../components/fields.ts"
import { inputField, staleEdit } from "../components/staleEdit.ts"
import { h } from "../dom.ts"
import { dollars, number, usd } from "../format.ts"
import { words } from "../words/words.ts"
import { limitFields } from "./limitFields.ts"

const text = words.accountForm
const names = words.keyForm

/** Dialogs for changing accounts. */
export const accountDialogs = (app: App, changed: () => Promise<void>) => {
  const create = () => {
    const id = textInput("", { id: "account-id" })
    const balance = textInput("", { id: "account-balance", inputmode: "decimal", placeholder: words.none })
    const limits = limitFields("account")
    const webhook = webhookInput()
    openDialog({
      title: text.create,
      body: [
        field(text.id, id, text.idHint),
        field(text.balance, balance, text.balanceHint),
        limits.body,
        webhook.field
      ],
      act: {
        word: words.accounts.create,
        run: async () => {
          if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(id.value.trim())) throw wrong(id, text.idFirst)
          const payload = {
            id: id.value.trim(),
            balance_usd: dollarsText(balance, text.balance),
            limits: limits.read(),
            webhook_url: webhook.read()
          }
          await app.client.admin((admin) => admin.adminAccounts.create({ payload }))
          await changed()
          app.toast(text.created(payload.id))
        }
      }
    })
  }

  const credit = (account: AccountRecord) => {
    const amount = textInput("", { id: "credit-amount", inputmode: "decimal" })
    const note = textInput("", { id: "credit-note" })
    openDialog({
      title: text.creditTitle(account.id),
      body: [
        field(
          text.amount,
          amount,
          account.available === null ? text.firstCredit : text.amountHint(usd(dollars(account.available)))
        ),
        field(text.note, note, text.noteHint)
      ],
      act: {
        word: text.add,
        run: async () => {
          const dollarsTyped = dollarsText(amount, text.amount, true)
          if (dollarsTyped === null) throw wrong(amount, text.amountFirst)
          const payload = { usd: dollarsTyped, ...(note.value.trim() === "" ? {} : { note: note.value.trim() }) }
          await app.client.admin((admin) => admin.adminAccounts.credit({ path: { id: account.id }, payload }))
          await changed()
          app.toast(text.added(usd(Number(dollarsTyped)), account.id))
        }
      }
    })
  }

  const edit = (account: AccountRecord) => {
    const limits = limitFields("account", account.limits)
    const webhook = webhookInput(account.webhook_url)
    const stale = staleEdit<AccountRecord>(account, [...limits.edited<AccountRecord>(), webhook.edited])
    openDialog({
      title: text.edit(account.id),
      body: [stale.element, limits.body, webhook.field],
      act: {
        word: names.save,
        run: () =>
          stale.save(async (version) => {
            const payload = { limits: limits.read(), webhook_url: webhook.read(), ...version }
            await app.client.admin((admin) => admin.adminAccounts.update({ path: { id: account.id }, payload }))
            await changed()
            app.toast(names.saved)
          })
      }
    })
  }

  const suspend = (account: AccountRecord) =>
    openDialog({
      title: text.suspendTitle(account.id),
      safe: words.dialog.keep,
      body: [h("p", {}, text.suspend)],
      act: {
        word: words.accounts.suspend,
        isDangerous: true,
        run: async () => {
          await app.client.admin((admin) => admin.adminAccounts.suspend({ path: { id: account.id } }))
          await changed()
          app.toast(text.suspended(account.id))
        }
      }
    })

  const resume = async (account: AccountRecord) => {
    await app.client.admin((admin) => admin.adminAccounts.resume({ path: { id: account.id } }))
    await changed()
    app.toast(text.resumed(account.id))
  }

  /** Permanent: the dialog lists what is deleted, and the account's name must be typed. */
  const remove = (account: AccountRecord) => {
    const typed = textInput("", { id: "account-delete", class: "input mono" })
    openDialog({
      title: text.deleteTitle(account.id),
      safe: words.dialog.keep,
      body: [
        h("p", {}, text.delete),
        h(
          "ul",
          {},
          text.deleted.map((what) => h("li", {}, what))
        ),
        h("p", {}, text.kept),
        field(text.deleteType(account.id), typed)
      ],
      act: {
        word: words.accounts.delete,
        isDangerous: true,
        run: async () => {
          if (typed.value.trim() !== account.id) throw wrong(typed, text.deleteType(account.id))
          const gone = await app.client.admin((admin) => admin.adminAccounts.delete({ path: { id: account.id } }))
          await changed()
          const count = Object.values(gone.removed).reduce((sum, one) => sum + one, 0)
          app.toast(text.isDeleted(account.id, number(count)))
        }
      }
    })
  }

  return { create, credit, edit, suspend, resume, remove }
}
export type AccountDialogs = ReturnType<typeof accountDialogs>

/** The field for an account's webhook address. */
const webhookInput = (url: string | null = null) => {
  const input = textInput(url ?? "", { id: "account-webhook", inputmode: "url", placeholder: words.none })
  return {
    field: field(text.webhook, input, text.webhookHint),
    read: () => (input.value.trim() === "" ? null : input.value.trim()),
    edited: inputField<AccountRecord>(text.webhook, input, (now) => now.webhook_url)
  }
}
