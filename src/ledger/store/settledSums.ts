import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { nextTurn } from "../../flow/eventLoop.ts"
import { rows } from "../../sql/decode.ts"
import { idsByTime } from "../../sql/idsByTime.ts"
import { allSummed } from "./usageStatements.ts"
import { hourSumNames } from "./usageRows.ts"

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
  /** Conditions on rows that may take long for each: shorter stretches are read. */
  readonly whereRow?: Fragment | undefined
}

const hourMs = 3_600_000
/** Hours, and rows, per statement: other work gets a turn after each. */
const [strideHours, stride, strideOfEach, strideOfSearch] = [24, 2_000, 500, 100]
/** A node that can't reach the database writes its rows later than others do. */
const lateMs = 600_000
const otherTurn = Effect.promise(nextTurn)

/**
 * Sums of settlements, by the time of settlement. They are exact: hours are added up in the statement that writes the
 * usage row, and shorter times come from the rows themselves, which are never removed.
 */
export const settledSums = (sql: SqlClient.SqlClient) => {
  const { ends, firstAt } = idsByTime(sql, { table: "usage", time: "at", lateMs })
  const nameOf = (by: SettledQuery["by"]) => sql.literal(by ?? "''")
  const summed = allSummed(sql)

  /** By whole hours, from the one that contains `fromMs` to the one that contains the moment before `toMs`. */
  const hours = Effect.fnUntraced(function* ({
    by,
    fromMs,
    owner,
    toMs,
    where
  }: SettledQuery): Effect.fn.Return<ReadonlyArray<SettledHour>, SqlError> {
    yield* summed
    const found: Array<SettledHour> = []
    for (let at = fromMs - (fromMs % hourMs); at < toMs; at += strideHours * hourMs) {
      const end = Math.min(toMs, at + strideHours * hourMs)
      const some = yield* sql`SELECT hour, ${nameOf(by)} AS name, ${sql.literal(hourSums)} FROM usage_hours
        WHERE ${sql.and([
          sql`hour >= ${at}`,
          sql`hour < ${end}`,
          ...(owner === undefined ? [] : [sql`account_id = ${owner}`]),
          ...where
        ])} GROUP BY 1, 2`
      found.push(...hourRows.all(some))
      yield* otherTurn
    }
    return found
  })

  /** Reads the rows of a time span, `size` of them at once: `read` gets the condition that they meet. */
  const inStretches = Effect.fnUntraced(function* (
    { fromMs, owner, toMs, where }: SettledQuery,
    size: number,
    read: (within: Fragment) => Effect.Effect<void, SqlError>
  ): Effect.fn.Return<void, SqlError> {
    if (owner !== undefined) {
      for (let at = fromMs; at < toMs;) {
        const next = yield* sql`SELECT at FROM usage WHERE account_id = ${owner} AND at > ${at} AND at < ${toMs}
          ORDER BY at LIMIT 1 OFFSET ${size}`
        const until = places.first(next)?.at ?? toMs
        yield* read(sql.and([sql`account_id = ${owner}`, sql`at >= ${at}`, sql`at < ${until}`, ...where]))
        yield* otherTurn
        at = until
      }
      return
    }
    const all = fromMs < toMs ? yield* ends : undefined
    if (all === undefined) return
    const until = yield* firstAt(toMs + 2 * lateMs, all)
    for (let at = yield* firstAt(fromMs, all); at < until; at += size) {
      const isWithin = [sql`id >= ${at}`, sql`id < ${at + size}`, sql`at >= ${fromMs}`, sql`at < ${toMs}`]
      yield* read(sql.and([...isWithin, ...where]))
      yield* otherTurn
    }
  })

  /** By steps of any length, from the rows themselves: `where` may use any of their columns. */
  const steps = Effect.fnUntraced(function* ({
    firstMs,
    stepMs,
    whereRow,
    ...query
  }: SettledSteps): Effect.fn.Return<ReadonlyArray<SettledStep>, SqlError> {
    const found: Array<SettledStep> = []
    const size = whereRow === undefined ? stride : strideOfSearch
    yield* inStretches(query, size, (within) =>
      Effect.map(
        sql`SELECT (at - ${firstMs}) / ${stepMs} AS step, ${nameOf(query.by)} AS name, ${sql.literal(rowSums)}
          FROM usage WHERE ${whereRow === undefined ? within : sql.and([within, whereRow])} GROUP BY 1, 2`,
        (some) => void found.push(...stepRows.all(some))
      )
    )
    return found
  })

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
    const all = yield* ends
    if (all === undefined) return 1
    const rows = (yield* firstAt(query.toMs + 2 * lateMs, all)) - (yield* firstAt(query.fromMs, all))
    const every = Math.max(1, Math.ceil(rows / query.most))
    yield* inStretches(query, strideOfEach * every, (within) =>
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
              ${sql.literal(settledColumns)} FROM usage WHERE task_id IS NOT NULL AND ${sql.in("request_id", requestIds)}`,
          (found) => new Map(taskRows.all(found).map((row) => [row.request_id, row]))
        )

  return { hours, steps, each, ofTasks, inStretches } as const
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

const places = rows("usage", { at: Schema.Int })
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
  searches: Schema.Int
})
/** A task's usage and cost, and the time of its settlement. */
export type SettledTask = ReturnType<typeof taskRows.one>
