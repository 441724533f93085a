import { useSignal } from "@preact/signals"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { Icon } from "./Icon.tsx"

export interface MenuItem {
  readonly word: string
  readonly act: () => void
  readonly isDangerous?: boolean
}

/** Rare actions behind a button: arrow keys move, Esc closes. */
export const Menu = ({
  items,
  label,
  word
}: {
  readonly label: string
  readonly items: ReadonlyArray<MenuItem>
  /** The button's text; without it, it is an icon. */
  readonly word?: string
}) => {
  const isOpen = useSignal(false)
  const element = useRef<HTMLSpanElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const all = () => [...(element.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])]
  const close = () => {
    isOpen.value = false
    button.current?.focus()
  }
  useLayoutEffect(() => {
    if (isOpen.value) all()[0]?.focus()
  }, [isOpen.value])
  useEffect(() => {
    const outside = ({ target }: Event) => {
      if (target instanceof Node && element.current?.contains(target) === false) isOpen.value = false
    }
    document.addEventListener("pointerdown", outside)
    return () => document.removeEventListener("pointerdown", outside)
  }, [isOpen])
  const move = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === "Escape") {
      event.stopPropagation()
      close()
    } else if (by !== undefined) {
      event.preventDefault()
      const list = all()
      const at = list.findIndex((one) => one === document.activeElement)
      list[(at + by + list.length) % list.length]?.focus()
    } else if (event.key === "Tab") isOpen.value = false
  }
  return (
    <span ref={element} class="menu">
      <button
        ref={button}
        type="button"
        class={word === undefined ? "button small ghost square" : "button"}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        aria-label={label}
        title={label}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {word ?? <Icon name="more" />}
      </button>
      {isOpen.value && (
        <span class="menu-items" role="menu" aria-label={label} onKeyDown={move}>
          {items.map(({ act, isDangerous = false, word }) => (
            <button
              key={word}
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={isDangerous ? "danger" : ""}
              onClick={() => {
                close()
                act()
              }}
            >
              {word}
            </button>
          ))}
        </span>
      )}
    </span>
  )
}
