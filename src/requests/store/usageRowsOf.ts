import type { SqlClient } from "@effect/sql"
import { Data, Effect, Option, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { settledSums } from "../../ledger/store/settledSums.ts"
import type { UsageQuery, UsageSums } from "../../ledger/store/usageGroup.ts"
import { ofAccount } from "./matching.ts"
import { LabelsText } from "../labels.ts"
import type { Labels } from "../labels.ts"
import { outcomeOf } from "../outcome.ts"
import { requestIds } from "./requestIds.ts"
import { requestSlices } from "./requestSlices.ts"
import { ofKeys } from "../../sql/ofKeys.ts"

/** The settled usage of a stored request. */
export interface UsedRequest {
  readonly used: UsageSums
  readonly tags: ReadonlyArray<string>
  /** Empty if it has none. */
  readonly endUser: string
}

class TooManyRows extends Data.TaggedError("TooManyRows")<{ readonly most: number }> {}

/** Reading more rows would take minutes. */
const mostRows = 5_000_000

/** Reads the settled requests of a time span in short statements. A request that created a task has the task's usage. */
export const usageRowsOf = (sql: SqlClient.SqlClient) => {
  const { idsWithin } = requestIds(sql)
  const inSlices = requestSlices(sql)
  const { ofTasks } = settledSums(sql)

  return Effect.fnUntraced(function* (
    { account, key, keys, model, sinceMs, untilMs }: UsageQuery,
    see: (row: UsedRequest) => void
  ): Effect.fn.Return<void, TooManyRows> {
    const conditions = [
      sql`at >= ${sinceMs}`,
      sql`at <= ${untilMs}`,
      ...ofKeys(sql, keys),
      ...(key === undefined ? [] : [sql`key_id = ${key}`]),
      ...(model === undefined ? [] : [sql`model = ${model}`])
    ]
    let looked = 0
    const reading = Effect.gen(function* () {
      const ids = yield* idsWithin({ fromMs: sinceMs, toMs: untilMs + 1 })
      if (ids === undefined) return
      yield* inSlices({ ...ids, whose: ofAccount(account), isDescending: true }, (within) =>
        Effect.gen(function* () {
          const some = stored.all(
            yield* sql`SELECT request_id, status, error, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,
                reasoning_tokens, searches, cost_nano_usd, upstream_cost_nano_usd, details FROM requests
              WHERE ${sql.and([within, ...conditions])}`
          )
          looked += some.length
          if (looked > mostRows) return true
          const open = some.filter(({ cost_nano_usd }) => cost_nano_usd === null)
          const tasks = yield* ofTasks(open.map(({ request_id }) => request_id))
          for (const row of some) {
            const task = tasks.get(row.request_id)
            const used = usedOf({ ...row, requests: isServed(row) ? 1 : 0, ...task })
            if (used === undefined) continue
            const details = Option.getOrElse(detailsOf(row.details), () => nothingNamed)
            const { end_user: endUser = "", tags = [] } = details
            const aboveHoldNanoUsd = task?.above_hold_nano_usd ?? details.above_hold_nano_usd ?? 0
            see({ used: { ...used, aboveHoldNanoUsd }, tags, endUser })
          }
          return false
        })
      )
    })
    yield* Effect.orDie(reading)
    if (looked > mostRows) return yield* new TooManyRows({ most: mostRows })
  })
}

const nothingNamed: Labels = {}
const detailsOf = Schema.decodeUnknownOption(LabelsText)

const stored = rows("requests", {
  request_id: Schema.String,
  status: Schema.Int,
  error: Schema.String,
  input_tokens: Schema.Int,
  cache_read_tokens: Schema.Int,
  cache_write_tokens: Schema.Int,
  output_tokens: Schema.Int,
  reasoning_tokens: Schema.Int,
  searches: Schema.Int,
  cost_nano_usd: Schema.NullOr(Schema.Int),
  upstream_cost_nano_usd: Schema.NullOr(Schema.Int),
  details: Schema.String
})
type Stored = ReturnType<typeof stored.one>

/** False for a request that failed: what it has was the operator's. */
const isServed = (row: Pick<Stored, "error" | "status">): boolean => {
  const outcome = outcomeOf(row)
  return outcome === "finished" || outcome === "hang_up"
}

/** Undefined for a request that is not settled. */
const usedOf = (row: Stored & { readonly requests: number }): Omit<UsageSums, "aboveHoldNanoUsd"> | undefined =>
  row.cost_nano_usd === null
    ? undefined
    : {
        requests: row.requests,
        inputTokens: row.input_tokens,
        cacheReadTokens: row.cache_read_tokens,
        cacheWriteTokens: row.cache_write_tokens,
        outputTokens: row.output_tokens,
        reasoningTokens: row.reasoning_tokens,
        searches: row.searches,
        videoFrames: 0,
        costNanoUsd: row.cost_nano_usd,
        upstreamCostNanoUsd: row.upstream_cost_nano_usd ?? row.cost_nano_usd
      }
