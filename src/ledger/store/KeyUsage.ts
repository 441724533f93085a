import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { sumOf } from "../../sql/sumOf.ts"
import { daySlices } from "./daySlices.ts"
import { dayOf } from "./usageRows.ts"
import { allSummed } from "./usageStatements.ts"

const dayMs = 86_400_000

/** Reads what keys have used, from the days' sums. Refused and failed requests are in none. */
export class KeyUsage extends Effect.Service<KeyUsage>()("gateway/ledger/store/KeyUsage", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const summed = allSummed(sql)
    const inDays = daySlices(sql)

    /** By the keys' ids; the keys that were never used are left out. */
    const of = Effect.fnUntraced(function* (
      ids: ReadonlyArray<string>,
      nowMs: number
    ): Effect.fn.Return<ReadonlyMap<string, KeySums>, SqlError> {
      if (ids.length === 0) return new Map()
      yield* summed
      const today = dayOf(nowMs)
      const since = dayOf(nowMs - 29 * dayMs)
      const found = new Map<string, KeySums>()
      for (const key of ids) {
        yield* inDays({ key }, (within) =>
          Effect.map(
            sql`SELECT key_id, ${sumOf(sql, "today")} AS today, ${sumOf(sql, "today_cost")} AS today_cost,
              ${sumOf(sql, "month")} AS month, ${sumOf(sql, "month_cost")} AS month_cost,
              ${sumOf(sql, "requests")} AS requests, ${sumOf(sql, "cost")} AS cost
            FROM (SELECT key_id, requests, cost_nano_usd AS cost,
              CASE WHEN day = ${today} THEN requests ELSE 0 END AS today,
              CASE WHEN day = ${today} THEN cost_nano_usd ELSE 0 END AS today_cost,
              CASE WHEN day >= ${since} THEN requests ELSE 0 END AS month,
              CASE WHEN day >= ${since} THEN cost_nano_usd ELSE 0 END AS month_cost
              FROM usage_days WHERE ${within}) AS of_days GROUP BY key_id`,
            (some) => keySums.all(some).forEach((sums) => found.set(key, added(sums, found.get(key))))
          )
        )
      }
      return found
    })

    return { of } as const
  })
}) {}

const keySums = rows("usage_days", {
  key_id: Schema.String,
  today: Schema.Int,
  today_cost: Schema.Int,
  month: Schema.Int,
  month_cost: Schema.Int,
  requests: Schema.Int,
  cost: Schema.Int
})

/** Settled requests of a key and their cost in nano-dollars: of this UTC day, of the last 30 days and of all time. */
export type KeySums = ReturnType<typeof keySums.one>

const added = (one: KeySums, other: KeySums | undefined): KeySums =>
  other === undefined
    ? one
    : {
        key_id: one.key_id,
        today: one.today + other.today,
        today_cost: one.today_cost + other.today_cost,
        month: one.month + other.month,
        month_cost: one.month_cost + other.month_cost,
        requests: one.requests + other.requests,
        cost: one.cost + other.cost
      }
