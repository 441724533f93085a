import { Clock, Effect } from "effect"
import type { Caller } from "../../contract/callers/Caller.ts"
import type { SpendingCap } from "../../contract/callers/SpendingCap.ts"
import { makePlaces } from "../../ledger/budgets/windows.ts"
import type { UsageReport } from "../../ledger/store/UsageReport.ts"

/** A key's spend so far in nano-dollars, by UTC. */
interface Spent {
  readonly day: number
  readonly week: number
  readonly month: number
}

const places = {
  day: makePlaces({ per: "day", zone: "UTC" }),
  week: makePlaces({ per: "week", zone: "UTC" }),
  month: makePlaces({ per: "month", zone: "UTC" })
}

/** The spend of a caller's key this day, week and month. */
export const spendOf = ({ totals }: UsageReport, { account, key }: Caller): Effect.Effect<Spent> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const since = (per: keyof typeof places) =>
      Effect.map(
        totals({ account, key, sinceMs: places[per](nowMs).since, untilMs: nowMs }),
        ({ cost_nano_usd }) => cost_nano_usd
      )
    return { day: yield* since("day"), week: yield* since("week"), month: yield* since("month") }
  })

const nanoUsdPerCent = 10_000_000

const cents = (nanoUsd: number): number => Math.round(nanoUsd / nanoUsdPerCent)

const percentOf = ({ limit, used }: SpendingCap): number => Math.round((used / limit) * 100)

/**
 * The answer of `GET /api/oauth/usage` (`GET /protocol` of Claude Code's own gateway, "Usage-limit headers").
 *
 * @param caps the one with the least left first
 * @param without what was spent, if there is no cap
 */
export const usageOf = (caps: ReadonlyArray<SpendingCap>, without: Spent | undefined) => {
  const [fullest] = caps
  if (fullest === undefined) {
    const sum = (used = 0) => ({ limit: null, used_credits: cents(used), utilization: null })
    return {
      extra_usage: {
        is_enabled: true,
        monthly_limit: null,
        used_credits: cents(without?.month ?? 0),
        utilization: null,
        currency: "USD",
        daily: sum(without?.day),
        weekly: sum(without?.week)
      },
      limits: []
    }
  }
  return {
    extra_usage: {
      is_enabled: true,
      monthly_limit: cents(fullest.limit),
      used_credits: cents(fullest.used),
      utilization: percentOf(fullest),
      currency: "USD"
    },
    limits: caps.map((cap) => ({
      kind: "spend",
      group: cap.period,
      percent: percentOf(cap),
      resets_at: new Date(cap.resetsAtMs).toISOString(),
      severity: cap.used >= cap.limit * 0.95 ? "critical" : cap.used >= cap.limit * 0.75 ? "warning" : "normal",
      is_active: cap === fullest
    }))
  }
}
