import type { Catalogue } from "./catalogue.ts"
import type { Client } from "./client.ts"
import type { Deletions } from "./deletions.ts"
import type { Live } from "./live.ts"
import type { Route } from "./router.ts"
import type { Session } from "./session.ts"

/** The services that pages use. */
export interface App {
  readonly client: Client
  readonly session: Session
  readonly live: Live
  readonly deletions: Deletions
  readonly catalogue: Catalogue
  readonly route: () => Route
  readonly go: (href: string, how?: "push" | "replace") => void
  /** True if times are shown as clock times instead of ages. */
  readonly clockTimes: () => boolean
  readonly toast: (text: string) => void
  readonly copy: (text: string) => void
}

/** The lifecycle of a page. */
export interface View {
  /** The address has changed within the page. */
  readonly show: (route: Route) => void
  /** Draws everything again: the format of times has changed. */
  readonly redraw?: () => void
  readonly close: () => void
  /** Closes the drawer and returns the focus to its row. */
  readonly leave?: () => void
  /** Moves to the next or the previous row. */
  readonly step?: (by: 1 | -1) => void
  readonly create?: () => void
  readonly toggleLive?: () => void
  readonly send?: () => void
}
