import type { Caller } from "../../src/contract/callers/Caller.ts"
import { plainBudget } from "../../src/contract/budgets/Budget.ts"
import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Either, FastCheck as fc, Layer, TestClock } from "effect"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { available } from "../../src/ledger/Balances.ts"
import { Grants } from "../../src/ledger/store/Grants.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import type { Charge } from "../../src/ledger/Charge.ts"
import type { Settlement } from "../../src/contract/records/Settlement.ts"
import { UsageReport } from "../../src/ledger/store/UsageReport.ts"
import { caseCount } from "../caseCount.ts"
import { database, describeOnEach, isElsewhere } from "../sql/engines.ts"
import { adjust } from "../sql/clock.ts"
import { account, audit, caller, dollars, live, open, team, tokens } from "./oneAccount.ts"

describeOnEach("the ledger", () => {
  it.effect("lets exactly ten of 200 through on a balance for ten", () =>
    Effect.gen(function* () {
      yield* account(10)
      const results = yield* Effect.forEach(
        Array.from({ length: 200 }),
        () =>
          Effect.gen(function* () {
            const charge = yield* open(1)
            yield* Effect.yieldNow()
            yield* Effect.promise(async () => charge.settle(tokens(1), "finished", false))
          }).pipe(Effect.either),
        { concurrency: "unbounded" }
      )
      expect(results.filter(Either.isRight)).toHaveLength(10)
      const refused = results.filter(Either.isLeft)
      expect(refused).toHaveLength(190)
      expect(refused.every((result) => result.left._tag === "InsufficientBalance")).toBe(true)
      expect(yield* audit).toEqual({ granted: dollars(10), settled: dollars(10), held: 0 })
    }).pipe(Effect.provide(live))
  )

  it.effect("places no hold that is no amount of money: one below zero would be a credit", () =>
    Effect.gen(function* () {
      yield* account(10)
      for (const wrong of [-1, Number.NaN, Infinity]) yield* Effect.flip(open(wrong))
      expect(yield* audit).toEqual({ granted: dollars(10), settled: 0, held: 0 })
    }).pipe(Effect.provide(live))
  )

  it.effect("holds, settles the real cost and gives the rest back", () =>
    Effect.gen(function* () {
      yield* account(10)
      const ledger = yield* Ledger
      const charge = yield* open(8)
      expect(available(yield* ledger.balance(team))).toBe(dollars(2))
      expect((yield* Effect.flip(open(3))).message).toBe(
        "Insufficient balance: the request may cost $3.00, available are $2.00"
      )
      yield* Effect.promise(async () => charge.settle(tokens(5), "finished", false))
      charge.release()
      void charge.settle(tokens(5), "finished", false)
      expect(available(yield* audit)).toBe(dollars(5))
    }).pipe(Effect.provide(live))
  )

  it.effect("charges nothing for what was released, and keeps an explicit zero", () =>
    Effect.gen(function* () {
      yield* account(10)
      const released = yield* open(8)
      released.release()
      void released.settle(tokens(5), "finished", false)
      const zero = yield* open(8)
      void zero.settle(noUsage, "finished", false)
      expect(available(yield* audit)).toBe(dollars(10))
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT cost_nano_usd FROM usage`).toEqual([{ cost_nano_usd: 0 }])
    }).pipe(Effect.provide(live))
  )

  it.effect(
    "charges nothing for an answer that broke off, and has its cost at the upstream, as of calls beside it",
    () =>
      Effect.gen(function* () {
        yield* account(10)
        const unused = [
          { upstream: "slow", outcome: "outpaced", price: "{}", nanoUsd: 7 },
          { upstream: "silent", outcome: "given-up", price: "{}", nanoUsd: 5 }
        ] as const
        const told: Array<readonly [number, number]> = []
        const tellCost = (of: Settlement) => void told.push([of.costNanoUsd, of.upstreamCostNanoUsd])
        const cut = yield* open(8, { unused, tellCost })
        cut.cut(tokens(3), true)
        void cut.settle(tokens(5), "finished", false)
        expect(available(yield* audit)).toBe(dollars(10))
        const answered = yield* open(8, { unused, tellCost })
        yield* Effect.promise(async () => answered.settle(tokens(2), "finished", false))
        const failed = yield* open(8, { unused, tellCost })
        failed.release()
        expect(available(yield* audit)).toBe(dollars(8))
        expect(told).toEqual([
          [0, dollars(3) + 12],
          [dollars(2), dollars(2) + 12],
          [0, 12]
        ])
        const sql = yield* SqlClient.SqlClient
        const rows =
          yield* sql`SELECT outcome, CAST(COUNT(*) AS BIGINT) AS n, CAST(SUM(cost_nano_usd) AS BIGINT) AS cost,
        CAST(SUM(upstream_cost_nano_usd) AS BIGINT) AS upstream_cost, MIN(upstream) AS upstream
        FROM usage GROUP BY outcome ORDER BY outcome`
        expect(
          rows.map((row) => Object.values(row).map((one) => (typeof one === "bigint" ? Number(one) : one)))
        ).toEqual([
          ["cut", 1, 0, dollars(3), "u"],
          ["finished", 1, dollars(2), dollars(2), "u"],
          ["given-up", 3, 0, 15, "silent"],
          ["outpaced", 3, 0, 21, "slow"]
        ])
        // One request was served; the sums are those of the rows.
        const { groups } = yield* UsageReport
        for (const first of ["model", "upstream"] as const) {
          const query = { account: undefined, sinceMs: 0, untilMs: Date.now() }
          const { totals } = yield* groups(query, { first, second: undefined }, { limit: 10, offset: 0 })
          expect(totals).toMatchObject({
            requests: 1,
            cost_nano_usd: dollars(2),
            upstream_cost_nano_usd: dollars(5) + 36
          })
        }
      }).pipe(Effect.provide(Layer.merge(live, UsageReport.Default.pipe(Layer.provide(live)))))
  )

  it.effect("lets an account without a balance spend, and keeps the books all the same", () =>
    Effect.gen(function* () {
      yield* account()
      const charge = yield* open(1_000)
      yield* Effect.promise(async () => charge.settle(tokens(7), "finished", false))
      const grants = yield* Grants
      yield* grants.credit(team, dollars(3), "first")
      yield* adjust("1 second")
      expect(available(yield* audit)).toBe(dollars(3))
      expect((yield* Effect.flip(open(4)))._tag).toBe("InsufficientBalance")
    }).pipe(Effect.provide(live))
  )

  it.effect("lets an overdrawn account use free models", () =>
    Effect.gen(function* () {
      yield* account(1)
      const grants = yield* Grants
      yield* grants.credit(team, dollars(-3), "")
      yield* adjust("1 second")
      expect(available(yield* audit)).toBe(dollars(-2))
      yield* open(1, { free: true })
      expect((yield* Effect.flip(open(1)))._tag).toBe("InsufficientBalance")
    }).pipe(Effect.provide(live))
  )

  it.effect("keeps a key within its daily budget, and starts afresh the next UTC day", () =>
    Effect.gen(function* () {
      yield* account()
      const budgeted: Caller = { ...caller, keyBudgets: [plainBudget(dollars(5), "day")] }
      const first = yield* open(4, { caller: budgeted })
      expect((yield* Effect.flip(open(2, { caller: budgeted })))._tag).toBe("QuotaExceeded")
      yield* Effect.promise(async () => first.settle(tokens(4), "finished", false))
      expect((yield* Effect.flip(open(2, { caller: budgeted }))).message).toMatch(
        /^The daily budget of this API key \(\$5\.00\) has \$1\.00 left, and the request may cost \$2\.00; it begins again at [\d-]{10}T00:00:00Z$/
      )
      yield* adjust("1 second")
      const next = yield* open(5, { caller: budgeted })
      yield* Effect.promise(async () => next.settle(tokens(5), "finished", false))
      // What was spent before a budget was there counts too.
      const monthly: Caller = { ...caller, keyBudgets: [plainBudget(dollars(10), "month")] }
      expect((yield* Effect.flip(open(2, { caller: monthly })))._tag).toBe("QuotaExceeded")
      yield* audit
    }).pipe(Effect.provide(live), (test) => Effect.zipRight(TestClock.setTime(Date.UTC(2026, 0, 30, 23, 59, 59)), test))
  )

  it.effect("reads balances and budgets back after a restart, and the holds are gone", () =>
    Effect.gen(function* () {
      const budgeted: Caller = { ...caller, keyBudgets: [plainBudget(dollars(9), "month")] }
      const ledgers = Effect.provide(Layer.fresh(Ledger.Default))
      yield* account(10)
      yield* Effect.gen(function* () {
        const charge = yield* open(4, { caller: budgeted })
        yield* open(6)
        yield* Effect.promise(async () => charge.settle(tokens(4), "finished", false))
      }).pipe(ledgers)
      yield* Effect.gen(function* () {
        expect((yield* Effect.flip(open(6, { caller: budgeted })))._tag).toBe("QuotaExceeded")
        expect(yield* audit).toEqual({ granted: dollars(10), settled: dollars(4), held: 0 })
        yield* open(6)
        expect((yield* Effect.flip(open(1)))._tag).toBe("InsufficientBalance")
      }).pipe(ledgers)
    }).pipe(Effect.provide(Grants.Default.pipe(Layer.provideMerge(database()))))
  )

  it.effect("never lets usage or grants be rewritten", () =>
    Effect.gen(function* () {
      yield* account(1)
      const sql = yield* SqlClient.SqlClient
      const charge = yield* open(1)
      yield* Effect.promise(async () => charge.settle(tokens(1), "finished", false))
      yield* Effect.flip(sql`UPDATE usage SET cost_nano_usd = 0`)
      yield* Effect.flip(sql`DELETE FROM usage`)
      yield* Effect.flip(sql`UPDATE grants SET nano_usd = 99`)
      yield* audit
    }).pipe(Effect.provide(live))
  )

  type Step =
    | { readonly do: "open"; readonly most: number }
    | { readonly do: "settle" | "hang-up"; readonly which: number; readonly used: number }
    | { readonly do: "release"; readonly which: number }
    | { readonly do: "credit"; readonly amount: number }
    | { readonly do: "crash" }
  const steps: fc.Arbitrary<Step> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant("open" as const), most: fc.integer({ min: 1, max: 9 }) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom("settle" as const, "hang-up" as const),
        which: fc.nat(30),
        used: fc.nat(9)
      })
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("release" as const), which: fc.nat(30) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("credit" as const), amount: fc.integer({ min: 1, max: 20 }) })
    },
    { weight: 1, arbitrary: fc.constant({ do: "crash" as const }) }
  )

  /** The same books kept by hand: charges settle at most once and never for more than their hold. */
  const replay = (history: ReadonlyArray<Step>) =>
    Effect.gen(function* () {
      yield* account(20)
      const grants = yield* Grants
      let granted = 20
      let settled = 0
      while (history.length > 0) {
        const crash = history.findIndex((step) => step.do === "crash")
        const life = crash === -1 ? history : history.slice(0, crash)
        history = crash === -1 ? [] : history.slice(crash + 1)
        yield* Effect.gen(function* () {
          const ledger = yield* Ledger
          const charges: Array<{ charge: Charge; most: number; ended: boolean }> = []
          const held = () => charges.reduce((sum, one) => sum + (one.ended ? 0 : one.most), 0)
          for (const step of life) {
            switch (step.do) {
              case "open": {
                const opened = yield* Effect.either(open(step.most))
                expect(Either.isRight(opened)).toBe(granted - settled - held() >= step.most)
                if (Either.isRight(opened)) charges.push({ charge: opened.right, most: step.most, ended: false })
                break
              }
              case "credit":
                yield* grants.credit(team, dollars(step.amount), "")
                yield* adjust("250 millis")
                granted += step.amount
                break
              case "crash":
                break
              default: {
                const target = charges[step.which % Math.max(1, charges.length)]
                if (target === undefined) break
                if (step.do === "release") {
                  target.charge.release()
                } else {
                  const how = step.do === "settle" ? "finished" : "hang-up"
                  void target.charge.settle(tokens(step.used), how, false)
                  if (!target.ended) settled += Math.min(step.used, target.most)
                }
                target.ended = true
              }
            }
            expect(yield* ledger.balance(team)).toEqual({
              granted: dollars(granted),
              settled: dollars(settled),
              held: dollars(held())
            })
            expect(granted - settled - held()).toBeGreaterThanOrEqual(0)
          }
          // Appended rows are written a moment later; the crash comes after that moment.
          yield* audit
        }).pipe(Effect.provide(Layer.fresh(Ledger.Default)))
      }
    }).pipe(Effect.provide(Grants.Default.pipe(Layer.provideMerge(database()))))

  it.effect("keeps balance = granted - settled - held through any interleaving", () =>
    Effect.gen(function* () {
      const runtime = yield* Effect.runtime()
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 40 }), (history) =>
            Effect.runPromise(Effect.provide(replay(history), runtime))
          ),
          { numRuns: caseCount(isElsewhere() ? 5 : 15) }
        )
      )
    })
  )
})
