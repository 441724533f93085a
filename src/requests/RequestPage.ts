import { Clock, Effect, Schema } from "effect"
import type { InvalidRequest } from "../contract/failures/Failure.ts"
import { answerField } from "../contract/fields.ts"
import { requestFields } from "../contract/records/measureFields.ts"
import type { Own } from "../contract/callers/Own.ts"
import { pageOf } from "../contract/paging.ts"
import { mapInTurns } from "../flow/inTurns.ts"
import { upstreamCost } from "../ledger/Money.ts"
import { failedOf } from "./RequestHistogram.ts"
import { listFilterOf, whoseConversation } from "./RequestQuery.ts"
import { operatorView, requestView, RequestView } from "./RequestView.ts"
import type { RequestStore } from "./store/RequestStore.ts"
import type { Totals } from "./store/requestTotals.ts"

const count = (description: string) => answerField(Schema.Int, description)
const time = (description: string) => answerField(Schema.NullOr(Schema.String), description)

const RequestTotals = Schema.Struct({
  requests: count("Requests."),
  refused: count("Refused requests: 4xx."),
  failed: count("Failed requests: 5xx, or cut after their 200."),
  hang_ups: count("Requests whose client left."),
  first_at: time("Start of the first one (ISO 8601, UTC); null if there is none."),
  last_at: time("End of the last one."),
  ...requestFields,
  cost_usd: answerField(Schema.Number, "Their cost, with that of the tasks that they created, in dollars."),
  upstream_cost_usd: upstreamCost
}).annotations({ identifier: "RequestTotals" })
export type RequestTotals = typeof RequestTotals.Type

/** A page of requests. */
export const RequestPage = Schema.Struct({
  ...pageOf(RequestView).fields,
  totals: Schema.optional(RequestTotals).annotations({
    description: "With `conversation`, on the first page: sums of all requests that the filters match."
  })
})
export type RequestPage = typeof RequestPage.Type

type PageQuery = Parameters<typeof listFilterOf>[0] & {
  readonly limit?: number | undefined
  readonly after?: string | undefined
}

/** Requests, newest first. @param own only these, as an account sees its own; by default all, for operators */
export const requestPage = Effect.fnUntraced(function* (
  store: RequestStore,
  { after, limit = 100, ...query }: PageQuery,
  own?: Own
): Effect.fn.Return<RequestPage, InvalidRequest> {
  const filter = { ...listFilterOf(query, yield* Clock.currentTimeMillis), owner: own?.account, keys: own?.keys }
  const whose = yield* whoseConversation(filter)
  const before = after === undefined ? undefined : Number(after)
  const { data, next } = yield* Effect.orDie(
    store.list(filter, { before: Number.isSafeInteger(before) ? before : undefined, limit })
  )
  const page = {
    object: "list" as const,
    data: yield* Effect.promise(() => mapInTurns(data, own === undefined ? operatorView : requestView)),
    next: next === undefined ? null : String(next)
  }
  if (whose === undefined || after !== undefined) return page
  return { ...page, totals: totalsOf(yield* Effect.orDie(store.totals(whose, filter)), own === undefined) }
})

const totalsOf = (sums: Totals, isOperator: boolean): RequestTotals => {
  const { cost_nano_usd, errors: _, span, upstream_cost_nano_usd, ...counts } = sums
  return {
    ...counts,
    failed: failedOf(sums),
    first_at: span === undefined ? null : new Date(span.fromMs).toISOString(),
    last_at: span === undefined ? null : new Date(span.toMs).toISOString(),
    cost_usd: cost_nano_usd / 1e9,
    ...(isOperator ? { upstream_cost_usd: upstream_cost_nano_usd / 1e9 } : {})
  }
}
