import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { plainBudget } from "../../src/contract/budgets/Budget.ts"
import type { Caller } from "../../src/contract/callers/Caller.ts"
import type { Settlement } from "../../src/contract/records/Settlement.ts"
import { available } from "../../src/ledger/Balances.ts"
import { describeOnEach } from "../sql/engines.ts"
import { account, audit, caller, dollars, live, open, tokens } from "./oneAccount.ts"

describeOnEach("a request that costs more than its hold", () => {
  it.effect("charges at most what is held, the rest is the operator's", () =>
    Effect.gen(function* () {
      yield* account(10)
      const told: Array<Settlement> = []
      const charge = yield* open(4, { tellCost: (settlement) => void told.push(settlement) })
      yield* Effect.promise(async () => charge.settle(tokens(9), "finished", false))
      const left = yield* open(6)
      void left.settle(tokens(7), "hang-up", true)
      // What costs nothing by its hold, costs nothing.
      const nothing = yield* open(0)
      void nothing.settle(tokens(2), "hang-up", true)
      expect(available(yield* audit)).toBe(0)
      expect(told).toMatchObject([
        { costNanoUsd: dollars(4), upstreamCostNanoUsd: dollars(9), aboveHoldNanoUsd: dollars(5) }
      ])
      const sql = yield* SqlClient.SqlClient
      for (const table of ["usage", "usage_days", "usage_hours"]) {
        const found = yield* sql`SELECT CAST(SUM(cost_nano_usd) AS BIGINT) AS charged,
          CAST(SUM(upstream_cost_nano_usd) AS BIGINT) AS cost, CAST(SUM(above_hold_nano_usd) AS BIGINT) AS above
          FROM ${sql(table)}`
        expect([table, ...found]).toEqual([table, { charged: dollars(10), cost: dollars(18), above: dollars(8) }])
      }
    }).pipe(Effect.provide(live))
  )

  it.effect("charges a key's budget at most what it holds", () =>
    Effect.gen(function* () {
      yield* account()
      const budgeted: Caller = { ...caller, keyBudgets: [plainBudget(dollars(5), "day")] }
      const charge = yield* open(4, { caller: budgeted })
      yield* Effect.promise(async () => charge.settle(tokens(9), "finished", false))
      expect((yield* Effect.flip(open(2, { caller: budgeted }))).message).toContain("has $1.00 left")
      const rest = yield* open(1, { caller: budgeted })
      rest.release()
      expect((yield* audit).settled).toBe(dollars(4))
    }).pipe(Effect.provide(live))
  )
})
