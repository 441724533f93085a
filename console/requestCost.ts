import type { RequestView } from "../src/requests/RequestView.ts"
import type { App } from "./app.ts"
import { words } from "./words/words.ts"

/** A line of a request's cost. */
export interface CostLine {
  readonly kind: string
  readonly count: number
  /** Dollars per million tokens, or per piece. */
  readonly price: number
  readonly perPiece: boolean
  readonly usd: number
}

export interface Cost {
  readonly lines: ReadonlyArray<CostLine>
  readonly usd: number
  readonly isEstimated: boolean
}

interface Rates {
  readonly input?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly cacheWriteHour?: number
  readonly output?: number
}
interface Entry {
  readonly request_id: string
  readonly estimated: boolean
  readonly price: { readonly rates?: Rates; readonly search?: number; readonly videoSecond?: number } | null
  readonly input_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  /** Absent in answers of an older node. */
  readonly cache_write_1h_tokens?: number
  readonly output_tokens: number
  readonly searches: number
  readonly video_seconds: number
  readonly cost: { readonly nano_usd: number }
}

/** A gateway without `settled_at` stored usage within this time of the request's end. */
const aroundMs = 5_000

/** Tokens × price, as settled; undefined if no usage row is found. */
export const costOf = async (app: App, request: RequestView): Promise<Cost | undefined> => {
  const beganMs = Date.parse(request.time)
  const endedMs = beganMs + request.duration_ms
  const query = new URLSearchParams({
    by: "request",
    key: request.key,
    ...(request.model === null ? {} : { model: request.model }),
    since: request.settled_at ?? new Date(beganMs - aroundMs).toISOString(),
    until: request.settled_at ?? new Date(endedMs + aroundMs).toISOString(),
    limit: "1000"
  })
  const base = app.session.kind === "operator" ? "/admin/v1/usage" : "/v1/usage"
  const { data } = await app.client.json<{ readonly data: ReadonlyArray<Entry> }>(`${base}?${query.toString()}`)
  const entry = data.find(({ request_id }) => request_id === request.request_id)
  return entry === undefined ? undefined : linesOf(entry)
}

const linesOf = (entry: Entry): Cost => {
  const { kinds } = words.request
  const rates = entry.price?.rates ?? {}
  const { cache_write_1h_tokens: forAnHour = 0 } = entry
  const perMillion = (kind: string, count: number, nano: number | undefined): CostLine => ({
    kind,
    count,
    price: (nano ?? 0) / 1e9,
    perPiece: false,
    usd: (count * (nano ?? 0)) / 1e15
  })
  const perPiece = (kind: string, count: number, nano: number | undefined): CostLine => ({
    kind,
    count,
    price: (nano ?? 0) / 1e9,
    perPiece: true,
    usd: (count * (nano ?? 0)) / 1e9
  })
  return {
    lines: [
      perMillion(kinds.input, entry.input_tokens, rates.input),
      perMillion(kinds.read, entry.cache_read_tokens, rates.cacheRead),
      perMillion(kinds.write, entry.cache_write_tokens - forAnHour, rates.cacheWrite),
      perMillion(kinds.writeHour, forAnHour, rates.cacheWriteHour ?? rates.cacheWrite),
      perMillion(kinds.output, entry.output_tokens, rates.output),
      perPiece(kinds.search, entry.searches, entry.price?.search),
      perPiece(kinds.video, entry.video_seconds, entry.price?.videoSecond)
    ].filter(({ count }) => count > 0),
    usd: entry.cost.nano_usd / 1e9,
    isEstimated: entry.estimated
  }
}
