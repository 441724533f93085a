import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import type { App } from "../app.ts"
import { button } from "../components/bits.ts"
import { codeBlock } from "../components/codeBlock.ts"
import { openDialog } from "../components/dialog.ts"
import { icon } from "../components/icons.ts"
import { h } from "../dom.ts"
import { span } from "../format.ts"
import { secretSnippets } from "../snippets.ts"
import { words } from "../words/words.ts"
import { keyForm } from "./keyForm.ts"

const text = words.keyForm

/** Dialogs for changing keys: each asks first, explains the consequences, and reports the result. */
export const keyDialogs = (app: App, changed: () => Promise<void>) => {
  /** Shows a secret, once. */
  const showSecret = (name: string, secret: string) => {
    const copy = button([icon("copy", 12), words.copy.button], () => app.copy(secret), { look: "primary" })
    openDialog({
      title: text.ready(name),
      safe: words.dialog.done,
      focus: copy,
      body: [
        h("p", { class: "quiet" }, text.secretOnce),
        h("div", { class: "secret" }, h("code", {}, secret), copy),
        codeBlock(app, secretSnippets(location.origin, secret))
      ]
    })
  }

  const create = async (like?: KeyRecord, account?: string) => {
    const form = await keyForm(app, like, account, false)
    openDialog({
      title: text.create,
      foot: text.alsoAccount,
      body: form.body,
      act: {
        word: words.keys.create,
        run: async () => {
          const payload = form.read()
          const made = await app.client.admin((admin) => admin.adminKeys.create({ payload }))
          await changed()
          setTimeout(() => showSecret(made.key.name, made.secret))
        }
      }
    })
  }

  const edit = async (key: KeyRecord) => {
    const form = await keyForm(app, key, undefined, true)
    openDialog({
      title: text.edit(key.name),
      foot: text.alsoAccount,
      body: form.body,
      act: {
        word: text.save,
        run: () =>
          form.save(async (version) => {
            const { account: _, ...settings } = form.read()
            await app.client.admin((admin) =>
              admin.adminKeys.update({ path: { id: key.id }, payload: { ...settings, ...version } })
            )
            await changed()
            app.toast(text.saved)
          })
      }
    })
  }

  const revoke = (key: KeyRecord) => {
    const used =
      key.last_used_at === null
        ? text.neverUsed
        : text.lastUsed(words.times.ago(span(Date.now() - Date.parse(key.last_used_at))))
    openDialog({
      title: text.revokeTitle(key.name),
      safe: words.dialog.keep,
      body: [h("p", {}, text.revoke, used, text.forGood)],
      act: {
        word: words.key.revoke,
        isDangerous: true,
        run: async () => {
          await app.client.admin((admin) => admin.adminKeys.revoke({ path: { id: key.id } }))
          await changed()
          app.toast(text.revoked(key.name))
        }
      }
    })
  }

  const rotate = (key: KeyRecord) => {
    openDialog({
      title: text.rotateTitle(key.name),
      safe: words.dialog.keep,
      body: [h("p", {}, text.rotate)],
      act: {
        word: words.key.rotate,
        isDangerous: true,
        run: async () => {
          const made = await app.client.admin((admin) => admin.adminKeys.rotateSecret({ path: { id: key.id } }))
          await changed()
          setTimeout(() => showSecret(made.key.name, made.secret))
        }
      }
    })
  }

  return { create, edit, revoke, rotate }
}
export type KeyDialogs = ReturnType<typeof keyDialogs>
