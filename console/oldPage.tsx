import type { FunctionComponent } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import type { RenderPage, View } from "./app.ts"
import { useApp } from "./hooks/useApp.ts"
import { useShortcuts } from "./hooks/useShortcuts.ts"

/** A page that draws its elements itself, as a component. */
export const oldPage =
  (open: RenderPage): FunctionComponent =>
  () => {
    const app = useApp()
    const view = useRef<View | undefined>(undefined)
    const route = app.route()
    const isClock = app.clockTimes()
    const drawn = useRef(isClock)
    useLayoutEffect(() => {
      const main = document.querySelector<HTMLElement>("#main")
      if (main !== null) view.current = open(app, main)
      return () => view.current?.close()
    }, [])
    useLayoutEffect(() => view.current?.show(route), [route])
    useLayoutEffect(() => {
      if (drawn.current !== isClock) view.current?.redraw?.()
      drawn.current = isClock
    }, [isClock])
    useShortcuts({
      leave: () => view.current?.leave?.(),
      step: (by) => view.current?.step?.(by),
      create: () => view.current?.create?.(),
      toggleLive: () => view.current?.toggleLive?.(),
      send: () => view.current?.send?.()
    })
    return null
  }
