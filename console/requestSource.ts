import type { RequestView } from "../src/requests/RequestView.ts"
import type { App } from "./app.ts"
import { asked, fits, idIn, isIn } from "./requestFilter.ts"
import type { RequestFilter } from "./requestFilter.ts"
import { niceWidth, requestTally } from "./requestTally.ts"
import type { RequestTally } from "./requestTally.ts"

interface Page {
  readonly data: ReadonlyArray<RequestView>
  readonly next: string | null
}

/** The most rows scanned without being asked again, if few match. */
const mostScanned = 20_000
/** Rows per page: few enough for one frame; more if the page filters them. */
const [pageRows, scannedRows] = [500, 1_000]
/** The approximate number of histogram buckets. */
const mostBuckets = 120

/** An empty histogram with the final number of buckets. */
export const emptyTally = (from: number, to: number): RequestTally => requestTally(niceWidth((to - from) / mostBuckets))

/** Rows of requests, newest first, page by page, and their total number; an account's session gets only its own. */
export const requestSource = ({ client, session }: Pick<App, "client" | "session">, filter: RequestFilter) => {
  const isOperator = session.kind === "operator"
  const { isAll, query } = asked(filter, isOperator ? undefined : (session.account_id ?? ""))
  const until = filter.to ?? Date.now()
  const times = { from: new Date(filter.from).toISOString(), to: new Date(until).toISOString() }
  const seen = new Set<string>()
  // Grows in place, because copying it for each page would copy millions of rows.
  const rows: Array<RequestView> = []
  let [after, isDone, scanned]: [string | undefined, boolean, number] = [undefined, false, 0]
  let tally = emptyTally(filter.from, until)
  let isWhole = false
  let countedTo = Infinity
  let isLoading = false

  const fitting = (page: ReadonlyArray<RequestView>, fit: (row: RequestView) => boolean) =>
    page.filter((row) => {
      if (seen.has(row.request_id) || !fit(row)) return false
      seen.add(row.request_id)
      return true
    })
  const fitsHere = (row: RequestView) => fits(filter, row)
  /** Rows that the gateway has filtered completely: the page only knows keys that exist now. */
  const fitsAsFound = isAll ? (row: RequestView) => isIn(filter, row) : fitsHere
  const page = async (limit: number): Promise<Page> => {
    const id = idIn(filter)
    if (id !== undefined) {
      const found = await requestById({ client, session }, id).catch(() => undefined)
      return { data: found === undefined ? [] : [found], next: null }
    }
    const of = { since: times.from, until: times.to, limit, ...(after === undefined ? {} : { after }) }
    return isOperator
      ? client.admin((admin) => admin.adminOperations.listRequests({ urlParams: { ...query, ...of } }))
      : client.own((own) => own.account.requests({ urlParams: { ...query, ...of } }))
  }
  const load = async (least: number, limit = isAll ? pageRows : scannedRows): Promise<void> => {
    const wanted = rows.length + least
    const until = scanned + mostScanned
    while (!isDone && rows.length < wanted && scanned < until) {
      const { data, next } = await page(limit)
      after = next ?? undefined
      isDone = next === null
      scanned += data.length
      const added = fitting(data, idIn(filter) === undefined ? fitsAsFound : fitsHere)
      for (const row of added) rows.push(row)
      if (!isWhole) tally.add(added)
      limit = isAll ? pageRows : scannedRows
    }
  }

  return {
    /** True if the gateway applies the whole filter; otherwise rows are filtered here. */
    isAll,
    /**
     * Loads more rows, unless a call that does so still runs: each page is asked for once.
     *
     * @param least the least number of matching rows, if there are so many
     * @returns true if this call has loaded
     */
    async more(least: number, limit?: number): Promise<boolean> {
      if (isLoading || isDone) return false
      isLoading = true
      try {
        await load(least, limit)
      } finally {
        isLoading = false
      }
      return true
    },
    /** Lets the gateway count all matches, if it knows the whole filter; false if only loaded rows are counted. */
    async count(): Promise<boolean> {
      if (!isAll || idIn(filter) !== undefined) return false
      const of = { from: times.from, ...(filter.to === undefined ? {} : { to: times.to }), buckets: mostBuckets }
      const histogram = isOperator
        ? await client.admin((admin) => admin.adminOperations.requestHistogram({ urlParams: { ...query, ...of } }))
        : await client.own((own) => own.account.requestHistogram({ urlParams: { ...query, ...of } }))
      tally = requestTally(histogram.bucket_seconds * 1_000)
      tally.addAll(histogram)
      isWhole = true
      countedTo = Date.parse(histogram.to)
      return true
    },
    rows: (): ReadonlyArray<RequestView> => rows,
    find: (id: string) => (seen.has(id) ? rows.find((row) => row.request_id === id) : undefined),
    tally: (): RequestTally => tally,
    /** True if the tally covers all matches. */
    isCounted: () => isWhole || isDone,
    isDone: () => isDone,
    scanned: () => scanned,
    /** Puts new matching rows first. */
    put(page: ReadonlyArray<RequestView>): ReadonlyArray<RequestView> {
      const news = fitting(page, fitsHere).sort((one, other) => (one.time < other.time ? 1 : -1))
      if (news.length === 0) return news
      rows.unshift(...news)
      // Requests that ended before the gateway's count are included in it.
      tally.add(isWhole ? news.filter((row) => Date.parse(row.time) + row.duration_ms > countedTo) : news)
      return news
    }
  }
}
/** One request with its recorded bodies. */
export const requestById = ({ client, session }: Pick<App, "client" | "session">, id: string) =>
  session.kind === "operator"
    ? client.admin((admin) => admin.adminOperations.showRequest({ path: { id } }))
    : client.own((own) => own.account.request({ path: { id } }))

/** The newest requests of a request's conversation, with the sums of all. */
export const conversationOf = async (
  { client, session }: Pick<App, "client" | "session">,
  { account, conversation }: Pick<RequestView, "account" | "conversation">
) => {
  if (conversation === null) return undefined
  return session.kind === "operator"
    ? client.admin((admin) => admin.adminOperations.listRequests({ urlParams: { account, conversation } }))
    : client.own((own) => own.account.requests({ urlParams: { conversation } }))
}

export type RequestSource = ReturnType<typeof requestSource>
