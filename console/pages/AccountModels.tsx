import type { AccountRecord } from "../../src/admin/AccountRecord.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { Dialog } from "../parts/Dialog.tsx"
import { TextField } from "../parts/fields.tsx"
import { useField, wrong } from "../parts/form.ts"
import { editedField, StaleEdit, useStaleEdit } from "../parts/StaleEdit.tsx"
import { words } from "../words/words.ts"
import { isAccount } from "./accountDialog.ts"
import type { DialogOf } from "./accountDialog.ts"
import { Hits, namesIn } from "./KeyForm.tsx"

const text = words.accountModels

/** The patterns of the models that the keys of an account may use. */
export const AccountModels = ({ account, changed, close }: DialogOf) => {
  const { client, toast } = useApp()
  const served = useData(() => client.admin((admin) => admin.adminOperations.models({ urlParams: {} })))
  const patterns = useField(account.models.join(" "))
  const exceptions = useField(account.not_models.join(" "))
  const stale = useStaleEdit<AccountRecord>(
    account,
    [
      editedField(text.models, patterns, (now) => now.models.join(" ")),
      editedField(text.except, exceptions, (now) => now.not_models.join(" "))
    ],
    isAccount
  )
  const run = () =>
    stale.save(async (version) => {
      const [models, not_models] = [namesIn(patterns), namesIn(exceptions)]
      if (models.length === 0) throw wrong(patterns, words.keyForm.patterns)
      const isAll = models.length === 1 && models[0] === "*"
      const payload = { models: isAll ? null : models, not_models, ...version }
      await client.admin((admin) => admin.adminAccounts.update({ path: { id: account.id }, payload }))
      await changed()
      toast(words.keyForm.saved)
    })
  const names = served.value?.data.map(({ id }) => id) ?? []
  return (
    <Dialog title={text.title(account.id)} close={close} act={{ word: words.keyForm.save, run }}>
      <StaleEdit of={stale} />
      <TextField
        id="account-models"
        label={text.models}
        look="mono"
        of={patterns}
        hint={
          served.value === undefined ? (
            text.allHint
          ) : (
            <Hits models={names} patterns={namesIn(patterns)} exceptions={namesIn(exceptions)} />
          )
        }
      />
      <TextField
        id="account-not-models"
        label={text.except}
        look="mono"
        of={exceptions}
        placeholder={words.none}
        hint={text.exceptHint}
      />
    </Dialog>
  )
}
