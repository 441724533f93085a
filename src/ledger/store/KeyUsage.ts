import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { sumsOf } from "../../sums/sumsOf.ts"
import { usageBooks } from "./usageBooks.ts"
import { allSummed } from "./usageStatements.ts"

const dayMs = 86_400_000

/** Reads what keys have used, from the days' sums. Refused and failed requests are in none. */
export class KeyUsage extends Effect.Service<KeyUsage>()("gateway/ledger/store/KeyUsage", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const summed = allSummed(sql)
    const { days } = usageBooks(sql, Effect.void)

    /** By the keys' ids; the keys that were never used are left out. */
    const of = Effect.fnUntraced(function* (
      ids: ReadonlyArray<string>,
      nowMs: number
    ): Effect.fn.Return<ReadonlyMap<string, KeySums>, SqlError> {
      if (ids.length > 0) yield* summed
      const todayMs = Math.floor(nowMs / dayMs) * dayMs
      const found = new Map<string, KeySums>()
      for (const key of ids) {
        const used = yield* sumsOf(sql, days, {
          span: { fromMs: -Infinity, toMs: Infinity },
          scope: { key },
          stepMs: dayMs,
          measures: ["requests", "cost_nano_usd"]
        })
        const since = (fromMs: number, toMs = Infinity) =>
          used
            .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
            .reduce(
              (sum, one) => ({ requests: sum.requests + one.requests, nanoUsd: sum.nanoUsd + one.cost_nano_usd }),
              {
                requests: 0,
                nanoUsd: 0
              }
            )
        if (used.length === 0) continue
        found.set(key, {
          today: since(todayMs, todayMs + dayMs),
          month: since(todayMs - 29 * dayMs),
          total: since(-Infinity)
        })
      }
      return found
    })

    return { of } as const
  })
}) {}

/** Settled requests and their cost. */
interface Used {
  readonly requests: number
  readonly nanoUsd: number
}

/** The use of a key: on this UTC day, in the last 30 days and in all time. */
export interface KeySums {
  readonly today: Used
  readonly month: Used
  readonly total: Used
}
