import { outcomeOf, outcomes } from "../../requests/outcome.ts"
import type { RequestView } from "../../requests/RequestView.ts"
import { searchTerms } from "./components/filterBar.ts"
import { matches } from "./format.ts"

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
  upstream: (row) => [row.upstream],
  attempt: (row) => row.attempts.map(({ upstream }) => upstream),
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

type Keys = ReadonlyMap<string, string>

/** One field as the gateway looks for it; undefined where it can't, and the page has to. @param keys names by id */
const askedField = (name: string, value: string, keys: Keys): readonly [name: string, value: string] | undefined => {
  if (value.includes("*")) return undefined
  switch (name) {
    case "model":
    case "account":
    case "upstream":
    case "error":
    case "family":
      return [name, value]
    case "endpoint":
      return [value.startsWith("/") ? name : "family", value]
    case "outcome":
      return outcomes.some((outcome) => outcome === value) ? [name, value] : undefined
    case "status":
      return /^[1-5](\d\d|xx)$/.test(value) ? [name, value] : undefined
    case "key": {
      const ids = [...keys].flatMap(([id, of]) => (id === value || of === value ? [id] : []))
      return ids[0] !== undefined && ids.length === 1 ? [name, ids[0]] : undefined
    }
    default:
      return undefined
  }
}

/** What the gateway looks for itself, and whether that is all; the rest is looked for here. */
export const asked = (
  filter: RequestFilter,
  keys: Keys
): { readonly query: Readonly<Record<string, string>>; readonly isAll: boolean } => {
  const query: Record<string, string> = {}
  let isAll = filter.bare.length === 0
  for (const [name, value] of filter.fields) {
    const field = askedField(name, value, keys)
    if (field === undefined || (query[field[0]] ?? field[1]) !== field[1]) isAll = false
    else query[field[0]] = field[1]
  }
  return { query, isAll }
}

/** The one request that is asked for by its whole id. */
export const idIn = ({ bare, fields }: RequestFilter): string | undefined =>
  [...bare, ...fields.flatMap(([name, value]) => (name === "id" ? [value] : []))].find((text) =>
    /^req_[\w-]{20,}$/.test(text)
  )
