import { basePath } from "./address.ts"
import type { RequestView } from "../src/requests/RequestView.ts"

/** A change by this session or another one. */
export interface Changed {
  readonly what: "key" | "account" | "task" | "delivery" | "configuration" | "session" | "upstream"
  readonly ids: ReadonlyArray<string>
}

/** Live events of the gateway while a user is signed in. */
export interface Live {
  readonly onRequests: (listener: (rows: ReadonlyArray<RequestView>) => void) => () => void
  readonly onChange: (listener: (change: Changed) => void) => () => void
  readonly isOpen: () => boolean
  readonly close: () => void
}

const everything = ["key", "account", "task", "delivery", "configuration", "session", "upstream"] as const

/** No events, where the session has no stream of them. */
export const noLive: Live = {
  onRequests: () => () => {},
  onChange: () => () => {},
  isOpen: () => false,
  close: () => {}
}

/** The delay before a refused stream is opened again, in ms. */
const againMs = 2_000

/**
 * One event stream for all pages. The browser reopens it after a lost connection, this code after a refusal.
 *
 * @param broken called when the stream ends: the session may have ended
 */
export const openLive = (path: string, broken: () => void): Live => {
  const readers = new Set<(rows: ReadonlyArray<RequestView>) => void>()
  const watchers = new Set<(change: Changed) => void>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let hasBroken = false
  const tellAll = () => {
    for (const what of everything) {
      for (const watcher of watchers) watcher({ what, ids: [] })
    }
  }
  const open = (): EventSource => {
    const opened = new EventSource(basePath + path)
    opened.addEventListener("open", () => {
      // Changes in between were missed.
      if (hasBroken) tellAll()
      hasBroken = false
    })
    opened.addEventListener("error", () => {
      hasBroken = true
      broken()
      if (opened.readyState !== EventSource.CLOSED) return
      timer = setTimeout(() => {
        source = open()
      }, againMs)
    })
    opened.addEventListener("request", ({ data }: MessageEvent<string>) => {
      const rows: ReadonlyArray<RequestView> | RequestView = JSON.parse(data)
      const all = Array.isArray(rows) ? rows : [rows]
      for (const reader of readers) reader(all)
    })
    opened.addEventListener("changed", ({ data }: MessageEvent<string>) => {
      const change: Changed = JSON.parse(data)
      for (const watcher of watchers) watcher(change)
    })
    // Events were dropped: everything may have changed.
    opened.addEventListener("missed", tellAll)
    return opened
  }
  let source = open()
  const joins =
    <A>(all: Set<A>) =>
    (one: A) => {
      all.add(one)
      return () => {
        all.delete(one)
      }
    }
  return {
    onRequests: joins(readers),
    onChange: joins(watchers),
    isOpen: () => source.readyState === EventSource.OPEN,
    close: () => {
      clearTimeout(timer)
      source.close()
    }
  }
}
