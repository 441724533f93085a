import { Option, Schema } from "effect"
import type { UsageRecord } from "../src/ledger/UsageRecord.ts"
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

const nano = Schema.optional(Schema.Number)
const Price = Schema.Struct({
  rates: Schema.optional(
    Schema.Struct({ input: nano, cacheRead: nano, cacheWrite: nano, cacheWriteHour: nano, output: nano })
  ),
  search: nano,
  videoSecond: nano
})
const priceOf = (price: unknown): typeof Price.Type =>
  Option.getOrElse(Schema.decodeUnknownOption(Price)(price), () => ({}))

type Entry = Extract<UsageRecord["data"][number], { readonly request_id: string }>

/** A gateway without `settled_at` stored usage within this time of the request's end. */
const aroundMs = 5_000

/** Tokens × price, as settled; undefined if no usage row is found. */
export const costOf = async (app: Pick<App, "client" | "session">, request: RequestView): Promise<Cost | undefined> => {
  const beganMs = Date.parse(request.time)
  const endedMs = beganMs + request.duration_ms
  const urlParams = {
    by: "request",
    key: request.key,
    ...(request.model === null ? {} : { model: request.model }),
    since: request.settled_at ?? new Date(beganMs - aroundMs).toISOString(),
    until: request.settled_at ?? new Date(endedMs + aroundMs).toISOString(),
    limit: 1_000
  }
  const { data } =
    app.session.kind === "operator"
      ? await app.client.admin((admin) => admin.adminOperations.usage({ urlParams }))
      : await app.client.own((own) => own.account.usage({ urlParams }))
  for (const row of data) if ("request_id" in row && row.request_id === request.request_id) return linesOf(row)
  return undefined
}

const linesOf = (entry: Entry): Cost => {
  const { kinds } = words.request
  const { rates = {}, search, videoSecond } = priceOf(entry.price)
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
      perPiece(kinds.search, entry.searches, search),
      perPiece(kinds.video, entry.video_seconds, videoSecond)
    ].filter(({ count }) => count > 0),
    usd: entry.cost.nano_usd / 1e9,
    isEstimated: entry.estimated
  }
}
