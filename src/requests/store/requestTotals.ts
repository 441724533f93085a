import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { settledSums } from "../../ledger/store/settledSums.ts"
import { rows } from "../../sql/decode.ts"
import { countedSql } from "./counted.ts"
import { matching } from "./matching.ts"
import type { RequestFilter, Whose } from "./matching.ts"
import { requestIds } from "./requestIds.ts"
import { requestSlices } from "./requestSlices.ts"

/** Sums of requests, with the usage and cost of the tasks that they created. */
export type Totals = Readonly<Record<keyof typeof nothing, number>> & {
  /** The start of the first request and the end of the last, in Unix ms; undefined if there are none. */
  readonly span: { readonly fromMs: number; readonly toMs: number } | undefined
}

/** Adds up the matching requests of an account or a conversation, in short statements. */
export const requestTotals = (sql: SqlClient.SqlClient) => {
  const { ends } = requestIds(sql)
  const inSlices = requestSlices(sql)
  const { ofTasks } = settledSums(sql)

  return Effect.fnUntraced(function* (whose: Whose, filter: RequestFilter): Effect.fn.Return<Totals, SqlError> {
    const total = { ...nothing }
    let span: Totals["span"]
    const add = (some: Partial<typeof nothing>) => {
      for (const name of names) total[name] += some[name] ?? 0
    }
    const all = yield* ends
    if (all === undefined) return { ...total, span }
    const conditions = matching(sql, { ...filter, owner: whose.account, conversation: whose.conversation })
    yield* inSlices({ from: all.first, until: all.last + 1, whose }, (slice) =>
      Effect.gen(function* () {
        const within = sql.and([slice, ...conditions])
        const some = stretch.first(
          yield* sql`SELECT MIN(at) AS from_ms, MAX(at + duration_ms) AS to_ms, ${sql.literal(countedSql)},
            ${sql.literal(summed)} FROM requests WHERE ${within} HAVING COUNT(*) > 0`
        )
        if (some === undefined) return
        add(some)
        span = { fromMs: Math.min(span?.fromMs ?? Infinity, some.from_ms), toMs: Math.max(span?.toMs ?? 0, some.to_ms) }
        const open = unsettled.all(yield* sql`SELECT request_id FROM requests WHERE ${within} AND settled_at IS NULL`)
        for (const task of (yield* ofTasks(open.map(({ request_id }) => request_id))).values())
          add({ ...task, requests: 0 })
      })
    )
    return { ...total, span }
  })
}

const nothing = {
  requests: 0,
  errors: 0,
  refused: 0,
  hang_ups: 0,
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  searches: 0,
  cost_nano_usd: 0,
  upstream_cost_nano_usd: 0
}
const names = [
  "requests",
  "errors",
  "refused",
  "hang_ups",
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
  "searches",
  "cost_nano_usd",
  "upstream_cost_nano_usd"
] as const

/** Older rows have no upstream cost: it equals the charge. */
const valueOf = (name: string) =>
  name === "upstream_cost_nano_usd" ? "COALESCE(upstream_cost_nano_usd, cost_nano_usd)" : name
const summed = names
  .slice(4)
  .map((name) => `CAST(COALESCE(SUM(${valueOf(name)}), 0) AS BIGINT) AS ${name}`)
  .join(", ")

const stretch = rows("requests", {
  from_ms: Schema.Int,
  to_ms: Schema.Int,
  requests: Schema.Int,
  errors: Schema.Int,
  refused: Schema.Int,
  hang_ups: Schema.Int,
  input_tokens: Schema.Int,
  cache_read_tokens: Schema.Int,
  cache_write_tokens: Schema.Int,
  output_tokens: Schema.Int,
  reasoning_tokens: Schema.Int,
  searches: Schema.Int,
  cost_nano_usd: Schema.Int,
  upstream_cost_nano_usd: Schema.Int
})
const unsettled = rows("requests", { request_id: Schema.String })
