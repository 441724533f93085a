import { useSignal } from "@preact/signals"
import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import type { App } from "../app.ts"
import { useApp } from "../hooks/useApp.ts"
import { secretText } from "../keyText.ts"
import { Dialog } from "../parts/Dialog.tsx"
import { TextField } from "../parts/fields.tsx"
import { Invalid, useField, wrong } from "../parts/form.ts"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"

const text = words.findKey

/** True for what may be a secret or a part of one: it must not become a part of an address. */
export const isSecretPart = (part: string): boolean => /gw_\w|…|\*|\.\.|^\S{24,}$/.test(part)

/** The keys of a secret, or of a part of it. It is sent in a body. */
export const keysOf = async ({ client }: App, secret: string): Promise<ReadonlyArray<KeyRecord>> =>
  (await client.admin((admin) => admin.adminKeys.find({ payload: { secret } }))).data

/** Finds the key of a secret by what one has of it. It is forgotten with the dialog. */
export const FindKey = ({ close, part }: { readonly part: string; readonly close: () => void }) => {
  const app = useApp()
  const secret = useField(part)
  const several = useSignal<ReadonlyArray<KeyRecord>>([])
  const run = async () => {
    const given = secret.value.value.trim()
    if (given.length < 4) throw wrong(secret, text.short)
    const data = await keysOf(app, given)
    const [key] = data
    if (key === undefined) throw wrong(secret, text.none)
    if (data.length === 1) return app.go(hrefOf("keys", key.id))
    several.value = data
    throw new Invalid(text.several(data.length))
  }
  return (
    <Dialog title={text.title} close={close} act={{ word: text.find, run }}>
      <p class="quiet">{text.about}</p>
      <TextField id="find-secret" label={text.secret} look="mono" of={secret} hint={text.hint} />
      {several.value.length > 0 && (
        <ul>
          {several.value.map((key) => (
            <li key={key.id}>
              <a href={hrefOf("keys", key.id)} onClick={close}>
                {key.name}
              </a>{" "}
              <span class="faint">{key.account}</span> <code>{secretText(key)}</code>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
