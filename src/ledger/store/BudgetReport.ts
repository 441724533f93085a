import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { Changes } from "../../sql/Changes.ts"
import { rows } from "../../sql/decode.ts"
import type { Meter } from "../budgets/meters.ts"
import { never } from "../budgets/windows.ts"
import { budgetCounters } from "./budgetCounters.ts"
import { allSummed } from "./usageStatements.ts"

/** A budget with its use in the current window. */
export interface BudgetStanding {
  readonly meter: Meter
  /** In the budget's unit; of tags and end users, the one that used the most. Without what requests under way hold. */
  readonly used: number
  /** `used` divided by the limit. */
  readonly ratio: number
  /** The tags and end users that have a counter; undefined for a budget without them. */
  readonly counters: number | undefined
  /** When the window began; undefined for a total. */
  readonly beganAtMs: number | undefined
  /** When the window ends; undefined for a total and for a rolling window. */
  readonly endsAtMs: number | undefined
}

/** Reads and resets budgets. */
export class BudgetReport extends Effect.Service<BudgetReport>()("gateway/ledger/store/BudgetReport", {
  dependencies: [Changes.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const changes = yield* Changes
    const stored = budgetCounters(sql)
    const summed = allSummed(sql)

    /** The standing of budgets, in their order. */
    const standing = Effect.fnUntraced(function* (
      meters: ReadonlyArray<Meter>
    ): Effect.fn.Return<ReadonlyArray<BudgetStanding>, SqlError> {
      if (meters.length === 0) return []
      yield* summed
      const nowMs = changes.nowMs()
      const found = new Map<string, Used>()
      for (let at = 0; at < meters.length; at += atOnce) {
        const ids = meters.slice(at, at + atOnce).map(({ id }) => id)
        const some = yield* sql`SELECT budget, CAST(MAX(used) AS BIGINT) AS used, COUNT(*) AS counters FROM (
            SELECT budget, subject, SUM(used - forgiven) AS used FROM budget_counters
            WHERE ${sql.in("budget", ids)} AND ends_at > ${nowMs} GROUP BY budget, subject) AS each_one
          GROUP BY budget`
        for (const row of usedRows.all(some)) found.set(row.budget, row)
      }
      const spending = yield* stored.withSpending(
        meters.filter(({ id }) => !found.has(id)),
        nowMs
      )
      return yield* Effect.forEach(meters, (meter) =>
        Effect.map(
          Effect.suspend(() => {
            const row = found.get(meter.id)
            return spending.has(meter) ? stored.usedBefore(meter, nowMs) : Effect.succeed(row?.used ?? 0)
          }),
          (used) => standingOf(meter, used, found.get(meter.id)?.counters ?? 0, nowMs)
        )
      )
    })

    /**
     * Forgets what an owner's budgets have counted so far. What requests under way hold stays held, and counts when they
     * end. Run it in a transaction.
     */
    const reset = Effect.fnUntraced(function* (meters: ReadonlyArray<Meter>): Effect.fn.Return<void, SqlError> {
      const nowMs = changes.nowMs()
      for (const meter of meters) {
        yield* sql.onDialectOrElse({
          pg: () => sql`SELECT 1 FROM accounts WHERE id = ${meter.account} FOR NO KEY UPDATE`,
          orElse: () => Effect.void
        })
        yield* stored.begin(meter, nowMs)
        yield* sql`UPDATE budget_counters SET forgiven = used WHERE budget = ${meter.id} AND ends_at > ${nowMs}`
      }
      yield* changes.tell
    })

    return { standing, reset } as const
  })
}) {}

/** Budgets per statement. */
const atOnce = 500

const standingOf = (meter: Meter, used: number, counters: number, nowMs: number): BudgetStanding => {
  const { each, limit, tag, window } = meter.budget
  const { next, since } = meter.placeOf(nowMs)
  const isTotal = next === never
  return {
    meter,
    used,
    ratio: used / limit,
    counters: each !== undefined || tag?.includes("*") === true ? counters : undefined,
    beganAtMs: isTotal ? undefined : "rollingMs" in window ? nowMs - window.rollingMs : since,
    endsAtMs: isTotal || "rollingMs" in window ? undefined : next
  }
}

const usedRows = rows("budget_counters", { budget: Schema.String, used: Schema.Int, counters: Schema.Int })
type Used = ReturnType<typeof usedRows.one>
