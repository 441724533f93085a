import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { usageRowsIn, usedSql } from "../../ledger/store/usageBooks.ts"
import { rows } from "../../sql/decode.ts"
import type { Scope, Span } from "../../sums/Book.ts"
import { addSums, noSums, usedFields } from "../../sums/Sums.ts"
import type { Sums } from "../../sums/Sums.ts"
import { LabelsText } from "../labels.ts"
import type { Labels } from "../labels.ts"
import { modelSql, requestRowsIn } from "./requestBook.ts"

/** The property that requests are grouped by. */
export type By = "model" | "upstream" | "key" | "account"
export const columnOf = { model: "model", upstream: "upstream", key: "key_id", account: "account_id" } as const

/** Reads requests one by one, for percentiles and for groups by what only rows know; above a limit, a part of them. */
export class RequestSums extends Effect.Service<RequestSums>()("gateway/requests/store/RequestSums", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const requests = requestRowsIn(sql)
    const usage = usageRowsIn(sql)

    /**
     * Calls a function with each request of a time span, or with an evenly spaced sample.
     *
     * @returns true if some were left out
     */
    const each = Effect.fnUntraced(function* (
      { most, number, scope = {}, withDetails = false, ...span }: Sample,
      see: (row: SampledRequest, every: number) => void
    ): Effect.fn.Return<boolean, SqlError> {
      const whereRows = [...(scope.whereRows ?? []), sql`family <> 'account'`]
      let seen = 0
      const every = yield* requests.inSampleOf(span, { ...scope, whereRows }, { most, number }, (within, every) =>
        Effect.map(
          sql`SELECT ${sql.literal(withDetails ? `${shown}, details` : shown)} FROM requests WHERE ${within}`,
          (found) => {
            seen += found.length
            for (const row of found) see(withDetails ? detailed.one(row) : plain.one(row), every)
            return found.length
          }
        )
      )
      return number === undefined ? every > 1 : seen < number
    })

    /**
     * Calls a function with the settlement of each request and its details. Of a sample, it multiplies the sums.
     *
     * @returns true if some were left out
     */
    const settledWithDetails = Effect.fnUntraced(function* (
      { most, scope = {}, ...span }: Sample,
      see: (row: { readonly at: number; readonly details: Labels; readonly sums: Sums }) => void
    ): Effect.fn.Return<boolean, SqlError> {
      const every = yield* usage.inSampleOf(span, scope, most, (within, every) =>
        Effect.gen(function* () {
          const found =
            yield* sql`SELECT request_id, at, service_tier, ${sql.literal(usedSql)} FROM usage WHERE ${within}`
          if (found.length === 0) return 0
          const some = settled.all(found)
          const ids = some.map(({ request_id }) => request_id)
          const rows = yield* sql`SELECT request_id, details FROM requests WHERE ${sql.in("request_id", ids)}`
          const details = new Map(described.all(rows).map((row) => [row.request_id, row.details]))
          for (const { at, request_id, requests: _counted, service_tier, ...sums } of some) {
            // A task's request ended before it was served.
            const tier = service_tier === null ? {} : { service_tier }
            see({ at, details: { ...details.get(request_id), ...tier }, sums: addSums(noSums(), sums, every) })
          }
          return found.length
        })
      )
      return every > 1
    })

    return { each, settledWithDetails } as const
  })
}) {}

interface Sample extends Span {
  /** The most requests that are seen. */
  readonly most: number
  /** The number of the requests, if it is known; otherwise they are all of the span. */
  readonly number?: number | undefined
  readonly scope?: Scope | undefined
  readonly withDetails?: boolean | undefined
}

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
const shown = Object.keys(columns)
  .map((name) => (name === "model" ? `${modelSql} AS model` : name))
  .join(", ")
const plain = rows("requests", columns)
const detailed = rows("requests", { ...columns, details: LabelsText })
const described = rows("requests", { request_id: Schema.String, details: LabelsText })
const settled = rows("usage", {
  request_id: Schema.String,
  at: Schema.Int,
  service_tier: Schema.NullOr(Schema.String),
  ...usedFields
})

/** The fields of a request that sums need. */
export type SampledRequest = ReturnType<typeof plain.one> & Partial<Pick<ReturnType<typeof detailed.one>, "details">>
