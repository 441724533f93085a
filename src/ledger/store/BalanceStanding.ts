import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { heldBy } from "./balances.ts"
import { dayOf } from "./usageRows.ts"
import { allSummed } from "./usageStatements.ts"

/** More balances are not looked at: those that are used up most come first. */
const most = 200

/** How far an account's balance is used up. */
export interface StandingBalance {
  readonly account: string
  readonly leftNanoUsd: number
  /** The last credit, against which `usedShare` counts; 0 if there was none. */
  readonly creditNanoUsd: number
  /** 0 to 1. */
  readonly usedShare: number
  /** Hours until it is used up at the rate of this UTC day; undefined if nothing was spent today. */
  readonly hoursLeft: number | undefined
}

/** The balances that are used up most. */
export class BalanceStanding extends Effect.Service<BalanceStanding>()("gateway/ledger/store/BalanceStanding", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const summed = allSummed(sql)

    const all: Effect.Effect<ReadonlyArray<StandingBalance>, SqlError> = Effect.gen(function* () {
      yield* summed
      const nowMs = yield* Clock.currentTimeMillis
      const today = dayOf(nowMs)
      const found = yield* sql`SELECT account, left_nano_usd,
          COALESCE((SELECT nano_usd FROM grants WHERE account_id = account AND nano_usd > 0 ORDER BY id DESC LIMIT 1), 0)
            AS credit_nano_usd,
          COALESCE((SELECT CAST(SUM(cost_nano_usd) AS BIGINT) FROM usage_days WHERE account_id = account AND day = ${today}), 0)
            AS spent_nano_usd
        FROM (SELECT a.id AS account, a.granted_nano_usd AS granted,
            a.granted_nano_usd - a.settled_nano_usd - ${heldBy(sql, "a")} AS left_nano_usd
          FROM accounts a WHERE a.granted_nano_usd IS NOT NULL AND a.deleted_at IS NULL) AS balances
        ORDER BY CASE WHEN granted <= 0 THEN 0 ELSE left_nano_usd * 1.0 / granted END, account LIMIT ${most}`
      const hoursToday = Math.max((nowMs % dayMs) / hourMs, leastHours)
      return balances.all(found).map((row) => {
        const used = 1 - row.left_nano_usd / Math.max(row.credit_nano_usd, 1)
        return {
          account: row.account,
          leftNanoUsd: row.left_nano_usd,
          creditNanoUsd: row.credit_nano_usd,
          usedShare: row.left_nano_usd <= 0 ? 1 : Math.min(1, Math.max(0, used)),
          hoursLeft:
            row.spent_nano_usd <= 0 ? undefined : Math.max(0, row.left_nano_usd) / (row.spent_nano_usd / hoursToday)
        }
      })
    })

    return { all } as const
  })
}) {}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** A rate of the day's first minutes says little. */
const leastHours = 1

const balances = rows("accounts", {
  account: Schema.String,
  left_nano_usd: Schema.Int,
  credit_nano_usd: Schema.Int,
  spent_nano_usd: Schema.Int
})
