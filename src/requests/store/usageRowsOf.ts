import type { SqlClient } from "@effect/sql"
import { Data, Effect, Option, Schema, Struct } from "effect"
import { noColumns } from "../../contract/records/measures.ts"
import { rows } from "../../sql/decode.ts"
import { tasksUsage } from "../../ledger/store/tasksUsage.ts"
import type { UsageQuery, UsageSums } from "../../ledger/store/usageGroup.ts"
import { sumFields, usedMeasures } from "../../sums/Sums.ts"
import { ofAccount } from "./matchConditions.ts"
import { LabelsText } from "../labels.ts"
import type { Labels } from "../labels.ts"
import { outcomeOf } from "../outcome.ts"
import { tokens } from "./requestBook.ts"
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
  const ofTasks = tasksUsage(sql)

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
            yield* sql`SELECT ${sql.literal(names)} FROM requests WHERE ${sql.and([within, ...conditions])}`
          )
          looked += some.length
          if (looked > mostRows) return true
          const open = some.filter(({ cost_nano_usd }) => cost_nano_usd === null)
          const tasks = yield* ofTasks(open.map(({ request_id }) => request_id))
          for (const row of some) {
            const task = tasks.get(row.request_id)
            const cost = task?.cost_nano_usd ?? row.cost_nano_usd
            // It is not settled.
            if (cost === null) continue
            const { above_hold_nano_usd = 0, ...labels } = Option.getOrElse(detailsOf(row.details), () => nothingNamed)
            const own = { ...Struct.pick(row, ...tokens), requests: isServed(row) ? 1 : 0, above_hold_nano_usd }
            const upstreamCost = { upstream_cost_nano_usd: row.upstream_cost_nano_usd ?? cost, cost_nano_usd: cost }
            const used = { ...noColumns.usage_days, ...own, ...upstreamCost, ...task }
            see({ used: Struct.pick(used, ...usedMeasures), tags: labels.tags ?? [], endUser: labels.end_user ?? "" })
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

const columns = {
  request_id: Schema.String,
  status: Schema.Int,
  error: Schema.String,
  ...Struct.pick(sumFields, ...tokens),
  cost_nano_usd: Schema.NullOr(Schema.Int),
  upstream_cost_nano_usd: Schema.NullOr(Schema.Int),
  details: Schema.String
}
const names = Object.keys(columns).join(", ")
const stored = rows("requests", columns)
type Stored = ReturnType<typeof stored.one>

/** False for a request that failed: what it has was the operator's. */
const isServed = (row: Pick<Stored, "error" | "status">): boolean => {
  const outcome = outcomeOf(row)
  return outcome === "finished" || outcome === "hang_up"
}
