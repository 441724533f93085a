import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { App } from "../app.ts"

export const AppContext = createContext<App | undefined>(undefined)

/** The services of the page: typed calls, session, live events, address, toasts. */
export const useApp = (): App => {
  const app = useContext(AppContext)
  if (app === undefined) throw new Error("A component outside of the app")
  return app
}
