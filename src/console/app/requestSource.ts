import type { RequestView } from "../../requests/RequestView.ts"
import type { App } from "./app.ts"
import { asked, fits } from "./requestFilter.ts"
import type { RequestFilter } from "./requestFilter.ts"

interface Page {
  readonly data: ReadonlyArray<RequestView>
  readonly next: string | null
}

/** Rows looked through at most without being asked again, where few fit. */
const mostScanned = 20_000

/** Rows of requests, newest first, page by page; an account's session gets its own alone. */
export const requestSource = (app: App, filter: RequestFilter, keyName: (id: string) => string) => {
  const query = asked(filter, Date.now())
  const base = app.session.kind === "operator" ? "/admin/v1/requests" : "/v1/requests"
  const seen = new Set<string>()
  const state: { rows: ReadonlyArray<RequestView>; after: string | undefined; isDone: boolean; scanned: number } = {
    rows: [],
    after: undefined,
    isDone: false,
    scanned: 0
  }
  const added = (rows: ReadonlyArray<RequestView>) =>
    rows.filter((row) => {
      if (seen.has(row.request_id) || !fits(filter, row, keyName)) return false
      seen.add(row.request_id)
      return true
    })
  /** @param least of rows that fit, where there are so many */
  const more = async (limit: number, least: number): Promise<void> => {
    const wanted = state.rows.length + least
    const until = state.scanned + mostScanned
    while (!state.isDone && state.rows.length < wanted && state.scanned < until) {
      const search = new URLSearchParams({
        ...query,
        limit: String(limit),
        ...(state.after === undefined ? {} : { after: state.after })
      })
      const page = await app.client.json<Page>(`${base}?${search.toString()}`)
      state.after = page.next ?? undefined
      state.isDone = page.next === null
      state.scanned += page.data.length
      state.rows = [...state.rows, ...added(page.data)]
      limit = 1_000
    }
  }
  return {
    more,
    rows: () => state.rows,
    isDone: () => state.isDone,
    scanned: () => state.scanned,
    /** Rows that have just come, of which those that fit are put first. */
    put(rows: ReadonlyArray<RequestView>): ReadonlyArray<RequestView> {
      const news = [...added(rows)].sort((one, other) => (one.time < other.time ? 1 : -1))
      if (news.length > 0) state.rows = [...news, ...state.rows]
      return news
    }
  }
}
export type RequestSource = ReturnType<typeof requestSource>
