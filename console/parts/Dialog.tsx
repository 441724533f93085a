import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { Refused } from "../client.ts"
import { words } from "../words/words.ts"
import { Button } from "./Button.tsx"
import { Invalid } from "./form.ts"

interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  /** Called once it is closed, however that happened. */
  readonly close: () => void
  /** Content to the left of the buttons. */
  readonly foot?: ComponentChildren
  /** The word of the button that changes nothing. */
  readonly safe?: string
  /** The dialog closes when `run` has succeeded; `Invalid` and refusals of the gateway are shown. */
  readonly act?: { readonly word: string; readonly isDangerous?: boolean; readonly run: () => Promise<unknown> }
  /** Selects the element that has the focus first, otherwise the first field, or the safe button. */
  readonly focus?: string
}

/** The element that has the focus after the dialog: the one that opened it, or what took its place. */
const sameAs = (element: Element): HTMLElement | undefined => {
  const name = element.getAttribute("aria-label")
  if (name === null) return undefined
  const all = document.querySelectorAll<HTMLElement>(`${element.localName}[aria-label]`)
  return [...all].find((one) => one.getAttribute("aria-label") === name)
}

/** A modal dialog. Closing it gives the focus back. */
export const Dialog = ({ act, children, close, focus, foot, safe = words.dialog.cancel, title }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null)
  const complaint = useSignal("")
  const isRunning = useSignal(false)
  useLayoutEffect(() => {
    const before = document.activeElement
    const dialog = element.current
    if (dialog === null) return
    dialog.showModal()
    const first = dialog.querySelector<HTMLElement>(
      focus ?? (act?.isDangerous === true ? ".safe" : "input, select, textarea")
    )
    ;(first ?? dialog.querySelector<HTMLElement>(".safe"))?.focus()
    return () => {
      // Nothing below a modal dialog takes the focus.
      dialog.close()
      if (!(before instanceof HTMLElement)) return
      const back = before.isConnected ? before : sameAs(before)
      back?.focus({ preventScroll: true })
    }
  }, [])
  const submit = async () => {
    if (act === undefined || isRunning.value) return
    isRunning.value = true
    complaint.value = ""
    try {
      await act.run()
      element.current?.close()
    } catch (error) {
      complaint.value = error instanceof Refused || error instanceof Invalid ? error.message : words.failed.unknown
    } finally {
      isRunning.value = false
    }
  }
  return (
    <dialog ref={element} aria-labelledby="dialog-title" onClose={close}>
      <form
        method="dialog"
        noValidate
        onInput={() => (complaint.value = "")}
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <header>
          <h1 id="dialog-title">{title}</h1>
        </header>
        <div class="fields">
          {children}
          <p class="field-error" role="alert" hidden={complaint.value === ""}>
            <span>{complaint.value}</span>
          </p>
        </div>
        <footer>
          {foot !== undefined && <span class="faint grow">{foot}</span>}
          <Button look="safe" onClick={() => element.current?.close()}>
            {safe}
          </Button>
          {act !== undefined && (
            <button
              type="submit"
              class={`button ${act.isDangerous === true ? "danger" : "primary"}`}
              disabled={isRunning.value}
            >
              {act.word}
            </button>
          )}
        </footer>
      </form>
    </dialog>
  )
}
