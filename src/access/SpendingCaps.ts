import { Clock, Effect } from "effect"
import type { Caller, KeyId } from "../contract/callers/Caller.ts"
import { spendingPeriods } from "../contract/callers/SpendingCap.ts"
import type { SpendingCap } from "../contract/callers/SpendingCap.ts"
import { metersOf } from "../ledger/budgets/meters.ts"
import { BudgetReport } from "../ledger/store/BudgetReport.ts"
import type { BudgetStanding } from "../ledger/store/BudgetReport.ts"

/** The lifetime of a cached standing. */
const cachedMs = 10_000
/** Keys whose standing is remembered. */
const capacity = 4_096

/** The dollar budgets of callers that begin again with a day, a week or a month. */
export class SpendingCaps extends Effect.Service<SpendingCaps>()("gateway/access/SpendingCaps", {
  dependencies: [BudgetReport.Default],
  effect: Effect.gen(function* () {
    const report = yield* BudgetReport
    const known = new Map<
      KeyId,
      { readonly caller: Caller; readonly caps: ReadonlyArray<SpendingCap>; readonly atMs: number }
    >()

    /** The caller's caps, the one with the least left first. */
    const of = (caller: Caller): Effect.Effect<ReadonlyArray<SpendingCap>> =>
      Effect.map(Effect.orDie(report.standing(metersOf(caller).filter(isPlain))), (standings) =>
        standings.flatMap(capOf).toSorted((one, other) => other.used / other.limit - one.used / one.limit)
      )

    /** The same, up to ten seconds old: for each request. */
    const recent = Effect.fnUntraced(function* (caller: Caller): Effect.fn.Return<ReadonlyArray<SpendingCap>> {
      const atMs = yield* Clock.currentTimeMillis
      const before = known.get(caller.key)
      // A caller whose budgets were changed is another object.
      if (before !== undefined && before.caller === caller && before.atMs + cachedMs > atMs) return before.caps
      const caps = yield* of(caller)
      if (known.size >= capacity) known.clear()
      known.set(caller.key, { caller, caps, atMs })
      return caps
    })

    return { of, recent } as const
  })
}) {}

/** A budget for everything that a caller does, not for some models, tags or end users. */
const isPlain = ({ budget: { each, models, tag, unit } }: BudgetStanding["meter"]): boolean =>
  unit === "usd" && each === undefined && models === undefined && tag === undefined

const capOf = ({ endsAtMs, meter: { budget }, used }: BudgetStanding): ReadonlyArray<SpendingCap> => {
  const { limit, window } = budget
  if ("rollingMs" in window || window.per === "total" || endsAtMs === undefined) return []
  return [{ used, limit, period: spendingPeriods[window.per], resetsAtMs: endsAtMs }]
}
