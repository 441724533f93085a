import { SqlClient } from "@effect/sql"
import { describe, expect, inject, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { Node, NodeTimes } from "../../../src/cluster/Node.ts"
import { AccountId, KeyId } from "../../../src/contract/callers/Caller.ts"
import { Daemons } from "../../../src/flow/Daemons.ts"
import { noUsage } from "../../../src/generation/GenerationEvent.ts"
import { repairSums } from "../../../src/ledger/shared/repairSums.ts"
import { foldVersion } from "../../../src/ledger/store/following.ts"
import { sumRepair } from "../../../src/ledger/store/sumRepair.ts"
import type { UsageRow } from "../../../src/ledger/store/usageRows.ts"
import { usageStatements } from "../../../src/ledger/store/usageStatements.ts"
import { layer as databaseAt } from "../../../src/sql/Database.ts"
import { engines } from "../../sql/engines.ts"
import { eventually } from "../../tasks/engine.ts"
import { olderFolds } from "./olderFolds.ts"
import { sumDifferences } from "./sumDifferences.ts"

const postgres = engines.find(({ name }) => name === "postgres")
const schemas = [33, 54] as const

const database = Layer.unwrapScoped(
  Effect.map(
    Effect.suspend(() => (postgres === undefined ? Effect.dieMessage("there is no Postgres") : postgres.url)),
    (url) => databaseAt({ url, exclusive: false })
  )
)

const [hourMs, dayMs] = [3_600_000, 86_400_000]
const base = Date.UTC(2026, 1, 3, 22)
let made = 0

const row = (some: Partial<UsageRow> = {}): UsageRow => {
  const n = ++made
  return {
    atMs: base,
    requestId: `r${n}`,
    account: AccountId.make(n % 2 === 0 ? "a" : "b"),
    key: KeyId.make(`k${n % 3}`),
    model: `m${n % 2}`,
    upstream: `u${n % 2}`,
    outcome: "finished",
    estimated: false,
    used: {
      ...noUsage,
      inputTokens: n,
      cacheReadTokens: n % 5,
      cacheWriteTokens: n % 7,
      outputTokens: 2 * n,
      reasoningTokens: n % 3,
      searches: n % 2
    },
    price: "{}",
    costNanoUsd: 1_000 + n,
    upstreamCostNanoUsd: 500 + n,
    aboveHoldNanoUsd: n % 4,
    ...some
  }
}

const budget = { budget: "b", subject: "", step: 0, account_id: "a", ends_at: 9e15, used: 7, held: -3 }

const begun = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO accounts (id, created_at) VALUES ('a', 0), ('b', 0)`
  const usage = usageStatements(sql)
  const leave = (some: ReadonlyArray<UsageRow>) =>
    Effect.forEach(some, (one) => sql.withTransaction(usage.leave(`task_${one.requestId}`, one, 0, [])))
  return {
    sql,
    usage,
    leave,
    fold: (schema: (typeof schemas)[number]) => sql.unsafe(olderFolds[schema]),
    /** Leaves rows as versions before this one did: any node adds them up. */
    leaveAsBefore: (some: ReadonlyArray<UsageRow>) =>
      Effect.zipRight(leave(some), sql`UPDATE usage_unsummed SET id = SUBSTR(id, 2), fold = 0 WHERE id LIKE '~%'`),
    differing: Effect.gen(function* () {
      const found: Array<string> = []
      for (const [name, text] of Object.entries(sumDifferences)) {
        for (const one of yield* sql.unsafe(text)) found.push(`${name}: ${JSON.stringify(one)}`)
      }
      return found
    }),
    hoursLack: Effect.map(
      sql<{ nano: number }>`SELECT (SELECT SUM(cost_nano_usd) FROM usage) - (SELECT COALESCE(SUM(cost_nano_usd), 0)
        FROM usage_hours) AS nano`,
      ([lack]) => Number(lack?.nano)
    )
  }
})

/** All slices, until the last. */
const repaired = Effect.gen(function* () {
  const repair = sumRepair(yield* SqlClient.SqlClient)
  const lacked = { hours: 0, days: 0, nanoUsd: 0 }
  let from = yield* repair.firstMs
  while (from !== undefined) {
    const slice = yield* repair.slice(from, base + 3 * dayMs)
    if (slice === undefined) return yield* Effect.dieMessage("another process repairs")
    lacked.hours += slice.hours.sums
    lacked.days += slice.days.sums
    lacked.nanoUsd += slice.hours.nanoUsd
    from = slice.nextMs
  }
  return lacked
})

describe.runIf(inject("postgres") !== undefined)("beside nodes of an older version", () => {
  it.scopedLive.each(schemas)("usage that they would add up without its newer columns waits (schema %i)", (schema) =>
    Effect.gen(function* () {
      const { differing, fold, leave, sql, usage } = yield* begun
      yield* leave([row(), row({ atMs: base + hourMs, aboveHoldNanoUsd: 9 }), row({ outcome: "cut", costNanoUsd: 0 })])
      yield* sql.withTransaction(usage.leave("task_budgets", row({ account: AccountId.make("a") }), 0, [budget]))
      yield* usage.leaveHold("task_free", { account: "a", key: "k", nanoUsd: 5 }, "2026-02-03", [budget])
      expect(yield* fold(schema)).toEqual([])
      expect(yield* differing).toEqual([])
      yield* usage.sumUp
      expect(yield* sql`SELECT * FROM usage_unsummed`).toEqual([])
      expect(yield* differing).toEqual([])
      expect(yield* sql`SELECT used, held FROM budget_counters`).toEqual([{ used: 14, held: -6 }])
    }).pipe(Effect.provide(database))
  )

  it.scopedLive("usage that they left is added up by either, that of a newer node by neither", () =>
    Effect.gen(function* () {
      const { differing, fold, leave, leaveAsBefore, sql, usage } = yield* begun
      yield* leaveAsBefore([row({ aboveHoldNanoUsd: 0 })])
      expect(yield* fold(54)).toHaveLength(1)
      yield* leaveAsBefore([row()])
      yield* usage.sumUp
      expect(yield* sql`SELECT * FROM usage_unsummed`).toEqual([])
      yield* leave([row()])
      yield* sql`UPDATE usage_unsummed SET fold = ${foldVersion + 1}`
      yield* usage.sumUp
      yield* fold(54)
      expect(yield* sql`SELECT fold FROM usage_unsummed`).toEqual([{ fold: foldVersion + 1 }])
      expect(yield* differing).toEqual([])
    }).pipe(Effect.provide(database))
  )

  it.scopedLive.each(schemas)(
    "what they took from the sums is added once, whoever serves meanwhile (schema %i)",
    (schema) =>
      Effect.gen(function* () {
        const { differing, fold, hoursLack, leave, leaveAsBefore, sql, usage } = yield* begun
        // Three days; names below a wildcard are counted under it, or by themselves.
        const some = (hour: number, count: number) =>
          Array.from({ length: count }, (_, n) =>
            row({
              atMs: base + hour * 5 * hourMs + n,
              ...(n % 4 === 0 && {
                account: AccountId.make("a"),
                model: `wild/${n % 8}_%`,
                summedAs: n % 8 === 0 ? "wild/*" : undefined
              })
            })
          )
        for (let hour = 0; hour < 9; hour++) {
          yield* leave([...some(hour, 9), row({ atMs: base + hour * 5 * hourMs, outcome: "outpaced", costNanoUsd: 0 })])
          yield* usage.sumUp
          yield* leaveAsBefore(some(hour, 9))
          yield* fold(schema)
        }
        const lack = yield* hoursLack
        expect(lack > 0).toBe(schema === 33)
        expect(yield* differing).not.toEqual([])
        // Not added up yet: by this version, and by the former.
        yield* leave(some(8, 9))
        yield* leaveAsBefore(some(8, 9))
        const unsummed = yield* hoursLack
        const { hours, nanoUsd } = yield* repaired
        expect([hours > 0, nanoUsd]).toEqual([true, lack])
        expect(yield* hoursLack).toBe(unsummed - lack)
        expect(yield* differing).toEqual([])
        yield* usage.sumUp
        expect(yield* differing).toEqual([])
        expect(yield* repaired).toMatchObject({ hours: 0, days: 0 })
        const names = yield* sql<{
          model: string
        }>`SELECT DISTINCT model FROM usage_hours WHERE model LIKE 'wild%' ORDER BY 1`
        expect(names.map(({ model }) => model)).toEqual(["wild/*", "wild/4_%"])
      }).pipe(Effect.provide(database))
  )

  it.scopedLive("two that repair at once add nothing twice", () =>
    Effect.gen(function* () {
      const { differing, fold, leaveAsBefore } = yield* begun
      yield* leaveAsBefore(Array.from({ length: 200 }, () => row()))
      yield* fold(33)
      const repair = sumRepair(yield* SqlClient.SqlClient)
      yield* Effect.all(
        Array.from({ length: 6 }, () => repair.slice(base, base)),
        { concurrency: "unbounded" }
      )
      expect(yield* differing).toEqual([])
    }).pipe(Effect.provide(database))
  )

  it.scopedLive("usage that comes while sums are repaired is counted once", () =>
    Effect.gen(function* () {
      const { differing, fold, leave, leaveAsBefore, usage } = yield* begun
      const repair = sumRepair(yield* SqlClient.SqlClient)
      for (let round = 0; round < 10; round++) {
        yield* leaveAsBefore([row(), row()])
        yield* fold(33)
        const coming = Effect.zipRight(leave(Array.from({ length: 12 }, () => row())), usage.sumUp)
        yield* Effect.all([repair.slice(base, base), coming], { concurrency: "unbounded" })
        expect(yield* differing).toEqual([])
      }
    }).pipe(Effect.provide(database))
  )

  it.scopedLive("a gateway repairs when the last of them has left, once, and says so", () =>
    Effect.gen(function* () {
      const { differing, fold, leaveAsBefore, sql } = yield* begun
      const lines: Array<string> = []
      const log = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void lines.push(String(message)))
      )
      const recent = { atMs: Date.now() }
      yield* leaveAsBefore([
        row({ ...recent, costNanoUsd: 2_500_000_000, upstreamCostNanoUsd: 1_000_000_000, aboveHoldNanoUsd: 0 })
      ])
      yield* fold(33)
      const old = { id: "old", name: "old", machine: "another", pid: 1, backend: 0, version: "0" }
      yield* sql`INSERT INTO nodes ${sql.insert({ ...old, started_at: 0, renewed_at: 0, good_until: 9e15 })}`
      const gateway = Layer.scopedDiscard(repairSums).pipe(
        Layer.provide([Node.Default, Daemons.Default]),
        Layer.provide(Layer.succeed(NodeTimes, { renewEvery: 20, goodFor: 15_000, lookEvery: 20, othersFirst: 100 })),
        Layer.provide(log)
      )
      yield* Effect.scoped(Effect.zipRight(Layer.build(gateway), Effect.sleep("300 millis")))
      expect([lines, yield* differing]).toEqual([[], expect.objectContaining({ length: 2 })])
      yield* sql`DELETE FROM nodes WHERE id = 'old'`
      const over = sql`SELECT 1 FROM upkeep WHERE name = 'usage_sums' AND value = -1`
      yield* Effect.scoped(
        Effect.zipRight(
          Layer.build(gateway),
          eventually(over, (found) => found.length === 1)
        )
      )
      expect(yield* differing).toEqual([])
      expect(lines.filter((line) => line.includes("are whole again"))).toEqual([
        "sums of usage that nodes of an older version added up are whole again: 1 by hour lacked $2.50 and $1.00 of upstreams' costs, 1 by day $0.00 and $1.00 of upstreams' costs"
      ])
      // Once: what is wrong later is not its business.
      yield* leaveAsBefore([row(recent)])
      yield* fold(33)
      yield* Effect.scoped(Effect.zipRight(Layer.build(gateway), Effect.sleep("300 millis")))
      expect(yield* differing).not.toEqual([])
    }).pipe(Effect.provide(database))
  )
})
