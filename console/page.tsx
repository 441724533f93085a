import { render } from "preact"
import type { FunctionComponent } from "preact"
import type { RenderPage } from "./app.ts"
import { AppContext } from "./hooks/useApp.ts"
import { ShortcutsContext } from "./hooks/useShortcuts.ts"
import type { PageShortcuts } from "./hooks/useShortcuts.ts"

/** A page that is a component. */
export const page =
  (Page: FunctionComponent): RenderPage =>
  (app, main) => {
    const held: { current: PageShortcuts } = { current: {} }
    render(
      <AppContext.Provider value={app}>
        <ShortcutsContext.Provider value={held}>
          <Page />
        </ShortcutsContext.Provider>
      </AppContext.Provider>,
      main
    )
    return {
      // The address is a signal, which components follow.
      show: () => {},
      close: () => render(null, main),
      leave: () => held.current.leave?.(),
      step: (by) => held.current.step?.(by),
      create: () => held.current.create?.(),
      toggleLive: () => held.current.toggleLive?.(),
      send: () => held.current.send?.()
    }
  }
