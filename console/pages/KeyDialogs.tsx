import type { Signal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { useSignal } from "@preact/signals"
import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import { gatewayUrl } from "../address.ts"
import { span } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { Button } from "../parts/Button.tsx"
import { CodeBlock } from "../parts/CodeBlock.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Select } from "../parts/fields.tsx"
import { useField } from "../parts/form.ts"
import { Icon } from "../parts/Icon.tsx"
import { secretSnippets } from "../snippets.ts"
import { words } from "../words/words.ts"
import { FindKey } from "./FindKey.tsx"
import { KeyFields, useKeyForm } from "./KeyForm.tsx"

const text = words.keyForm

/** The dialog that is open. */
export type KeyDialog =
  | { readonly of: "create"; readonly like?: KeyRecord | undefined; readonly account?: string | undefined }
  | { readonly of: "edit" | "revoke" | "rotate"; readonly key: KeyRecord }
  | { readonly of: "find"; readonly part: string }

interface Made {
  readonly key: KeyRecord
  readonly secret: string
}

interface DialogOf {
  readonly close: () => void
  readonly changed: () => Promise<void>
}

/** Dialogs for changing keys: each asks first, explains the consequences, and reports the result. */
export const KeyDialogs = ({
  changed,
  open
}: {
  readonly open: Signal<KeyDialog | undefined>
  readonly changed: () => Promise<void>
}) => {
  const secret = useSignal<Made | undefined>(undefined)
  const made = useRef<Made | undefined>(undefined)
  const close = () => {
    open.value = undefined
    secret.value = made.current
    made.current = undefined
  }
  const show = (of: Made) => {
    made.current = of
  }
  const asked = open.value
  if (secret.value !== undefined) return <Secret of={secret.value} close={() => (secret.value = undefined)} />
  if (asked === undefined) return null
  if (asked.of === "find") return <FindKey part={asked.part} close={close} />
  if (asked.of === "revoke") return <Revoke key={asked.key.id} of={asked.key} close={close} changed={changed} />
  if (asked.of === "rotate") return <Rotate of={asked.key} close={close} changed={changed} show={show} />
  return <Edit asked={asked} close={close} changed={changed} show={show} />
}

/** Waits for what the form needs. */
const Edit = (props: DialogOf & EditProps) => {
  const { catalogue } = useApp()
  const { value } = useData(() =>
    Promise.all([catalogue.accounts().catch(() => []), catalogue.models().catch(() => [])])
  )
  return value === undefined ? null : <EditDialog {...props} accounts={value[0]} models={value[1]} />
}

interface EditProps {
  readonly asked:
    | Extract<KeyDialog, { readonly of: "create" }>
    | { readonly of: "edit" | "revoke" | "rotate"; readonly key: KeyRecord }
  readonly show: (of: Made) => void
}

const EditDialog = ({
  accounts,
  asked,
  changed,
  close,
  models,
  show
}: DialogOf & EditProps & Omit<Parameters<typeof KeyFields>[0], "form">) => {
  const { client, toast } = useApp()
  const old = asked.of === "create" ? undefined : asked.key
  const form = useKeyForm(
    asked.of === "create"
      ? { like: asked.like, account: asked.account, isEdit: false }
      : { like: asked.key, isEdit: true }
  )
  const create = async () => {
    const payload = form.read()
    show(await client.admin((admin) => admin.adminKeys.create({ payload })))
    await changed()
  }
  const save = (id: string) =>
    form.stale.save(async (version) => {
      const { account: _, ...settings } = form.read()
      await client.admin((admin) => admin.adminKeys.update({ path: { id }, payload: { ...settings, ...version } }))
      await changed()
      toast(text.saved)
    })
  return (
    <Dialog
      title={old === undefined ? text.create : text.edit(old.name)}
      foot={text.alsoAccount}
      close={close}
      act={{
        word: old === undefined ? words.keys.create : text.save,
        run: () => (old === undefined ? create() : save(old.id))
      }}
    >
      <KeyFields form={form} accounts={accounts} models={models} />
    </Dialog>
  )
}

const Revoke = ({ changed, close, of }: DialogOf & { readonly of: KeyRecord }) => {
  const { client, toast } = useApp()
  const used =
    of.last_used_at === null
      ? text.neverUsed
      : text.lastUsed(words.times.ago(span(Date.now() - Date.parse(of.last_used_at))))
  const run = async () => {
    await client.admin((admin) => admin.adminKeys.revoke({ path: { id: of.id } }))
    await changed()
    toast(text.revoked(of.name))
  }
  return (
    <Dialog
      title={text.revokeTitle(of.name)}
      safe={words.dialog.keep}
      close={close}
      act={{ word: words.key.revoke, isDangerous: true, run }}
    >
      <p>
        {text.revoke}
        {used}
        {text.forGood}
      </p>
    </Dialog>
  )
}

const Rotate = ({
  changed,
  close,
  of,
  show
}: DialogOf & { readonly of: KeyRecord; readonly show: (of: Made) => void }) => {
  const { client } = useApp()
  const overlap = useField("0")
  const run = async () => {
    const payload = { overlap_hours: Number(overlap.value.value) }
    show(await client.admin((admin) => admin.adminKeys.rotateSecret({ path: { id: of.id }, payload })))
    await changed()
  }
  return (
    <Dialog
      title={text.rotateTitle(of.name)}
      safe={words.dialog.keep}
      close={close}
      act={{ word: words.key.rotate, isDangerous: true, run }}
    >
      <p>{text.rotate}</p>
      <Select id="key-overlap" label={text.overlap} of={overlap} choices={text.overlaps} />
    </Dialog>
  )
}

/** A secret, shown once. */
const Secret = ({ close, of: { key, secret } }: { readonly of: Made; readonly close: () => void }) => {
  const { copy } = useApp()
  return (
    <Dialog title={text.ready(key.name)} safe={words.dialog.done} close={close} focus=".secret button">
      <p class="quiet">{text.secretOnce}</p>
      <div class="secret">
        <code>{secret}</code>
        <Button look="primary" onClick={() => copy(secret)}>
          <Icon name="copy" size={12} />
          {words.copy.button}
        </Button>
      </div>
      <CodeBlock snippets={secretSnippets(gatewayUrl, secret)} />
    </Dialog>
  )
}
