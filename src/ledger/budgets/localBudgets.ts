import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { Caller } from "../../contract/callers/Caller.ts"
import type { QuotaExceeded, RateLimited } from "../../contract/failures/Failure.ts"
import { Changes } from "../../sql/Changes.ts"
import type { Hold } from "../Balances.ts"
import { budgetCounters } from "../store/budgetCounters.ts"
import { claimsOf, heldOf } from "./claims.ts"
import type { HeldBudget } from "./claims.ts"
import { Counters } from "./Counters.ts"
import { metersOf } from "./meters.ts"
import { overBudget } from "./refusals.ts"

/**
 * The budgets of the one process that serves a SQLite file, in memory (`Counters`). The rows of usage are stored with the
 * changes of the counters.
 *
 * @param settling stores the use so far
 */
export const makeLocalBudgets = Effect.fnUntraced(function* (settling: Effect.Effect<void>) {
  const sql = yield* SqlClient.SqlClient
  const changes = yield* Changes
  const clock = yield* Effect.clock
  const stored = budgetCounters(sql)
  const counters = new Counters()

  const unknown = (caller: Caller) => metersOf(caller).filter(({ id }) => !counters.knows(id))

  const load = Effect.fnUntraced(function* (caller: Caller, nowMs: number): Effect.fn.Return<void, SqlError> {
    for (const meter of unknown(caller)) {
      yield* settling
      yield* stored.begin(meter, nowMs)
      const found = yield* stored.find([meter.id], nowMs)
      counters.learn(meter.id, found)
    }
  })

  // A reset may be of another process.
  yield* changes.listen(
    Effect.flatMap(
      Effect.suspend(() => stored.forgiven(clock.unsafeCurrentTimeMillis())),
      (found) =>
        Effect.sync(() => {
          for (const row of found) counters.forgive(row)
        })
    )
  )

  return {
    knows: (caller: Caller): boolean => metersOf(caller).every(({ id }) => counters.knows(id)),
    load,
    /** Holds a request's amounts, all or none; undefined if no budget applies. */
    claim: (
      caller: Caller,
      hold: Hold,
      nowMs: number
    ): ReadonlyArray<HeldBudget> | undefined | QuotaExceeded | RateLimited => {
      const claims = counters.placed(claimsOf(caller, hold.request, hold.nanoUsd, nowMs), nowMs)
      if (claims.length === 0) return undefined
      const short = counters.short(claims)
      if (short !== undefined) return overBudget(short, nowMs, hold.because)
      const held = claims.map(heldOf)
      counters.hold(held)
      return held
    },
    /** Learns what tasks held before the start, and the counters that change when they end. */
    begin: (held: ReadonlyArray<HeldBudget>) =>
      Effect.forEach(new Set(held.map(({ budget }) => budget)), (id) =>
        Effect.map(stored.find([id], clock.unsafeCurrentTimeMillis()), (found) => counters.learn(id, found))
      ).pipe(Effect.map(() => counters.hold(held))),
    settle: counters.settle.bind(counters),
    unsettle: counters.unsettle.bind(counters),
    /** Stores use. */
    add: stored.add
  } as const
})
