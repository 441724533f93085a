import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { nextTurn } from "../../flow/eventLoop.ts"
import { rows } from "../../sql/decode.ts"
import { DetailsText } from "../RequestRow.ts"
import { countedSql } from "./counted.ts"
import { requestIds } from "./requestIds.ts"
import { Stride, stretches } from "./stretches.ts"

/** What requests are told apart by. */
export type By = "model" | "upstream" | "key" | "account"
const columnOf = { model: "model", upstream: "upstream", key: "key_id", account: "account_id" } as const

/** Whoever waits has a turn of the loop. */
const otherTurn = Effect.promise(nextTurn)

/** Hours of one statement: the others have a turn after it. */
const strideHours = 24
/** Rows of one statement. */
const stride = 2_000
const hourMs = 3_600_000
/** Rows of one statement that only adds up. */
const longStride = 5_000

/** What is read of requests for sums and percentiles, a stretch at a time, so that nobody waits for it. */
export class RequestSums extends Effect.Service<RequestSums>()("gateway/requests/store/RequestSums", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** The hours' sums from a time to another, by what tells them apart. */
    const hours = Effect.fnUntraced(function* ({
      by,
      fromMs,
      owner,
      toMs
    }: Hours): Effect.fn.Return<ReadonlyArray<HourSum>, SqlError> {
      const found: Array<HourSum> = []
      const name = sql(columnOf[by])
      const whose = ownedBy(owner)
      for (let at = fromMs - (fromMs % hourMs); at < toMs; at += strideHours * hourMs) {
        const end = Math.min(toMs, at + strideHours * hourMs)
        const some = yield* sql`SELECT hour, ${name} AS name, ${sql.literal(summed)} FROM request_hours
            WHERE hour >= ${at} AND hour < ${end} ${whose} GROUP BY hour, ${name}`
        found.push(...hourSums.all(some))
        yield* otherTurn
      }
      return found
    })

    const seen = sql.literal(Object.keys(columns).join(", "))
    const ownedBy = (owner: string | undefined) =>
      owner === undefined ? sql.literal("") : sql`AND account_id = ${owner}`

    const { ends, overAt } = requestIds(sql)
    const { after: stretchAfter } = stretches(sql)

    /** The sums of steps of any length, out of the requests themselves. */
    const steps = Effect.fnUntraced(function* ({
      by,
      fromMs,
      owner,
      stepMs,
      toMs
    }: Steps): Effect.fn.Return<ReadonlyArray<StepSum>, SqlError> {
      const all = yield* ends
      if (all === undefined) return []
      const found: Array<StepSum> = []
      const name = sql.literal(by === "model" ? "CASE upstream WHEN '' THEN '' ELSE model END" : columnOf[by])
      const whose = ownedBy(owner)
      const stride = new Stride()
      for (let at = yield* overAt(fromMs, all); at <= all.last;) {
        const next = yield* stretchAfter(at, all.last + 1, stride.rows, owner)
        const some = yield* stride.timed(
          sql`SELECT (at - ${fromMs}) / ${stepMs} AS step, ${name} AS name, ${sql.literal(countedSql)},
            CAST(SUM(input_tokens) AS BIGINT) AS input_tokens, CAST(SUM(output_tokens) AS BIGINT) AS output_tokens
            FROM requests WHERE id >= ${at} AND id < ${next} AND at >= ${fromMs} AND at < ${toMs}
            AND family <> 'account' ${whose} GROUP BY 1, 2`
        )
        found.push(...stepSums.all(some))
        at = next
      }
      return found
    })

    /**
     * Shows each request of a time to somebody, or of more than so many a part, which lies evenly among them.
     * @returns of how many requests each one stands
     */
    const each = Effect.fnUntraced(function* (
      { fromMs, most, toMs, withTags }: Times,
      see: (row: Seen) => void
    ): Effect.fn.Return<number, SqlError> {
      const all = yield* ends
      if (all === undefined) return 1
      const from = yield* overAt(fromMs, all)
      const every = Math.max(1, Math.ceil((all.last + 1 - from) / most))
      const step = every === 1 ? stride : longStride
      const more = sql.literal(withTags ? ", details" : "")
      for (let at = from; at <= all.last; at += step) {
        const found = yield* sql`SELECT ${seen} ${more} FROM requests
            WHERE id >= ${at} AND id < ${at + step} AND id % ${every} = 0 AND at >= ${fromMs} AND at < ${toMs}
            AND family <> 'account'`
        if (withTags) for (const row of found) see(tagged.one(row))
        else for (const row of found) see(plain.one(row))
        yield* otherTurn
      }
      return every
    })

    /**
     * The same of an account's own.
     * @returns how many it has shown
     */
    const eachOwn = Effect.fnUntraced(function* (
      { fromMs, most, owner, requests, toMs }: OwnTimes,
      see: (row: Seen) => void
    ): Effect.fn.Return<number, SqlError> {
      const all = requests === 0 ? undefined : yield* ends
      if (all === undefined) return 0
      const from = yield* overAt(fromMs, all)
      const every = Math.max(1, Math.ceil(requests / most))
      // Whoever sends each fourth request, say, is met as often as others: what is taken of each stretch moves on.
      const isTaken = sql`(id + id / ${every}) % ${every} = 0`
      let shown = 0
      const stride = new Stride()
      for (let at = from; at <= all.last;) {
        const next = yield* stretchAfter(at, all.last + 1, stride.rows, owner)
        const found = yield* stride.timed(
          sql`SELECT ${seen} FROM requests
            WHERE id >= ${at} AND id < ${next} AND ${isTaken} AND at >= ${fromMs} AND at < ${toMs}
            AND family <> 'account' ${ownedBy(owner)}`
        )
        for (const row of found) see(plain.one(row))
        shown += found.length
        at = next
      }
      return shown
    })

    return { hours, steps, each, eachOwn } as const
  })
}) {}

interface Times {
  readonly fromMs: number
  readonly toMs: number
  readonly most: number
  readonly withTags: boolean
}

interface OwnTimes extends Omit<Times, "withTags"> {
  readonly owner: string
  /** How many there are in all. */
  readonly requests: number
}

interface Hours extends Pick<Times, "fromMs" | "toMs"> {
  readonly by: By
  /** An account, whose own they are. */
  readonly owner: string | undefined
}

interface Steps extends Hours {
  readonly stepMs: number
}

const summed = ["requests", "errors", "refused", "hang_ups", "input_tokens", "output_tokens", "cost_nano_usd"]
  .map((column) => `CAST(SUM(${column}) AS BIGINT) AS ${column}`)
  .join(", ")

const sums = {
  requests: Schema.Int,
  errors: Schema.Int,
  refused: Schema.Int,
  hang_ups: Schema.Int,
  input_tokens: Schema.Int,
  output_tokens: Schema.Int,
  cost_nano_usd: Schema.Int
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
  duration_ms: Schema.Int,
  input_tokens: Schema.Int,
  output_tokens: Schema.Int,
  cost_nano_usd: Schema.NullOr(Schema.Int)
}
const plain = rows("requests", columns)
const tagged = rows("requests", { ...columns, details: DetailsText })

/** A request, as far as sums need it. */
export type Seen = ReturnType<typeof plain.one> & Partial<Pick<ReturnType<typeof tagged.one>, "details">>
