import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { hourSlices } from "../../ledger/store/hourSlices.ts"
import { settledSums } from "../../ledger/store/settledSums.ts"
import type { Settled } from "../../ledger/store/settledSums.ts"
import { rows } from "../../sql/decode.ts"
import { LabelsText } from "../labels.ts"
import type { Labels } from "../labels.ts"
import { countedSql, modelSql } from "./counted.ts"
import { ofAccount } from "./matching.ts"
import { requestIds } from "./requestIds.ts"
import { requestSlices } from "./requestSlices.ts"
import { ofKeys } from "../../sql/ofKeys.ts"

/** The property that requests are grouped by. */
export type By = "model" | "upstream" | "key" | "account"
export const columnOf = { model: "model", upstream: "upstream", key: "key_id", account: "account_id" } as const

const hourMs = 3_600_000

/** Reads requests for sums and percentiles, in parts, so that other statements don't wait. */
export class RequestSums extends Effect.Service<RequestSums>()("gateway/requests/store/RequestSums", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const money = settledSums(sql)
    const inHours = hourSlices(sql, "request_hours")

    /** Hourly sums of a time span, by group. A group may come several times. */
    const hours = (
      { by, fromMs, keys, owner, toMs }: Hours,
      add: (sums: HourSum) => void
    ): Effect.Effect<void, SqlError> => {
      const name = sql(columnOf[by])
      const whose = sql.and([sql`requests > 0`, ...ofKeys(sql, keys)])
      return inHours({ fromMs: fromMs - (fromMs % hourMs), toMs, owner }, (within) =>
        Effect.map(
          sql`SELECT hour, ${name} AS name, ${sql.literal(summed)} FROM request_hours
            WHERE ${within} AND ${whose} GROUP BY hour, ${name}`,
          (some) => hourSums.all(some).forEach(add)
        )
      )
    }

    const seen = sql.literal(
      Object.keys(columns)
        .map((name) => (name === "model" ? `${modelSql} AS model` : name))
        .join(", ")
    )
    const ownedBy = ({ keys, owner }: Pick<Hours, "keys" | "owner">) =>
      sql.and([sql`1 = 1`, ...(owner === undefined ? [] : [sql`account_id = ${owner}`]), ...ofKeys(sql, keys)])

    const { idsWithin } = requestIds(sql)
    const inSlices = requestSlices(sql)

    /** Sums of steps of any length, from the requests themselves. A group may come several times. */
    const steps = Effect.fnUntraced(function* (
      { by, fromMs, keys, owner, stepMs, toMs }: Steps,
      add: (sums: StepSum) => void
    ): Effect.fn.Return<void, SqlError> {
      const ids = yield* idsWithin({ fromMs, toMs })
      if (ids === undefined) return
      const name = sql.literal(by === "model" ? modelSql : columnOf[by])
      const whose = ownedBy({ owner, keys })
      yield* inSlices({ ...ids, whose: ofAccount(owner) }, (within) =>
        Effect.map(
          sql`SELECT (at - ${fromMs}) / ${stepMs} AS step, ${name} AS name, ${sql.literal(countedSql)}
            FROM requests WHERE ${within} AND at >= ${fromMs} AND at < ${toMs}
            AND family <> 'account' AND ${whose} GROUP BY 1, 2`,
          (some) => stepSums.all(some).forEach(add)
        )
      )
    })

    /**
     * Calls a function with each request of a time span. Above a limit, it takes an evenly spaced sample.
     *
     * @returns the number of requests that each sampled one represents
     */
    const each = Effect.fnUntraced(function* (
      { fromMs, most, toMs, where = [], withDetails }: Times,
      see: (row: SampledRequest, every: number) => void
    ): Effect.fn.Return<number, SqlError> {
      const ids = yield* idsWithin({ fromMs, toMs })
      if (ids === undefined) return 1
      const every = Math.max(1, Math.ceil((ids.until - ids.from) / most))
      const more = sql.literal(withDetails ? ", details" : "")
      yield* inSlices(ids, (within) =>
        Effect.map(
          sql`SELECT ${seen} ${more} FROM requests WHERE ${sql.and([
            within,
            sql`id % ${every} = 0`,
            sql`at >= ${fromMs}`,
            sql`at < ${toMs}`,
            sql`family <> 'account'`,
            ...where
          ])}`,
          (found) => {
            if (withDetails) for (const row of found) see(tagged.one(row), every)
            else for (const row of found) see(plain.one(row), every)
          }
        )
      )
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
      const ids = requests === 0 ? undefined : yield* idsWithin({ fromMs, toMs })
      if (ids === undefined) return 0
      const every = Math.max(1, Math.ceil(requests / most))
      // The sampled position moves on with each stretch, so that a client that sends every fourth request, say, is not
      // over- or underrepresented.
      const isTaken = sql`(id + id / ${every}) % ${every} = 0`
      let shown = 0
      yield* inSlices({ ...ids, whose: ofAccount(owner) }, (within) =>
        Effect.map(
          sql`SELECT ${seen} FROM requests WHERE ${sql.and([
            within,
            isTaken,
            sql`at >= ${fromMs}`,
            sql`at < ${toMs}`,
            sql`family <> 'account'`,
            ...where
          ])}`,
          (found) => {
            for (const row of found) see(plain.one(row))
            shown += found.length
          }
        )
      )
      return shown
    })

    /** The settled sums of a period, by step and name. A group may come several times. */
    const settled = ({ by, fromMs, keys, owner, stepMs, toMs }: Steps, add: (sums: SettledStep) => void) => {
      const query = { fromMs, toMs, owner, by: columnOf[by], where: ofKeys(sql, keys) }
      return stepMs < hourMs
        ? money.steps({ ...query, firstMs: fromMs, stepMs }, add)
        : money.hours(query, ({ hour, ...sums }) =>
            add({ ...sums, step: Math.max(0, Math.floor((hour - fromMs) / stepMs)) })
          )
    }

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

type SettledStep = Settled & { readonly step: number; readonly name: string }

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
type HourSum = ReturnType<typeof hourSums.one>

const stepSums = rows("requests", { step: Schema.Int, name: Schema.String, ...sums })
type StepSum = ReturnType<typeof stepSums.one>

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
