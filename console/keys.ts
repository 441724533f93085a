/** Keyboard shortcuts, outside of fields and dialogs. */
export interface Shortcuts {
  readonly page: (letter: string) => boolean
  readonly search: () => void
  readonly help: () => void
  readonly step: (by: 1 | -1) => void
  readonly close: () => void
  readonly create: () => void
  readonly live: () => void
  readonly times: () => void
  readonly copy: () => void
  readonly theme: () => void
  readonly send: () => void
}

/** The longest time between `g` and a letter, in ms. */
const chordMs = 1_500

const isField = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement

/** Listens until it is stopped. */
export const listenToKeys = (shortcuts: Shortcuts): (() => void) => {
  let chordAt = -Infinity
  const single: Readonly<Record<string, () => void>> = {
    "/": shortcuts.search,
    "?": shortcuts.help,
    j: () => shortcuts.step(1),
    k: () => shortcuts.step(-1),
    ArrowDown: () => shortcuts.step(1),
    ArrowUp: () => shortcuts.step(-1),
    c: shortcuts.create,
    l: shortcuts.live,
    t: shortcuts.times,
    y: shortcuts.copy,
    d: shortcuts.theme,
    Escape: shortcuts.close
  }
  const listener = (event: KeyboardEvent) => {
    if (document.querySelector("dialog[open]") !== null || event.defaultPrevented) return
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return shortcuts.send()
    if (isField(event.target)) {
      if (event.key === "Escape") event.target.blur()
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const isChord = event.timeStamp - chordAt < chordMs
    chordAt = -Infinity
    if (isChord && shortcuts.page(event.key)) return event.preventDefault()
    if (event.key === "g") {
      chordAt = event.timeStamp
      return
    }
    const isArrow = event.key === "ArrowDown" || event.key === "ArrowUp"
    if (isArrow && event.target instanceof Element && event.target.closest(".drawer-body, pre, .code") !== null) return
    const act = single[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  document.addEventListener("keydown", listener)
  return () => document.removeEventListener("keydown", listener)
}
