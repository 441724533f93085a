import type { RequestView } from "../../requests/RequestView.ts"
import { searchTerms } from "./components/filterBar.ts"
import { matches } from "./format.ts"
import { outcomeOf } from "./outcome.ts"

export const ranges = { "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000, "30d": 2_592_000_000 } as const
export type Range = keyof typeof ranges
export const isRange = (text: string | null): text is Range => text !== null && text in ranges

export const filterNames = ["outcome", "model", "upstream", "account"] as const

/** Which rows are asked for: a span, and what they must be like. */
export interface RequestFilter {
  readonly from: number
  /** Undefined: up to now, and what comes. */
  readonly to: number | undefined
  readonly spanMs: number
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>
  readonly bare: ReadonlyArray<string>
}

export const requestFilter = (query: URLSearchParams, now: number): RequestFilter => {
  const asked = query.get("range")
  const range = ranges[isRange(asked) ? asked : "1h"]
  const [from, to] = (query.get("t") ?? "").split("-").map(Number)
  const { bare, fields } = searchTerms(query.get("q") ?? "")
  const chosen = filterNames.flatMap((name) => {
    const value = query.get(name)
    return value === null || value === "" ? [] : [[name, value] as const]
  })
  const isZoomed = from !== undefined && to !== undefined && from > 0 && to > from
  return {
    from: isZoomed ? from : now - range,
    to: isZoomed ? to : undefined,
    spanMs: isZoomed ? to - from : range,
    fields: [...chosen, ...fields],
    bare
  }
}

const values: Readonly<
  Record<string, (row: RequestView, keyName: (id: string) => string) => ReadonlyArray<string | null>>
> = {
  status: (row) => [String(row.status), `${String(row.status)[0] ?? ""}xx`],
  outcome: (row) => [outcomeOf(row)],
  model: (row) => [row.model],
  upstream: (row) => [row.upstream, ...row.attempts.map(({ upstream }) => upstream)],
  account: (row) => [row.account],
  key: (row, keyName) => [row.key, keyName(row.key)],
  endpoint: (row) => [row.endpoint, row.family],
  family: (row) => [row.family],
  client: (row) => [row.client],
  tag: (row) => row.tags,
  user: (row) => [row.end_user],
  id: (row) => [row.request_id],
  error: (row) => [row.error]
}

/** What only asks about money: the playground does before each request. Shown where it is asked for by name. */
export const isQuestion = (row: RequestView): boolean => row.family === "account"

/** Whether a row is among those asked for. */
export const fits = (filter: RequestFilter, row: RequestView, keyName: (id: string) => string): boolean => {
  const at = Date.parse(row.time)
  if (at < filter.from || (filter.to !== undefined && at >= filter.to)) return false
  if (isQuestion(row) && !filter.fields.some(([name]) => name === "endpoint" || name === "family" || name === "id")) {
    return false
  }
  for (const [name, value] of filter.fields) {
    const of = values[name]
    if (of !== undefined && !of(row, keyName).some((text) => text !== null && matches(value, text))) return false
  }
  return filter.bare.every((word) =>
    [
      row.request_id,
      row.model,
      row.account,
      keyName(row.key),
      row.upstream,
      row.client,
      row.error,
      outcomeOf(row)
    ].some((text) => text !== null && text.includes(word))
  )
}

/** What of it the gateway can look for itself; the rest is looked for here. */
export const asked = (filter: RequestFilter, now: number): Readonly<Record<string, string>> => {
  const query: Record<string, string> = { since: new Date(filter.from).toISOString() }
  query["until"] = new Date(filter.to ?? now).toISOString()
  for (const [name, value] of filter.fields) {
    if (value.includes("*")) continue
    if (["model", "account", "error", "family"].includes(name)) query[name] = value
    if (name === "key" && value.startsWith("key_")) query["key"] = value
    if (name === "status" && /^[1-5](\d\d|xx)$/.test(value)) query["status"] = value
    if (name === "outcome" && value === "refused") query["status"] = "4xx"
    if (name === "outcome" && value === "failed") query["status"] = "5xx"
    if (name === "outcome" && value === "hang-up") query["error"] = "hang_up"
    if (name === "outcome" && value === "finished") query["status"] = "2xx"
  }
  return query
}

/** What rows add up to, in so many buckets. */
export const bucketsOf = (rows: ReadonlyArray<RequestView>, from: number, to: number, most: number) => {
  const widthMs = niceBucket((to - from) / most)
  const first = Math.floor(from / widthMs) * widthMs
  const buckets = Array.from({ length: Math.max(1, Math.ceil((to - first) / widthMs)) }, (_, at) => ({
    time: first + at * widthMs,
    well: 0,
    refused: 0,
    failed: 0
  }))
  for (const row of rows) {
    const bucket = buckets[Math.floor((Date.parse(row.time) - first) / widthMs)]
    if (bucket === undefined) continue
    const outcome = outcomeOf(row)
    if (outcome === "refused") bucket.refused += 1
    else if (outcome === "failed" || outcome === "cut") bucket.failed += 1
    else bucket.well += 1
  }
  return { buckets, widthMs }
}

const nice = [
  100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 108e5, 216e5, 432e5, 864e5
]
const niceBucket = (ms: number): number => nice.find((bucket) => bucket >= ms) ?? 864e5
