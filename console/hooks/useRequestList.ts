import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { RequestView } from "../../src/requests/RequestView.ts"
import { filterText } from "../filterText.ts"
import { filterNames, requestFilter } from "../requestFilter.ts"
import { requestSource } from "../requestSource.ts"
import type { RequestSource } from "../requestSource.ts"
import { useApp } from "./useApp.ts"
import { useData } from "./useData.ts"

/** The sizes of the first page and of later ones. */
const firstRows = 100
const pageRows = 500
/** How often live totals are counted again, in ms. In between, new requests are added here. */
const countEveryMs = 30_000

interface Loaded {
  readonly source: RequestSource
  /** True if requests exist, though perhaps none in this range. */
  readonly hasAny: boolean
}

interface Shown {
  readonly rows: ReadonlyArray<RequestView>
  /** Ids of rows that have just come. */
  readonly fresh: ReadonlySet<string> | undefined
  /** New rows that are not shown yet. */
  readonly unseen: number
}
const none: Shown = { rows: [], fresh: undefined, unseen: 0 }

/**
 * The requests that the address asks for: the first page, more on demand, their number, and new ones while `isLive`.
 *
 * @param mayShow true if new rows may move the shown ones
 */
export const useRequestList = (isLive: () => boolean, mayShow: () => boolean) => {
  const app = useApp()
  const { query } = app.route()
  const asked = query.toString()
  const [shown, setShown] = useState<{ readonly of: RequestSource | undefined; readonly rows: Shown }>({
    of: undefined,
    rows: none
  })
  const [counted, setCounted] = useState(0)
  const data = useData(
    async (): Promise<Loaded> => {
      const source = requestSource(app, requestFilter(new URLSearchParams(asked), Date.now()))
      await source.more(50, firstRows)
      const isFiltered = filterText(new URLSearchParams(asked), filterNames) !== ""
      return { source, hasAny: source.rows().length > 0 || isFiltered || (await hasRequests(app)) }
    },
    { by: [asked] }
  )
  const source = data.value?.source
  const latest = useRef(source)
  latest.current = source
  const countedAt = useRef(0)
  /** The first page, which is drawn with the answer that brings it. */
  const first = useMemo(() => (source === undefined ? none : { ...none, rows: source.rows().slice() }), [source])

  const show = (of: RequestSource, fresh?: ReadonlySet<string>) =>
    // A copy, as the source grows in place.
    setShown({ of, rows: { rows: of.rows().slice(), fresh, unseen: 0 } })
  const count = async (of: RequestSource) => {
    countedAt.current = Date.now()
    await of.count().catch(() => false)
    if (latest.current === of) setCounted((turn) => turn + 1)
  }
  useEffect(() => {
    if (source === undefined) return
    setShown((now) => (now.of === source ? now : { of: source, rows: first }))
    void count(source)
    let counting: ReturnType<typeof setTimeout> | undefined
    const stop = app.live.onRequests((rows) => {
      const news = isLive() ? source.put(rows) : []
      if (news.length === 0) return
      if (Date.now() - countedAt.current > countEveryMs) void count(source)
      counting ??= setTimeout(() => {
        counting = undefined
        setCounted((turn) => turn + 1)
      }, 500)
      if (mayShow()) show(source, new Set(news.map(({ request_id }) => request_id)))
      else setShown(({ of, rows }) => ({ of, rows: { ...rows, unseen: rows.unseen + news.length } }))
    })
    return () => {
      stop()
      clearTimeout(counting)
    }
  }, [source])

  const more = async () => {
    // After a failure the rows stay, and scrolling on asks again.
    const hasLoaded = await source?.more(pageRows).catch(() => false)
    if (source === undefined || hasLoaded !== true || latest.current !== source) return
    show(source)
    setCounted((turn) => turn + 1)
  }
  const now = Date.now()
  const tally = useMemo(() => {
    const { from, to = Date.now() } = requestFilter(query, Date.now())
    const all = source?.tally()
    return all === undefined ? undefined : { buckets: all.between(from, to), widthMs: all.widthMs, total: all.total() }
  }, [source, counted])
  return {
    data,
    /** Of the source alone that is shown now. */
    list: shown.of === source ? shown.rows : first,
    tally,
    more,
    showNews: () => source !== undefined && show(source),
    filter: requestFilter(query, now)
  }
}

/** True if any request is kept. */
const hasRequests = async (app: Parameters<typeof requestSource>[0]): Promise<boolean> => {
  const filter = requestFilter(new URLSearchParams("range=30d"), Date.now())
  const any = requestSource(app, filter)
  await any.more(1, 1)
  return any.rows().length > 0
}
