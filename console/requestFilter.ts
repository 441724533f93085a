import { outcomeOf, outcomes } from "../src/requests/outcome.ts"
import type { RequestView } from "../src/requests/RequestView.ts"
import { matches } from "../src/contract/text/matches.ts"

export const ranges = { "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000, "30d": 2_592_000_000 } as const
export type Range = keyof typeof ranges
export const isRange = (text: string | null): text is Range => text !== null && text in ranges

export const filterNames = ["outcome", "model", "upstream", "account"] as const

/** A filter of requests: a time span and conditions. */
export interface RequestFilter {
  readonly from: number
  /** Undefined: up to now, and live. */
  readonly to: number | undefined
  readonly spanMs: number
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>
  readonly bare: ReadonlyArray<string>
}

export const requestFilter = (query: URLSearchParams, now: number): RequestFilter => {
  const gatewayFilter = query.get("range")
  const range = ranges[isRange(gatewayFilter) ? gatewayFilter : "1h"]
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
    fields: [...chosen, ...fields.filter(([name]) => name in values)],
    // Unknown fields are words with a colon.
    bare: [...bare, ...fields.flatMap(([name, value]) => (name in values ? [] : [`${name}:${value}`]))]
  }
}

/** `model:claude-* tag:"night run" timeout` → the fields and the other words. */
const searchTerms = (text: string) => {
  const fields: Array<readonly [name: string, value: string]> = []
  const bare: Array<string> = []
  for (const [part, name, value] of text.matchAll(/([^\s:"]+):"([^"]*)"(?!\S)|\S+/g)) {
    const at = part.indexOf(":")
    if (name !== undefined && value !== undefined) fields.push([name, value])
    else if (at > 0) fields.push([part.slice(0, at), part.slice(at + 1)])
    else bare.push(part)
  }
  return { fields, bare }
}

const values: Readonly<Record<string, (row: RequestView) => ReadonlyArray<string | null>>> = {
  status: (row) => [String(row.status), `${String(row.status)[0] ?? ""}xx`],
  outcome: (row) => [outcomeOf(row)],
  model: (row) => [row.model],
  upstream: (row) => [row.upstream],
  attempt: (row) => row.attempts.map(({ upstream }) => upstream),
  account: (row) => [row.account],
  key: (row) => [row.key, row.key_name],
  endpoint: (row) => [row.endpoint, row.family],
  family: (row) => [row.family],
  client: (row) => [row.client, row.client?.split("/")[0] ?? null],
  tag: (row) => row.tags,
  user: (row) => [row.end_user],
  service_tier: (row) => [row.service_tier ?? null],
  price_gap: (row) => [row.price_gap ?? null],
  conversation: (row) => [row.conversation],
  task: (row) => [row.task],
  id: (row) => [row.request_id],
  error: (row) => [row.error]
}

/** Price quotes, which the playground requests before each request. Shown only on an explicit filter. */
const isQuestion = (row: RequestView): boolean => row.family === "account"

/** True if a live row matches; the gateway applies the same filter to stored rows. */
export const fits = (filter: RequestFilter, row: RequestView): boolean => {
  if (!isIn(filter, row)) return false
  if (isQuestion(row) && !filter.fields.some(([name]) => name === "endpoint" || name === "family" || name === "id")) {
    return false
  }
  for (const [name, value] of filter.fields) {
    const of = values[name]
    if (of !== undefined && !of(row).some((text) => text !== null && matches(value, text))) return false
  }
  return filter.bare.every(
    (word) =>
      word === String(row.status) ||
      word === outcomeOf(row) ||
      [
        row.request_id,
        row.model,
        row.endpoint,
        row.account,
        row.key,
        row.key_name,
        row.upstream,
        row.client,
        row.error
      ].some((text) => text !== null && matches(`*${word}*`, text))
  )
}

/** True if a row is in the time span. */
export const isIn = ({ from, to }: Pick<RequestFilter, "from" | "to">, { time }: RequestView): boolean => {
  const at = Date.parse(time)
  return at >= from && (to === undefined || at < to)
}

/** The gateway's limits: characters of a text, and number of words. */
const [longest, mostWords] = [200, 5]

/** A field as the gateway's parameter; undefined if the page must filter by it. */
const askedField = (name: string, value: string): readonly [name: string, value: string] | undefined => {
  if (value.length > longest) return undefined
  switch (name) {
    case "endpoint":
      return [/^\*?\//.test(value) ? name : "family", value]
    case "outcome":
      return outcomes.some((outcome) => outcome === value) ? [name, value] : undefined
    case "status": {
      const status = value.replace(/^([1-5])\*{1,2}$/, "$1xx")
      return /^[1-5](\d\d|xx)$/.test(status) ? [name, status] : undefined
    }
    default:
      return [name, value]
  }
}

/**
 * The filter that the gateway applies, and whether that is all of it; the page applies the rest to loaded rows.
 *
 * @param own the only account whose rows are listed; undefined for an operator
 */
export const asked = (
  filter: RequestFilter,
  own: string | undefined
): { readonly query: Readonly<Record<string, string>>; readonly isAll: boolean } => {
  const query: Record<string, string> = {}
  let isAll = true
  for (const [name, value] of filter.fields) {
    if (own !== undefined && name === "account" && matches(value, own)) continue
    const field = own !== undefined && name === "account" ? undefined : askedField(name, value)
    if (field === undefined || (query[field[0]] ?? field[1]) !== field[1]) isAll = false
    else query[field[0]] = field[1]
  }
  const search = filter.bare.join(" ")
  if (filter.bare.length > mostWords || search.length > longest) isAll = false
  else if (search !== "") query["search"] = search
  return { query, isAll }
}

export const isRequestId = (text: string): boolean => /^req_[\w-]{20,}$/.test(text)

/** The id of a filter for one request. */
export const idIn = ({ bare, fields }: RequestFilter): string | undefined =>
  [...bare, ...fields.flatMap(([name, value]) => (name === "id" ? [value] : []))].find(isRequestId)
