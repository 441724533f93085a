import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import * as fc from "fast-check"
import { AccountId, Caller, KeyId } from "../../src/contract/callers/Caller.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { available } from "../../src/ledger/Balances.ts"
import { Grants } from "../../src/ledger/store/Grants.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { fromUsd, priceFromText } from "../../src/ledger/Price.ts"
import { nanoUsd } from "../../src/ledger/nanoUsd.ts"
import { tasksUsage } from "../../src/ledger/store/tasksUsage.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { caseCount } from "../caseCount.ts"
import { database, describeOnEach, isElsewhere } from "../sql/engines.ts"

const team = AccountId.make("team")
const caller = Caller.unrestricted(team, "key_1")
/** A dollar a token of output. */
const price = fromUsd({ output: 1_000_000 })
const dollar = 1_000_000_000
const services = Layer.mergeAll(Ledger.Default, Grants.Default, Commits.Default)
const live = services.pipe(Layer.provideMerge(database()))

const account = (dollars: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const grants = yield* Grants
    yield* sql`INSERT INTO accounts (id, created_at) VALUES (${team}, 0)`
    yield* grants.credit(team, nanoUsd(dollars), "test")
  })

const hold = (id: string, dollars: number, over: Partial<typeof caller> = {}) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const commits = yield* Commits
    const asked = { id, caller: { ...caller, ...over }, requestId: `req_${id}`, model: "m", upstream: "u", price }
    yield* ledger.holding({ ...asked, mostNanoUsd: () => dollars * dollar, mostTokens: () => dollars }, (row) =>
      commits.commit(row)
    )
  })
const used = (dollars: number) => ({ used: { ...noUsage, outputTokens: dollars }, estimated: false })
const end = (id: string, dollars: number | undefined) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const commits = yield* Commits
    yield* commits.commit(ledger.endHold(id, dollars === undefined ? undefined : used(dollars)))
  })
const balance = Effect.flatMap(Ledger, (ledger) => ledger.balance(team))

/** The same figures as the database has them, each from its rows. */
const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<Record<string, number>>`SELECT
    (SELECT CAST(COALESCE(SUM(nano_usd), 0) AS BIGINT) FROM grants) AS granted,
    (SELECT CAST(COALESCE(SUM(nano_usd), 0) AS BIGINT) FROM holds) AS held,
    (SELECT CAST(COALESCE(SUM(cost_nano_usd), 0) AS BIGINT) FROM usage) AS settled,
    (SELECT granted_nano_usd FROM accounts) AS granted_sum, (SELECT settled_nano_usd FROM accounts) AS settled_sum`
  expect([row?.["granted_sum"], row?.["settled_sum"]]).toEqual([row?.["granted"], row?.["settled"]])
  return { granted: row?.["granted"], settled: row?.["settled"], held: row?.["held"] }
})

describeOnEach("a hold that is a row", () => {
  it.effect("is taken from the balance, and ends once: with its cost, or with nothing", () =>
    Effect.gen(function* () {
      yield* account(10)
      yield* hold("a", 4)
      yield* hold("b", 5)
      expect(yield* balance).toEqual({ granted: 10 * dollar, settled: 0, held: 9 * dollar })
      yield* end("a", 3)
      yield* end("a", 3)
      yield* end("b", undefined)
      yield* end("b", 5)
      expect(yield* balance).toEqual({ granted: 10 * dollar, settled: 3 * dollar, held: 0 })
      expect(yield* stored).toEqual(yield* balance)
    }).pipe(Effect.provide(live))
  )

  it.effect(
    "of a task pays its answer; the operator those that broke off before it, and calls that were not used",
    () =>
      Effect.gen(function* () {
        yield* account(10)
        yield* hold("a", 4)
        const ledger = yield* Ledger
        const unused = [{ upstream: "slow", outcome: "outpaced", price: "{}", nanoUsd: 7 }] as const
        const request = { caller, requestId: "req_a", model: "m", upstream: "u", price, mostNanoUsd: () => 0 }
        const chargeOf = () => ledger.chargeOf("a")({ ...request, mostTokens: () => 0, unused })
        chargeOf().cut({ ...noUsage, outputTokens: 2 }, true)
        chargeOf().release()
        void chargeOf().settle({ ...noUsage, outputTokens: 3 }, "finished", false)
        yield* (yield* Commits).commit(ledger.endHold("a", ledger.generatedBy("a")))
        yield* ledger.flush
        expect(yield* balance).toEqual({ granted: 10 * dollar, settled: 3 * dollar, held: 0 })
        const sql = yield* SqlClient.SqlClient
        const task = (yield* tasksUsage(sql)(["req_a"])).get("req_a")
        expect(task).toMatchObject({
          task_id: "a",
          requests: 1,
          cost_nano_usd: 3 * dollar,
          upstream_cost_nano_usd: 5 * dollar + 3 * 7,
          output_tokens: 5
        })
      }).pipe(Effect.provide(live))
  )

  it.effect("that the balance does not cover, or whose task can't be stored, leaves nothing", () =>
    Effect.gen(function* () {
      yield* account(10)
      expect(yield* Effect.flip(hold("a", 11))).toMatchObject({ _tag: "InsufficientBalance" })
      const ledger = yield* Ledger
      const commits = yield* Commits
      const asked = {
        id: "b",
        caller,
        requestId: "r",
        model: "m",
        upstream: "u",
        price,
        mostNanoUsd: () => dollar,
        mostTokens: () => 1
      }
      const failing = ledger.holding(asked, (row) => commits.commit(Effect.zipRight(row, Effect.fail("no"))))
      expect(yield* Effect.flip(failing)).toBe("no")
      expect(yield* balance).toEqual({ granted: 10 * dollar, settled: 0, held: 0 })
      expect(yield* stored).toEqual(yield* balance)
    }).pipe(Effect.provide(live))
  )

  it.effect("is the most that its task is charged, even if nothing was held; without a balance nothing bounds it", () =>
    Effect.gen(function* () {
      yield* account(10)
      yield* hold("more", 4)
      yield* hold("nothing", 0)
      yield* end("more", 9)
      yield* end("nothing", 2)
      expect(yield* balance).toEqual({ granted: 10 * dollar, settled: 4 * dollar, held: 0 })
      const sql = yield* SqlClient.SqlClient
      const costs = sql`SELECT task_id, cost_nano_usd AS charged, upstream_cost_nano_usd AS cost,
        above_hold_nano_usd AS above FROM usage ORDER BY id`
      expect(yield* costs).toEqual([
        { task_id: "more", charged: 4 * dollar, cost: 9 * dollar, above: 5 * dollar },
        { task_id: "nothing", charged: 0, cost: 2 * dollar, above: 2 * dollar }
      ])
      const other = AccountId.make("unmetered")
      yield* sql`INSERT INTO accounts (id, created_at) VALUES (${other}, 0)`
      yield* hold("unbounded", 1, { account: other })
      yield* end("unbounded", 3)
      expect((yield* costs).slice(2)).toEqual([
        { task_id: "unbounded", charged: 3 * dollar, cost: 3 * dollar, above: 0 }
      ])
    }).pipe(Effect.provide(live))
  )

  it.effect("of an older node, which does not say whether money was counted, bounds its task if it held any", () =>
    Effect.gen(function* () {
      yield* account(10)
      yield* hold("some", 4)
      yield* hold("none", 0)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE holds SET is_uncounted = NULL`
      yield* end("some", 9)
      yield* end("none", 1)
      expect(yield* balance).toEqual({ granted: 10 * dollar, settled: 5 * dollar, held: 0 })
    }).pipe(Effect.provide(live))
  )

  it.effect("whose end is rolled back is held as before, and may end later", () =>
    Effect.gen(function* () {
      yield* account(10)
      yield* hold("a", 4)
      const ledger = yield* Ledger
      const commits = yield* Commits
      const failing = commits.commit(Effect.zipRight(ledger.endHold("a", used(3)), Effect.fail("no")))
      expect(yield* Effect.flip(failing)).toBe("no")
      expect(yield* balance).toEqual({ granted: 10 * dollar, settled: 0, held: 4 * dollar })
      expect(yield* stored).toEqual(yield* balance)
      yield* end("a", 3)
      expect(yield* balance).toEqual({ granted: 10 * dollar, settled: 3 * dollar, held: 0 })
    }).pipe(Effect.provide(live))
  )

  it.effect("counts against the key's and the account's tasks at a time", () =>
    Effect.gen(function* () {
      yield* account(10)
      const two = { keyLimits: { concurrentTasks: 2 } }
      yield* Effect.all([hold("a", 1, two), hold("b", 1, two)])
      expect(yield* Effect.flip(hold("c", 1, two))).toMatchObject({
        _tag: "RateLimited",
        message: "Too many unfinished tasks: this API key may have 2"
      })
      const other = { key: KeyId.make("key_2"), ...two }
      yield* hold("d", 1, other)
      expect(yield* Effect.flip(hold("e", 1, { ...other, accountLimits: { concurrentTasks: 3 } }))).toMatchObject({
        message: "Too many unfinished tasks: this account may have 3"
      })
      yield* end("a", undefined)
      yield* hold("c", 1, two)
      expect((yield* balance).held).toBe(3 * dollar)
    }).pipe(Effect.provide(live))
  )

  it.effect("counts those of a key that come at once, whether or not they hold money", () =>
    Effect.gen(function* () {
      yield* account(100)
      const five = { keyLimits: { concurrentTasks: 5 } }
      const free = { ...five, account: AccountId.make("unmetered"), key: KeyId.make("key_2") }
      const succeeded = (over: typeof five | typeof free) =>
        Effect.map(
          Effect.all(
            Array.from({ length: 40 }, (_, n) => Effect.exit(hold(`${over === five ? "t" : "u"}${n}`, 1, over))),
            { concurrency: "unbounded" }
          ),
          (all) => all.filter(Exit.isSuccess).length
        )
      expect(yield* succeeded(five)).toBe(5)
      expect(yield* succeeded(free)).toBe(5)
      expect(yield* balance).toEqual({ granted: 100 * dollar, settled: 0, held: 5 * dollar })
    }).pipe(Effect.provide(live))
  )

  it.effect("never lets parallel tasks hold more than there is", () =>
    Effect.gen(function* () {
      yield* account(10)
      const all = yield* Effect.all(
        Array.from({ length: 200 }, (_, n) => Effect.exit(hold(`t${n}`, 1))),
        { concurrency: "unbounded" }
      )
      expect(all.filter(Exit.isSuccess)).toHaveLength(10)
      expect(available(yield* balance)).toBe(0)
      expect(yield* stored).toEqual(yield* balance)
    }).pipe(Effect.provide(live))
  )

  it("keeps the identity through any interleaving of holds, ends, repeated ends, hang-ups and crashes", () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), (steps) =>
        Effect.runPromise(Effect.scoped(Effect.provide(lived(steps), database())))
      ),
      { numRuns: caseCount(isElsewhere() ? 5 : 15) }
    ))
})

type Step = { kind: "hold" | "settle" | "release"; id: string; dollars: number; crash: boolean }

const lived = (steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    /** A process: what it has in memory goes with it, the database stays. */
    const start = Effect.gen(function* () {
      const scope = yield* Scope.make()
      return { scope, process: yield* Layer.buildWithScope(Layer.fresh(services), scope) }
    })
    let { process, scope } = yield* start
    yield* Effect.provide(account(20), process)
    const held = new Map<string, number>()
    let settled = 0
    for (const { crash, dollars, id, kind } of steps) {
      const effect = kind === "hold" ? hold(id, dollars) : end(id, kind === "settle" ? dollars : undefined)
      const exit = yield* Effect.provide(Effect.exit(effect), process)
      if (kind === "hold" && Exit.isSuccess(exit)) held.set(id, dollars)
      // Only a hold that is there is settled, however often its end is asked for.
      if (kind !== "hold") {
        const most = held.get(id) ?? 0
        settled += held.delete(id) && kind === "settle" ? Math.min(dollars, most) : 0
      }
      if (crash) {
        yield* Scope.close(scope, Exit.void)
        const next = yield* start
        process = next.process
        scope = next.scope
      }
      const sum = [...held.values()].reduce((a, b) => a + b, 0)
      const seen = yield* Effect.provide(balance, process)
      expect(seen).toEqual({ granted: 20 * dollar, settled: settled * dollar, held: sum * dollar })
      expect(available(seen)).toBeGreaterThanOrEqual(0)
      expect(yield* stored).toEqual(seen)
    }
    yield* Scope.close(scope, Exit.void)
  })

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom<Step["kind"]>("hold", "hold", "settle", "release"),
  id: fc.constantFrom("a", "b", "c", "d", "e", "f"),
  dollars: fc.integer({ min: 0, max: 8 }),
  crash: fc.boolean()
})

describe("a price as a row has it", () => {
  it("reads back as it was", () => {
    const tiers = [{ above: 200_000, usd: { input: 6, output: 22.5 } }]
    for (const one of [
      price,
      fromUsd({}),
      fromUsd({ per_second: 0.1, per_search: 0.01 }),
      fromUsd({ input: 3 }, tiers)
    ]) {
      expect(priceFromText(one.text)).toEqual(one)
    }
  })
})
