import type { Catalogue } from "./catalogue.ts"
import type { Client } from "./client.ts"
import type { Live } from "./live.ts"
import type { Route } from "./router.ts"
import type { Session } from "./session.ts"

/** What pages stand on. */
export interface App {
  readonly client: Client
  readonly session: Session
  readonly live: Live
  readonly catalogue: Catalogue
  readonly route: () => Route
  readonly go: (href: string, how?: "push" | "replace") => void
  /** Whether times are told by the clock and not as ages. */
  readonly clockTimes: () => boolean
  readonly toast: (text: string) => void
  readonly copy: (text: string) => void
}

/** What a page does once it is there. */
export interface View {
  /** The address has changed, within the page. */
  readonly show: (route: Route) => void
  /** Everything is drawn once more: how times are told has changed. */
  readonly redraw?: () => void
  readonly close: () => void
  /** What is opened beside the list is closed, and the focus is back on its row. */
  readonly leave?: () => void
  /** The next row, or the one before. */
  readonly step?: (by: 1 | -1) => void
  readonly create?: () => void
  readonly toggleLive?: () => void
  readonly send?: () => void
}

/** Draws itself into `main`. */
export type Page = (app: App, main: HTMLElement) => View
