import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { available } from "../../src/ledger/Balances.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { fromUsd } from "../../src/ledger/Price.ts"
import { Grants } from "../../src/ledger/store/Grants.ts"
import { ClockSource } from "../../src/sql/Changes.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { database, describeOnEach } from "../sql/engines.ts"
import { callerOf, budget } from "./budgets/world.ts"
import { account, audit, caller, dollars, team, tokens } from "./oneAccount.ts"

const live = Layer.mergeAll(Ledger.Default, Grants.Default, Commits.Default).pipe(
  Layer.provide(Layer.succeed(ClockSource, "process")),
  Layer.provideMerge(database())
)

/** A dollar a token of output. */
const price = fromUsd({ output: 1_000_000 })
const requestOf = (who: typeof caller) => ({
  caller: who,
  requestId: "req",
  model: "m",
  upstream: "u",
  price,
  mostTokens: () => 0
})

/** Holds money for a task. */
const hold = (most: number, who = caller) =>
  Effect.flatMap(Effect.all([Ledger, Commits]), ([ledger, commits]) =>
    ledger.holding({ ...requestOf(who), id: "task", mostNanoUsd: () => dollars(most) }, (row) => commits.commit(row))
  )
/** The charge of a run, which asks for more money. */
const chargeOf = (who = caller) =>
  Effect.map(Ledger, (ledger) => ledger.chargeOf("task")({ ...requestOf(who), mostNanoUsd: () => 0 }))
const raise = (to: number, who = caller) => Effect.flatMap(chargeOf(who), (charge) => charge.extend(() => dollars(to)))
/** Ends the task, and adds up the usage that it leaves on Postgres. */
const end = (used: number | undefined) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const commits = yield* Commits
    const charge = used === undefined ? undefined : { used: tokens(used), estimated: false }
    yield* commits.commit(ledger.endHold("task", charge))
    yield* ledger.balance(team)
  })
const rowsOfHolds = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT id, nano_usd FROM holds`)
const left = Effect.flatMap(Ledger, (ledger) => Effect.map(ledger.balance(team), available))

describeOnEach("a task's hold that is raised", () => {
  it.effect("is one with the first, for each run of the task: charged up to both, the rest given back", () =>
    Effect.gen(function* () {
      yield* account(10)
      yield* hold(3)
      expect(yield* raise(3)).toBe(true)
      expect(yield* raise(8)).toBe(true)
      // A later run begins with what there is.
      expect(yield* raise(5)).toBe(true)
      expect(yield* left).toBe(dollars(2))
      expect(yield* rowsOfHolds).toEqual([{ id: "task", nano_usd: dollars(8) }])
      yield* end(7)
      expect(yield* audit).toEqual({ granted: dollars(10), settled: dollars(7), held: 0 })
    }).pipe(Effect.provide(live))
  )

  it.effect("is refused beyond the balance, keeps what there is, and bounds the charge", () =>
    Effect.gen(function* () {
      yield* account(10)
      yield* hold(6)
      expect(yield* raise(11)).toBe(false)
      for (const wrong of [Number.NaN, Infinity]) expect(yield* raise(wrong)).toBe(false)
      expect(yield* left).toBe(dollars(4))
      yield* end(9)
      expect(yield* audit).toEqual({ granted: dollars(10), settled: dollars(6), held: 0 })
    }).pipe(Effect.provide(live))
  )

  it.effect("is released whole, and is not raised once the task has ended", () =>
    Effect.gen(function* () {
      yield* account(10)
      yield* hold(3)
      expect(yield* raise(8)).toBe(true)
      yield* end(undefined)
      expect(yield* raise(9)).toBe(false)
      expect(yield* rowsOfHolds).toEqual([])
      expect(yield* audit).toEqual({ granted: dollars(10), settled: 0, held: 0 })
    }).pipe(Effect.provide(live))
  )

  it.effect("while its task ends is charged once, and nothing stays held", () =>
    Effect.gen(function* () {
      yield* account(10)
      yield* hold(3)
      yield* Effect.all([raise(5), end(2), raise(8)], { concurrency: "unbounded" })
      expect(yield* rowsOfHolds).toEqual([])
      expect(yield* audit).toEqual({ granted: dollars(10), settled: dollars(2), held: 0 })
    }).pipe(Effect.provide(live))
  )

  it.effect("needs nothing where no money is counted", () =>
    Effect.gen(function* () {
      yield* account()
      yield* hold(1)
      expect(yield* Effect.flatMap(chargeOf(), (charge) => charge.extend(() => expect.fail("evaluated")))).toBe(true)
      yield* end(undefined)
    }).pipe(Effect.provide(live))
  )

  it.effect("counts in budgets of money, once, and in no other", () =>
    Effect.gen(function* () {
      yield* account()
      const who = callerOf([budget("usd", 10), budget("requests", 1), budget("tokens", 10)])
      yield* hold(2, who)
      expect(yield* raise(8, who)).toBe(true)
      expect(yield* raise(11, who)).toBe(false)
      yield* end(7)
      const other = callerOf([budget("usd", 10)])
      expect((yield* Effect.flip(hold(4, other)))._tag).toBe("QuotaExceeded")
      yield* hold(3, other)
    }).pipe(Effect.provide(live))
  )

  it.effect("leaves nothing behind if its node dies before the amount has joined it", () =>
    Effect.gen(function* () {
      yield* account(10)
      yield* hold(3)
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO holds (id, at, request_id, account_id, key_id, model, upstream, price, nano_usd, confirmed)
        SELECT 'task:more', at, request_id, account_id, key_id, model, upstream, price, 0, 0 FROM holds`
      yield* raise(5)
      yield* end(4)
      const ledger = yield* Ledger
      const commits = yield* Commits
      yield* commits.commit(ledger.endHold("task:more", undefined))
      expect(yield* rowsOfHolds).toEqual([])
      expect(yield* audit).toEqual({ granted: dollars(10), settled: dollars(4), held: 0 })
    }).pipe(Effect.provide(live))
  )
})
