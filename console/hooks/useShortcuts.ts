import { createContext } from "preact"
import { useContext, useLayoutEffect } from "preact/hooks"
import type { View } from "../app.ts"

/** The keyboard shortcuts that a page answers. */
export type PageShortcuts = Pick<View, "create" | "leave" | "send" | "step" | "toggleLive">

/** The shortcuts of the page that is shown. */
export const ShortcutsContext = createContext<{ current: PageShortcuts }>({ current: {} })

/** Answers shortcuts while the component is shown; those of components inside it are added. */
export const useShortcuts = (shortcuts: PageShortcuts): void => {
  const held = useContext(ShortcutsContext)
  useLayoutEffect(() => {
    const before = held.current
    const mine = { ...before, ...shortcuts }
    held.current = mine
    return () => {
      if (held.current === mine) held.current = before
    }
  })
}
