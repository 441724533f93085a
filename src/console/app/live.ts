import type { RequestView } from "../../requests/RequestView.ts"

/** What has changed, elsewhere or here. */
export interface Changed {
  readonly what: "key" | "account" | "task" | "delivery" | "configuration" | "upstream"
  readonly ids: ReadonlyArray<string>
}

/** What is heard of the gateway while somebody is signed in. */
export interface Live {
  readonly onRequests: (listener: (rows: ReadonlyArray<RequestView>) => void) => () => void
  readonly onChange: (listener: (change: Changed) => void) => () => void
  readonly isOpen: () => boolean
  readonly close: () => void
}

/** One stream for all pages; the browser opens it again where it breaks. */
export const openLive = (path: string): Live => {
  const source = new EventSource(path)
  const readers = new Set<(rows: ReadonlyArray<RequestView>) => void>()
  const watchers = new Set<(change: Changed) => void>()
  source.addEventListener("request", ({ data }: MessageEvent<string>) => {
    const rows: ReadonlyArray<RequestView> | RequestView = JSON.parse(data)
    const all = Array.isArray(rows) ? rows : [rows]
    for (const reader of readers) reader(all)
  })
  source.addEventListener("changed", ({ data }: MessageEvent<string>) => {
    const change: Changed = JSON.parse(data)
    for (const watcher of watchers) watcher(change)
  })
  // More happened than this page took: everything may have changed.
  source.addEventListener("missed", () => {
    for (const what of ["key", "account", "task", "delivery", "configuration", "upstream"] as const) {
      for (const watcher of watchers) watcher({ what, ids: [] })
    }
  })
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
    close: () => source.close()
  }
}
