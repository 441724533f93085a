import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { nextTurn } from "../../flow/eventLoop.ts"
import { settledSums } from "../../ledger/store/settledSums.ts"
import type { Settled } from "../../ledger/store/settledSums.ts"
import { rows } from "../../sql/decode.ts"
import { LabelsText } from "../labels.ts"
import type { Labels } from "../labels.ts"
import { countedSql, modelSql } from "./counted.ts"
import { ofAccount } from "./matching.ts"
import { requestIds } from "./requestIds.ts"
import { Stride, stretches } from "./stretches.ts"
import { ofKeys } from "../../sql/ofKeys.ts"

/** The property that requests are grouped by. */
export type By = "model" | "upstream" | "key" | "account"
export const columnOf = { model: "model", upstream: "upstream", key: "key_id", account: "account_id" } as const

/** Gives other work an event-loop turn. */
const otherTurn = Effect.promise(nextTurn)

/** Hours per statement, so that other statements can run in between. */
const strideHours = 24
/** Rows per statement. */
const stride = 2_000
const hourMs = 3_600_000
/** Rows per statement that only adds up. */
const longStride = 5_000

/** Reads requests for sums and percentiles, in parts, so that other statements don't wait. */
export class RequestSums extends Effect.Service<RequestSums>()("gateway/requests/store/RequestSums", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const money = settledSums(sql)

    /** Hourly sums of a time span, by group. */
    const hours = Effect.fnUntraced(function* ({
      by,
      fromMs,
      keys,
      owner,
      toMs
    }: Hours): Effect.fn.Return<ReadonlyArray<HourSum>, SqlError> {
      const found: Array<HourSum> = []
      const name = sql(columnOf[by])
      const whose = ownedBy({ owner, keys })
      for (let at = fromMs - (fromMs % hourMs); at < toMs; at += strideHours * hourMs) {
        const end = Math.min(toMs, at + strideHours * hourMs)
        const some = yield* sql`SELECT hour, ${name} AS name, ${sql.literal(summed)} FROM request_hours
            WHERE hour >= ${at} AND hour < ${end} AND requests > 0 AND ${whose} GROUP BY hour, ${name}`
        found.push(...hourSums.all(some))
        yield* otherTurn
      }
      return found
    })

    const seen = sql.literal(
      Object.keys(columns)
        .map((name) => (name === "model" ? `${modelSql} AS model` : name))
        .join(", ")
    )
    const ownedBy = ({ keys, owner }: Pick<Hours, "keys" | "owner">) =>
      sql.and([sql`1 = 1`, ...(owner === undefined ? [] : [sql`account_id = ${owner}`]), ...ofKeys(sql, keys)])

    const { begunBy, ends, overAt } = requestIds(sql)
    const { after: stretchAfter } = stretches(sql)

    /** Sums of steps of any length, from the requests themselves. */
    const steps = Effect.fnUntraced(function* ({
      by,
      fromMs,
      keys,
      owner,
      stepMs,
      toMs
    }: Steps): Effect.fn.Return<ReadonlyArray<StepSum>, SqlError> {
      const all = yield* ends
      if (all === undefined) return []
      const found: Array<StepSum> = []
      const name = sql.literal(by === "model" ? modelSql : columnOf[by])
      const whose = ownedBy({ owner, keys })
      const stride = new Stride()
      const until = yield* begunBy(toMs, all)
      for (let at = yield* overAt(fromMs, all); at < until;) {
        const next = yield* stretchAfter(at, until, stride.rows, ofAccount(owner))
        const some = yield* stride.timed(
          sql`SELECT (at - ${fromMs}) / ${stepMs} AS step, ${name} AS name, ${sql.literal(countedSql)}
            FROM requests WHERE id >= ${at} AND id < ${next} AND at >= ${fromMs} AND at < ${toMs}
            AND family <> 'account' AND ${whose} GROUP BY 1, 2`
        )
        found.push(...stepSums.all(some))
        at = next
      }
      return found
    })

    /**
     * Calls a function with each request of a time span. Above a limit, it takes an evenly spaced sample.
     *
     * @returns the number of requests that each sampled one represents
     */
    const each = Effect.fnUntraced(function* (
      { fromMs, most, toMs, where = [], withDetails }: Times,
      see: (row: SampledRequest) => void
    ): Effect.fn.Return<number, SqlError> {
      const all = yield* ends
      if (all === undefined) return 1
      const from = yield* overAt(fromMs, all)
      const until = yield* begunBy(toMs, all)
      const every = Math.max(1, Math.ceil((until - from) / most))
      const step = every === 1 ? stride : longStride
      const more = sql.literal(withDetails ? ", details" : "")
      for (let at = from; at < until; at += step) {
        const found = yield* sql`SELECT ${seen} ${more} FROM requests WHERE ${sql.and([
          sql`id >= ${at}`,
          sql`id < ${Math.min(until, at + step)}`,
          sql`id % ${every} = 0`,
          sql`at >= ${fromMs}`,
          sql`at < ${toMs}`,
          sql`family <> 'account'`,
          ...where
        ])}`
        if (withDetails) for (const row of found) see(tagged.one(row))
        else for (const row of found) see(plain.one(row))
        yield* otherTurn
      }
      return every
    })

    /**
     * As `each`, for some of the requests, whose number is known.
     *
     * @returns the number of sampled requests
     */
    const eachOf = Effect.fnUntraced(function* (
      { fromMs, most, owner, requests, toMs, where = [] }: SomeTimes,
      see: (row: SampledRequest) => void
    ): Effect.fn.Return<number, SqlError> {
      const all = requests === 0 ? undefined : yield* ends
      if (all === undefined) return 0
      const from = yield* overAt(fromMs, all)
      const until = yield* begunBy(toMs, all)
      const every = Math.max(1, Math.ceil(requests / most))
      // The sampled position moves on with each stretch, so that a client that sends every fourth request, say, is not
      // over- or underrepresented.
      const isTaken = sql`(id + id / ${every}) % ${every} = 0`
      let shown = 0
      const stride = new Stride()
      for (let at = from; at < until;) {
        const next = yield* stretchAfter(at, until, stride.rows, ofAccount(owner))
        const found = yield* stride.timed(
          sql`SELECT ${seen} FROM requests WHERE ${sql.and([
            sql`id >= ${at}`,
            sql`id < ${next}`,
            isTaken,
            sql`at >= ${fromMs}`,
            sql`at < ${toMs}`,
            sql`family <> 'account'`,
            ...(owner === undefined ? [] : [sql`account_id = ${owner}`]),
            ...where
          ])}`
        )
        for (const row of found) see(plain.one(row))
        shown += found.length
        at = next
      }
      return shown
    })

    /** The settled sums of a period, by step and name. */
    const settled = Effect.fnUntraced(function* ({ by, fromMs, keys, owner, stepMs, toMs }: Steps) {
      const query = { fromMs, toMs, owner, by: columnOf[by], where: ofKeys(sql, keys) }
      if (stepMs < hourMs) return yield* money.steps({ ...query, firstMs: fromMs, stepMs })
      const found = yield* money.hours(query)
      return found.map(({ hour, ...sums }) => ({ ...sums, step: Math.max(0, Math.floor((hour - fromMs) / stepMs)) }))
    })

    /**
     * Calls a function with the settlement of each request and its details. Above a limit, it takes a sample.
     *
     * @returns the number of requests that each sampled one represents; its sums are already multiplied
     */
    const settledWithDetails = (
      { where = [], ...times }: Omit<Times, "withDetails"> & { readonly owner?: string | undefined },
      see: (row: SettledWithDetails) => void
    ): Effect.Effect<number, SqlError> =>
      money.each({ ...times, where }, (some, every) =>
        Effect.map(
          sql`SELECT request_id, details FROM requests WHERE ${sql.in(
            "request_id",
            some.map(({ request_id }) => request_id)
          )}`,
          (found) => {
            const details = new Map(described.all(found).map((row) => [row.request_id, row.details]))
            for (const { at, request_id, ...sums } of some) {
              see({ at, details: details.get(request_id) ?? {}, sums: multiplied(sums, every) })
            }
          }
        )
      )

    return { hours, steps, each, eachOf, settled, settledWithDetails } as const
  })
}) {}

const multiplied = (sums: Settled, by: number): Settled => ({
  input_tokens: sums.input_tokens * by,
  cache_read_tokens: sums.cache_read_tokens * by,
  cache_write_tokens: sums.cache_write_tokens * by,
  output_tokens: sums.output_tokens * by,
  cost_nano_usd: sums.cost_nano_usd * by,
  upstream_cost_nano_usd: sums.upstream_cost_nano_usd * by,
  above_hold_nano_usd: sums.above_hold_nano_usd * by
})

interface SettledWithDetails {
  readonly at: number
  readonly details: Labels
  readonly sums: Settled
}

interface Times {
  readonly fromMs: number
  readonly toMs: number
  readonly most: number
  readonly withDetails: boolean
  /** Further conditions on columns of both `requests` and `usage`. */
  readonly where?: ReadonlyArray<Fragment> | undefined
}

interface SomeTimes extends Omit<Times, "withDetails"> {
  /** The only account, by its exact id. */
  readonly owner: string | undefined
  /** The total number of requests. */
  readonly requests: number
}

interface Hours extends Pick<Times, "fromMs" | "toMs"> {
  readonly by: By
  /** The account, for its own requests. */
  readonly owner: string | undefined
  /** Only these keys, by id. */
  readonly keys?: ReadonlyArray<string> | undefined
}

interface Steps extends Hours {
  readonly stepMs: number
}

const summed = ["requests", "errors", "refused", "hang_ups"]
  .map((column) => `CAST(SUM(${column}) AS BIGINT) AS ${column}`)
  .join(", ")

const sums = {
  requests: Schema.Int,
  errors: Schema.Int,
  refused: Schema.Int,
  hang_ups: Schema.Int
}
const hourSums = rows("request_hours", { hour: Schema.Int, name: Schema.String, ...sums })
export type HourSum = ReturnType<typeof hourSums.one>

const stepSums = rows("requests", { step: Schema.Int, name: Schema.String, ...sums })
export type StepSum = ReturnType<typeof stepSums.one>

const columns = {
  at: Schema.Int,
  model: Schema.String,
  upstream: Schema.String,
  key_id: Schema.String,
  account_id: Schema.String,
  status: Schema.Int,
  error: Schema.String,
  first_byte_ms: Schema.Int,
  duration_ms: Schema.Int
}
const plain = rows("requests", columns)
const tagged = rows("requests", { ...columns, details: LabelsText })
const described = rows("requests", { request_id: Schema.String, details: LabelsText })

/** The fields of a request that sums need. */
export type SampledRequest = ReturnType<typeof plain.one> & Partial<Pick<ReturnType<typeof tagged.one>, "details">>
