import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { slices } from "../../sql/slices.ts"
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
      // Credits and today's spend are looked up for those that are shown alone.
      let fullest: ReadonlyArray<Left> = []
      yield* slices(sql)({ table: "accounts", key: { id: Schema.String } }, (within) =>
        Effect.map(
          sql`SELECT account, left_nano_usd, CASE WHEN granted <= 0 THEN 0
              ELSE CAST(left_nano_usd AS DOUBLE PRECISION) / granted END AS share
            FROM (SELECT a.id AS account, a.granted_nano_usd AS granted,
              a.granted_nano_usd - a.settled_nano_usd - ${heldBy(sql, "a")} AS left_nano_usd
            FROM accounts a WHERE ${within} AND a.granted_nano_usd IS NOT NULL AND a.deleted_at IS NULL) AS balances
            ORDER BY share, account LIMIT ${most}`,
          (some) => {
            fullest = [...fullest, ...lefts.all(some)].toSorted(leastFirst).slice(0, most)
          }
        )
      )
      if (fullest.length === 0) return []
      const found = yield* sql`SELECT a.id AS account,
          COALESCE((SELECT nano_usd FROM grants WHERE account_id = a.id AND nano_usd > 0 ORDER BY id DESC LIMIT 1), 0)
            AS credit_nano_usd,
          COALESCE((SELECT CAST(SUM(cost_nano_usd) AS BIGINT) FROM usage_days WHERE account_id = a.id AND day = ${today}), 0)
            AS spent_nano_usd
        FROM accounts a WHERE ${sql.in(
          "a.id",
          fullest.map(({ account }) => account)
        )}`
      const known = new Map(spent.all(found).map((row) => [row.account, row]))
      const hoursToday = Math.max((nowMs % dayMs) / hourMs, leastHours)
      return fullest.map((row) => {
        const { credit_nano_usd = 0, spent_nano_usd = 0 } = known.get(row.account) ?? {}
        const used = 1 - row.left_nano_usd / Math.max(credit_nano_usd, 1)
        return {
          account: row.account,
          leftNanoUsd: row.left_nano_usd,
          creditNanoUsd: credit_nano_usd,
          usedShare: row.left_nano_usd <= 0 ? 1 : Math.min(1, Math.max(0, used)),
          hoursLeft: spent_nano_usd <= 0 ? undefined : Math.max(0, row.left_nano_usd) / (spent_nano_usd / hoursToday)
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

const lefts = rows("accounts", { account: Schema.String, left_nano_usd: Schema.Int, share: Schema.Number })
type Left = ReturnType<typeof lefts.one>
const leastFirst = (one: Left, other: Left): number => one.share - other.share || (one.account < other.account ? -1 : 1)

const spent = rows("accounts", { account: Schema.String, credit_nano_usd: Schema.Int, spent_nano_usd: Schema.Int })
