import { SqlClient, Statement } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Either, Layer, TestClock } from "effect"
import type { Duration } from "effect"
import type { Budget } from "../../../src/contract/budgets/Budget.ts"
import { KeyId } from "../../../src/contract/callers/Caller.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import { BudgetReport } from "../../../src/ledger/store/BudgetReport.ts"
import { metersOf } from "../../../src/ledger/budgets/meters.ts"
import { Commits } from "../../../src/sql/Commits.ts"
import { ClockSource } from "../../../src/sql/Changes.ts"
import { noUsage } from "../../../src/generation/GenerationEvent.ts"
import { adjust } from "../../sql/clock.ts"
import { describeOnEach, database } from "../../sql/engines.ts"
import { account, budget, callerOf, dollar, live, open, openAll, price, settle } from "./world.ts"

/** Runs at a time of the test's clock, which is set before daemons sleep by it. */
const from =
  (iso: string) =>
  <A, E, R>(test: Effect.Effect<A, E, R>) =>
    Effect.zipRight(TestClock.setTime(Date.parse(iso)), test)

/** An edge of each kind of window: the last moment of one, and how long until it begins again. */
const edges: ReadonlyArray<readonly [string, Budget["window"], string, Duration.DurationInput]> = [
  ["day", { per: "day", zone: "Asia/Kathmandu" }, "2026-01-31T18:14:59.500Z", "1 second"],
  ["day of daylight saving", { per: "day", zone: "Europe/Berlin" }, "2026-03-29T21:59:59.500Z", "1 second"],
  ["week", { per: "week", zone: "UTC" }, "2026-03-01T23:59:59.500Z", "1 second"],
  ["month", { per: "month", zone: "America/Los_Angeles" }, "2026-04-01T06:59:59.500Z", "1 second"],
  ["rolling minute", { rollingMs: 60_000 }, "2026-01-01T00:00:00Z", "62500 millis"]
]

describeOnEach("a budget", () => {
  it.effect.each(edges)(
    "of a %s lets exactly its limit through at its edge, in each window",
    ([, window, iso, later]) =>
      Effect.gen(function* () {
        yield* account
        for (const unit of ["usd", "tokens", "requests"] as const) {
          const caller = callerOf([budget(unit, 10, window)])
          const before = yield* openAll(caller, 200)
          expect([before.charges.length, before.refusals]).toEqual([
            10,
            [unit === "usd" ? "QuotaExceeded" : "RateLimited"]
          ])
          yield* Effect.forEach(before.charges, (charge) => settle(charge))
          expect((yield* openAll(caller, 20)).charges).toEqual([])
        }
        const caller = callerOf([
          budget("usd", 10, window),
          budget("tokens", 10, window),
          budget("requests", 10, window)
        ])
        yield* adjust(later)
        expect((yield* openAll(caller, 200)).charges).toHaveLength(10)
      }).pipe(Effect.provide(live), from(iso))
  )

  it.effect("of a total is not renewed, and one of an account is for all its keys", () =>
    Effect.gen(function* () {
      yield* account
      const total = [budget("requests", 3, { per: "total" })]
      const one = callerOf([], { accountBudgets: total })
      const two = { ...one, key: KeyId.make("key_2") }
      expect((yield* openAll(one, 2)).charges).toHaveLength(2)
      expect((yield* openAll(two, 2)).charges).toHaveLength(1)
    }).pipe(Effect.provide(live), from("2026-01-01T00:00:00Z"))
  )

  it.effect("names itself, and when it begins again", () =>
    Effect.gen(function* () {
      yield* account
      const messageOf = (one: Budget, asked = {}) =>
        Effect.map(Effect.flip(open(callerOf([one]), asked)), (failure) => [
          failure.message,
          "retryAfterSeconds" in failure ? failure.retryAfterSeconds : undefined
        ])
      expect(yield* messageOf(budget("tokens", 10, { per: "day", zone: "Europe/Berlin" }), { tokens: 11 })).toEqual([
        "The daily budget of this API key (10 tokens) has 10 tokens left, and the request may use 11 tokens; it begins again at 2026-01-31T23:00:00Z",
        null
      ])
      const daily = callerOf([budget("requests", 1)])
      yield* open(daily)
      expect(yield* Effect.flip(open(daily))).toMatchObject({
        _tag: "RateLimited",
        message: "The daily budget of this API key (1 request) is used up; it begins again at 2026-02-01T00:00:00Z",
        retryAfterSeconds: 4 * 3_600
      })
      const monthly = callerOf([], {
        accountBudgets: [budget("requests", 1, { per: "month", zone: "UTC" }, { models: ["m*"], tag: "a=b" })]
      })
      yield* open(monthly, { tags: ["a=b"] })
      expect(yield* Effect.flip(open(monthly, { tags: ["a=b"] }))).toMatchObject({
        message:
          "The monthly budget of this account for m* for the tag a=b (1 request) is used up; it begins again at 2026-02-01T00:00:00Z"
      })
      yield* open(monthly, { tags: ["a=c"] })
      yield* open(monthly, { tags: ["a=b"], model: "other" })
      const rolling = callerOf([budget("tokens", 5, { rollingMs: 24 * 3_600_000 })])
      yield* open(rolling, { tokens: 5 })
      expect(yield* Effect.flip(open(rolling))).toMatchObject({
        message:
          "The budget of this API key (5 tokens in 24h) is used up; the oldest use leaves its window at 2026-02-01T21:00:00Z",
        retryAfterSeconds: null
      })
    }).pipe(Effect.provide(live), from("2026-01-31T20:00:00Z"))
  )

  it.effect("for each end user counts them apart if the account trusts them, without Claude Code's session", () =>
    Effect.gen(function* () {
      yield* account
      const own = [budget("requests", 1, undefined, { each: "end_user" })]
      const trusting = callerOf(own, { trustsEndUser: true })
      const through = (endUser: string | undefined, caller = trusting) =>
        Effect.map(openAll(caller, 1, endUser === undefined ? {} : { endUser }), ({ charges }) => charges.length)
      const user = `user_${"a".repeat(64)}_account__session_`
      expect(yield* through(`${user}9f0c3d52-1111-4222-8333-444455556666`)).toBe(1)
      expect(yield* through(`${user}00000000-1111-4222-8333-444455556666`)).toBe(0)
      const json = (session: string) => JSON.stringify({ device_id: "d", account_uuid: "u", session_id: session })
      expect([yield* through(json("one")), yield* through(json("two"))]).toEqual([1, 0])
      for (const odd of ["__proto__", "a\0b", "constructor", ""]) {
        expect([odd, yield* through(odd), yield* through(odd)]).toEqual([odd, 1, 0])
      }
      // Without an end user, it can't be passed by.
      expect([yield* through(undefined), yield* through(undefined)]).toEqual([0, 0])
      const doubting = { ...trusting, trustsEndUser: false }
      expect([yield* through("x", doubting), yield* through("y", doubting)]).toEqual([1, 0])
    }).pipe(Effect.provide(live), from("2026-01-31T20:00:00Z"))
  )

  it.effect("with a pattern of tags counts each tag apart", () =>
    Effect.gen(function* () {
      yield* account
      const caller = callerOf([budget("requests", 1, undefined, { tag: "customer=*" })])
      const through = (...tags: ReadonlyArray<string>) =>
        Effect.map(openAll(caller, 1, { tags }), ({ charges }) => charges.length)
      expect(yield* through("customer=a", "x=y")).toBe(1)
      expect(yield* through("customer=a", "customer=b")).toBe(0)
      expect(yield* through("customer=b")).toBe(1)
      expect([yield* through("x=y"), yield* through()]).toEqual([1, 1])
    }).pipe(Effect.provide(live), from("2026-01-31T20:00:00Z"))
  )

  it.effect("of a rolling window begins for thousands of tags at once", () =>
    Effect.gen(function* () {
      yield* account
      const rolling = { rollingMs: 86_400_000 }
      const caller = callerOf([
        budget("requests", 2, rolling, { tag: "*" }),
        budget("tokens", 2, rolling, { tag: "*" })
      ])
      const tagsOf = (n: number) => Array.from({ length: 10 }, (_, one) => `t=${n} ${one}`)
      const all = yield* Effect.all(
        Array.from({ length: 400 }, (_, n) => Effect.either(open(caller, { tags: tagsOf(n) }))),
        { concurrency: "unbounded" }
      )
      expect(all.filter(Either.isRight)).toHaveLength(400)
    }).pipe(Effect.provide(live), from("2026-01-01T00:00:00Z"))
  )

  it.effect("forgets a reset's past, and counts what was under way when it ends", () =>
    Effect.gen(function* () {
      yield* account
      const sql = yield* SqlClient.SqlClient
      const report = yield* BudgetReport
      const caller = callerOf([budget("usd", 10)])
      yield* settle(yield* open(caller, { dollars: 6 }), 6)
      const underWay = yield* open(caller, { dollars: 3 })
      yield* (yield* Ledger).flush
      const used = Effect.map(report.standing(metersOf(caller)), ([one]) => [one?.used, one?.ratio])
      expect(yield* used).toEqual([6 * dollar, 0.6])
      yield* sql.withTransaction(report.reset(metersOf(caller)))
      yield* adjust("1 second")
      expect(yield* used).toEqual([0, 0])
      expect((yield* openAll(caller, 1, { dollars: 8 })).charges).toEqual([])
      yield* settle(underWay, 2)
      yield* (yield* Ledger).flush
      expect(yield* used).toEqual([2 * dollar, 0.2])
      const rest = yield* openAll(caller, 1, { dollars: 8 })
      expect(rest.charges).toHaveLength(1)
      expect((yield* openAll(caller, 1)).charges).toEqual([])
    }).pipe(
      Effect.provide(
        BudgetReport.Default.pipe(Layer.provideMerge(live), Layer.provide(Layer.succeed(ClockSource, "process")))
      )
    )
  )

  it.effect("is told in few statements for hundreds of idle keys, with what was spent before it was set", () =>
    Effect.gen(function* () {
      yield* account
      const report = yield* BudgetReport
      yield* settle(yield* open(callerOf([]), { dollars: 6 }), 6)
      yield* settle(yield* open(callerOf([]), { dollars: 2, model: "other" }), 2)
      yield* (yield* Ledger).flush
      const month = { per: "month", zone: "Europe/Berlin" } as const
      const idle = Array.from({ length: 300 }, (_, n) =>
        callerOf([budget("usd", 10)], { key: KeyId.make(`idle_${n}`) })
      )
      const callers = [
        callerOf([budget("usd", 10), budget("usd", 10, month, { models: ["m"] }), budget("usd", 10, { per: "total" })]),
        callerOf([], { accountBudgets: [budget("usd", 10, { rollingMs: 3_600_000 })] }),
        ...idle
      ]
      let statements = 0
      const standings = yield* report.standing(callers.flatMap(metersOf)).pipe(
        Statement.withTransformer((statement) => {
          statements++
          return Effect.succeed(statement)
        })
      )
      expect(standings.slice(0, 5).map(({ used }) => used / dollar)).toEqual([8, 6, 0, 8, 0])
      expect(statements).toBeLessThan(20)
    }).pipe(
      Effect.provide(
        BudgetReport.Default.pipe(Layer.provideMerge(live), Layer.provide(Layer.succeed(ClockSource, "process")))
      ),
      from("2026-01-31T20:00:00Z")
    )
  )

  it.effect("holds for tasks, and counts them in the window in which they began", () =>
    Effect.gen(function* () {
      yield* account
      const ledger = yield* Ledger
      const commits = yield* Commits
      const caller = callerOf([budget("usd", 10), budget("requests", 2, { per: "month", zone: "UTC" })])
      const hold = (id: string, dollars: number) =>
        ledger.holding(
          {
            id,
            caller,
            requestId: id,
            model: "m",
            upstream: "u",
            price,
            mostNanoUsd: () => dollars * dollar,
            mostTokens: () => dollars
          },
          (row) => commits.commit(row)
        )
      yield* hold("a", 8)
      expect((yield* Effect.flip(hold("b", 3)))._tag).toBe("QuotaExceeded")
      yield* hold("c", 2)
      expect((yield* Effect.flip(hold("d", 0)))._tag).toBe("RateLimited")
      yield* commits.commit(ledger.endHold("c", undefined))
      yield* adjust("2 seconds")
      // Nothing of the day before is held in the new one.
      expect((yield* openAll(caller, 3, { dollars: 5 })).charges).toHaveLength(2)
      yield* commits.commit(ledger.endHold("a", { used: { ...noUsage, outputTokens: 8 }, estimated: false }))
      expect((yield* openAll(caller, 1, { dollars: 1 })).charges).toEqual([])
    }).pipe(Effect.provide(live), from("2026-01-31T23:59:59Z"))
  )

  it.effect("survives a restart, with what tasks hold", () =>
    Effect.gen(function* () {
      yield* account
      const caller = callerOf([budget("usd", 10), budget("tokens", 10, { rollingMs: 3_600_000 })])
      const ledgers = Effect.provide(
        Layer.fresh(Layer.merge(Ledger.Default, Commits.Default)).pipe(
          Layer.provide(Layer.succeed(ClockSource, "process"))
        )
      )
      yield* Effect.gen(function* () {
        const ledger = yield* Ledger
        const commits = yield* Commits
        yield* settle(yield* open(caller, { dollars: 4 }), 4)
        yield* open(caller, { dollars: 1 })
        const task = {
          id: "t",
          caller,
          requestId: "t",
          model: "m",
          upstream: "u",
          price,
          mostNanoUsd: () => 3 * dollar,
          mostTokens: () => 3
        }
        yield* ledger.holding(task, (row) => commits.commit(row))
      }).pipe(ledgers, from("2026-01-31T20:00:00Z"))
      yield* Effect.gen(function* () {
        const again = { ...caller }
        expect((yield* openAll(again, 1, { dollars: 4 })).charges).toEqual([])
        expect((yield* openAll(again, 1, { dollars: 3 })).charges).toHaveLength(1)
        expect((yield* openAll(again, 1, { dollars: 1 })).charges).toEqual([])
      }).pipe(ledgers)
    }).pipe(Effect.provide(database()))
  )
})
