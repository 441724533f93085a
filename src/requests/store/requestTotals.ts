import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema, Struct } from "effect"
import { tasksUsage } from "../../ledger/store/tasksUsage.ts"
import { rows } from "../../sql/decode.ts"
import type { Span } from "../../sums/Book.ts"
import { addSums, noSums, sumFields } from "../../sums/Sums.ts"
import type { Sums } from "../../sums/Sums.ts"
import { sumsSql } from "../../sums/store/sumsIn.ts"
import { matchConditions } from "./matchConditions.ts"
import type { RequestFilter, Whose } from "./matchConditions.ts"
import { requestValues } from "./requestBook.ts"
import { requestIds } from "./requestIds.ts"
import { requestSlices } from "./requestSlices.ts"

/** Sums of requests, with the usage and cost of the tasks that they created. */
export type Totals = Readonly<Pick<Sums, (typeof names)[number]>> & {
  /** The start of the first request and the end of the last; undefined if there are none. */
  readonly span: Span | undefined
}

/** Adds up the matching requests of an account or a conversation, in short statements. */
export const requestTotals = (sql: SqlClient.SqlClient) => {
  const { ends } = requestIds(sql)
  const inSlices = requestSlices(sql)
  const ofTasks = tasksUsage(sql)

  return Effect.fnUntraced(function* (whose: Whose, filter: RequestFilter): Effect.fn.Return<Totals, SqlError> {
    const total = noSums()
    let span: Span | undefined
    const all = yield* ends
    if (all === undefined) return { ...Struct.pick(total, ...names), span }
    const conditions = matchConditions(sql, { ...filter, owner: whose.account, conversation: whose.conversation })
    yield* inSlices({ from: all.first, until: all.last + 1, whose }, (slice) =>
      Effect.gen(function* () {
        const within = sql.and([slice, ...conditions])
        const [some] = yield* sql`SELECT MIN(at) AS from_ms, MAX(at + duration_ms) AS to_ms, ${sql.literal(summed)}
          FROM requests WHERE ${within} HAVING COUNT(*) > 0`
        if (some === undefined) return 0
        const { from_ms, to_ms, ...sums } = stretch.one(some)
        addSums(total, sums)
        span = { fromMs: Math.min(span?.fromMs ?? Infinity, from_ms), toMs: Math.max(span?.toMs ?? 0, to_ms) }
        const open = unsettled.all(yield* sql`SELECT request_id FROM requests WHERE ${within} AND settled_at IS NULL`)
        for (const task of (yield* ofTasks(open.map(({ request_id }) => request_id))).values()) {
          addSums(total, { ...task, requests: 0 })
        }
        return open.length
      })
    )
    return { ...Struct.pick(total, ...names), span }
  })
}

/** Older rows have no upstream cost: it equals the charge. */
const values = [
  ...requestValues,
  ["cost_nano_usd", "cost_nano_usd"],
  ["upstream_cost_nano_usd", "COALESCE(upstream_cost_nano_usd, cost_nano_usd)"]
] as const
const names = values.map(([name]) => name)
const summed = sumsSql(values)
const stretch = rows("requests", { from_ms: Schema.Int, to_ms: Schema.Int, ...Struct.pick(sumFields, ...names) })
const unsettled = rows("requests", { request_id: Schema.String })
