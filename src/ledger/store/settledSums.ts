import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { idsByTime } from "../../sql/idsByTime.ts"
import { slices } from "../../sql/slices.ts"
import { hourSlices } from "./hourSlices.ts"
import { allSummed } from "./usageStatements.ts"
import { hourSumNames, servedSql } from "./usageRows.ts"

/** The settled tokens, and money in nano-dollars. */
export interface Settled {
  readonly input_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  readonly output_tokens: number
  /** The charge of callers. */
  readonly cost_nano_usd: number
  /** The operator's cost at upstreams. */
  readonly upstream_cost_nano_usd: number
  /** The part of costs above their holds, which operators bear. */
  readonly above_hold_nano_usd: number
}

export interface SettledQuery {
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
  /** The only account, by its exact id: its rows have an index. */
  readonly owner?: string | undefined
  /** The column that separates groups; one group if absent. */
  readonly by?: "model" | "upstream" | "key_id" | "account_id" | undefined
  /** Conditions on `account_id`, `key_id`, `model` and `upstream`. */
  readonly where: ReadonlyArray<Fragment>
}

export interface SettledSteps extends SettledQuery {
  /** The start of the first step, and the length of each. */
  readonly firstMs: number
  readonly stepMs: number
  /** Conditions on rows that may take long for each. */
  readonly whereRow?: Fragment | undefined
}

interface Ids {
  readonly first: number
  /** Exclusive. */
  readonly until: number
}

const hourMs = 3_600_000
/** A node that can't reach the database writes its rows later than others do. */
const lateMs = 600_000

/**
 * Sums of settlements, by the time of settlement. They are exact: hours are added up in the statement that writes the
 * usage row, and shorter times come from the rows themselves, which are never removed.
 */
export const settledSums = (sql: SqlClient.SqlClient) => {
  const { ends, firstAt } = idsByTime(sql, { table: "usage", time: "at", lateMs })
  const nameOf = (by: SettledQuery["by"]) => sql.literal(by ?? "''")
  const summed = allSummed(sql)
  const inHours = hourSlices(sql, "usage_hours")

  /**
   * By whole hours, from the one that contains `fromMs` to the one that contains the moment before `toMs`. A group may
   * come several times.
   */
  const hours = (
    { by, fromMs, owner, toMs, where }: SettledQuery,
    add: (sums: SettledHour) => void
  ): Effect.Effect<void, SqlError> =>
    Effect.zipRight(
      summed,
      inHours({ fromMs: fromMs - (fromMs % hourMs), toMs, owner }, (within) =>
        Effect.map(
          sql`SELECT hour, ${nameOf(by)} AS name, ${sql.literal(hourSums)} FROM usage_hours
            WHERE ${sql.and([within, ...where])} GROUP BY 1, 2`,
          (some) => hourRows.all(some).forEach(add)
        )
      )
    )

  /** The ids of the rows of a time span, and of some others. Undefined if there is none. */
  const idsWithin = Effect.fnUntraced(function* ({
    fromMs,
    toMs
  }: Pick<SettledQuery, "fromMs" | "toMs">): Effect.fn.Return<Ids | undefined, SqlError> {
    const all = fromMs < toMs ? yield* ends : undefined
    return all && { first: yield* firstAt(fromMs, all), until: yield* firstAt(toMs + 2 * lateMs, all) }
  })

  /** Reads the rows of a time span in slices: `read` gets the condition that they meet. */
  const inStretches = <E>(
    { fromMs, owner, toMs, where }: SettledQuery,
    read: (within: Fragment) => Effect.Effect<void, E>
  ): Effect.Effect<void, E | SqlError> =>
    Effect.gen(function* () {
      const [begins, ends] = [sql`at >= ${fromMs}`, sql`at < ${toMs}`]
      if (owner !== undefined) {
        const whose = sql`account_id = ${owner}`
        return yield* slices(sql)({ table: "usage", whose, key: { at: Schema.Int }, begins, ends }, (within) =>
          read(sql.and([within, ...where]))
        )
      }
      const ids = yield* idsWithin({ fromMs, toMs })
      if (ids === undefined) return
      const bounds = { begins: sql`id >= ${ids.first}`, ends: sql`id < ${ids.until}` }
      yield* slices(sql)({ table: "usage", key: { id: Schema.Int }, ...bounds }, (within) =>
        read(sql.and([within, begins, ends, ...where]))
      )
    })

  /** By steps of any length, from the rows themselves: `where` may use any of their columns. */
  const steps = (
    { firstMs, stepMs, whereRow, ...query }: SettledSteps,
    add: (sums: SettledStep) => void
  ): Effect.Effect<void, SqlError> =>
    inStretches(query, (within) =>
      Effect.map(
        sql`SELECT (at - ${firstMs}) / ${stepMs} AS step, ${nameOf(query.by)} AS name, ${sql.literal(rowSums)}
          FROM usage WHERE ${whereRow === undefined ? within : sql.and([within, whereRow])} GROUP BY 1, 2`,
        (some) => stepRows.all(some).forEach(add)
      )
    )

  /**
   * Calls a function with the settled requests of a time span, some hundreds at once. Above a limit, it takes an evenly
   * spaced sample.
   *
   * @returns the number of requests that each sampled one represents
   */
  const each = Effect.fnUntraced(function* (
    query: SettledQuery & { readonly most: number },
    see: (some: ReadonlyArray<SettledRow>, every: number) => Effect.Effect<void, SqlError>
  ): Effect.fn.Return<number, SqlError> {
    const ids = yield* idsWithin(query)
    if (ids === undefined) return 1
    const every = Math.max(1, Math.ceil((ids.until - ids.first) / query.most))
    yield* inStretches(query, (within) =>
      Effect.flatMap(
        sql`SELECT request_id, at, ${sql.literal(settledColumns)} FROM usage WHERE ${within} AND id % ${every} = 0`,
        (some) => (some.length === 0 ? Effect.void : see(settledRows.all(some), every))
      )
    )
    return every
  })

  /** The settlements of tasks, by the requests that created them. */
  const ofTasks = (requestIds: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, SettledTask>, SqlError> =>
    requestIds.length === 0
      ? Effect.succeed(new Map())
      : Effect.map(
          sql`SELECT request_id, task_id, at, reasoning_tokens, searches,
              ${sql.literal(settledColumns)}, CASE WHEN ${sql.literal(servedSql)} THEN 1 ELSE 0 END AS requests
            FROM usage WHERE task_id IS NOT NULL AND ${sql.in("request_id", requestIds)} ORDER BY id`,
          (found) => {
            const tasks = new Map<string, SettledTask>()
            for (const row of taskRows.all(found)) tasks.set(row.request_id, plusRow(tasks.get(row.request_id), row))
            return tasks
          }
        )

  return { hours, steps, each, ofTasks, idsWithin, inStretches } as const
}

/** Rows of older gateways have none: it equals the charge. */
const upstreamCost = "COALESCE(upstream_cost_nano_usd, cost_nano_usd)"
const settledColumns =
  `input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, cost_nano_usd, ` +
  `${upstreamCost} AS upstream_cost_nano_usd, above_hold_nano_usd`
const sumsOf = (of: (name: string) => string) =>
  hourSumNames.map((name) => `CAST(SUM(${of(name)}) AS BIGINT) AS ${name}`).join(", ")
/** Sums of `usage_hours`. */
export const hourSums = sumsOf((name) => name)
/** Sums of `usage`. */
export const rowSums = sumsOf((name) => (name === "upstream_cost_nano_usd" ? upstreamCost : name))

/** The columns of both. */
export const settled = {
  input_tokens: Schema.Int,
  cache_read_tokens: Schema.Int,
  cache_write_tokens: Schema.Int,
  output_tokens: Schema.Int,
  cost_nano_usd: Schema.Int,
  upstream_cost_nano_usd: Schema.Int,
  above_hold_nano_usd: Schema.Int
}
const hourRows = rows("usage_hours", { hour: Schema.Int, name: Schema.String, ...settled })
type SettledHour = ReturnType<typeof hourRows.one>
const stepRows = rows("usage", { step: Schema.Int, name: Schema.String, ...settled })
type SettledStep = ReturnType<typeof stepRows.one>
const ofRequest = { request_id: Schema.String, at: Schema.Int, ...settled }
const settledRows = rows("usage", ofRequest)
type SettledRow = ReturnType<typeof settledRows.one>
const taskRows = rows("usage", {
  ...ofRequest,
  task_id: Schema.String,
  reasoning_tokens: Schema.Int,
  searches: Schema.Int,
  /** 0 if no answer was charged. */
  requests: Schema.Int
})
/** A task's usage and cost, and the time of its settlement. */
export type SettledTask = ReturnType<typeof taskRows.one>

const added = [...hourSumNames, "reasoning_tokens", "searches", "requests"] as const

/** A task may have broken answers and unused calls beside the one that is charged. */
const plusRow = (sums: SettledTask | undefined, row: SettledTask): SettledTask => {
  if (sums === undefined) return row
  const both = { ...sums, at: row.at }
  for (const name of added) both[name] += row[name]
  return both
}
