import { h, sameAs } from "../dom.ts"
import type { Child } from "../dom.ts"
import { words } from "../words/words.ts"
import { button } from "./bits.ts"
import { Refused } from "../client.ts"

interface Asked {
  readonly title: string
  readonly body: ReadonlyArray<Child>
  /** Content to the left of the buttons. */
  readonly foot?: Child
  readonly safe?: string
  readonly act?: { readonly word: string; readonly isDangerous?: boolean; readonly run: () => Promise<unknown> }
  /** The element to focus; defaults to the safe button or the first field. */
  readonly focus?: HTMLElement | undefined
}

export interface Dialog {
  readonly element: HTMLDialogElement
  readonly close: () => void
  /** Shows an error of the gateway. */
  readonly complain: (text: Child) => void
}

/** Opens a modal dialog. Closing it restores the focus. */
export const openDialog = ({ act, body, focus, foot, safe = words.dialog.cancel, title }: Asked): Dialog => {
  const before = document.activeElement
  const complaint = h("p", { class: "field-error", role: "alert", hidden: true })
  const close = () => element.close()
  const complain = (text: Child) => {
    complaint.replaceChildren()
    complaint.append(h("span", {}, text))
    complaint.hidden = text === ""
  }
  const safeButton = button(safe, close)
  const actButton =
    act === undefined
      ? undefined
      : h("button", { type: "submit", class: `button ${act.isDangerous === true ? "danger" : "primary"}` }, act.word)
  const run = async () => {
    if (act === undefined || actButton?.disabled === true) return
    actButton?.setAttribute("disabled", "")
    complain("")
    try {
      await act.run()
      close()
    } catch (error) {
      if (!element.open) return
      complain(error instanceof Refused || error instanceof Invalid ? error.message : words.failed.unknown)
    } finally {
      actButton?.removeAttribute("disabled")
    }
  }
  const heading = h("h1", { id: "dialog-title" }, title)
  const element = h(
    "dialog",
    { "aria-labelledby": "dialog-title", on: { close: () => leave() } },
    h(
      "form",
      {
        method: "dialog",
        novalidate: true,
        on: {
          input: () => complain(""),
          submit(event) {
            event.preventDefault()
            void run()
          }
        }
      },
      h("header", {}, heading),
      h("div", { class: "fields" }, body, complaint),
      h("footer", {}, foot !== undefined && h("span", { class: "faint grow" }, foot), safeButton, actButton)
    )
  )
  const leave = () => {
    element.remove()
    if (!(before instanceof HTMLElement)) return
    const back = before.isConnected ? before : sameAs(before)
    back?.focus({ preventScroll: true })
  }
  document.body.append(element)
  element.showModal()
  const first = element.querySelector<HTMLElement>("input, select, textarea")
  if (focus !== undefined) focus.focus()
  else if (act?.isDangerous === true || first === null) safeButton.focus()
  else first.focus()
  return { element, close, complain }
}

/** The input is invalid; the message says what is allowed. */
export class Invalid extends Error {}
