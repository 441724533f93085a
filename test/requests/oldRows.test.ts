import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { UsageReport } from "../../src/ledger/store/UsageReport.ts"
import { anyRow } from "../../src/ledger/store/usageRows.ts"
import { usageWriter } from "../../src/ledger/store/usageWriter.ts"
import { usageReportOf } from "../../src/ledger/usageReportOf.ts"
import { OldRows } from "../../src/requests/store/OldRows.ts"
import type { Book } from "../../src/requests/store/OldRows.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const dayMs = 86_400_000
/** A UTC day's begin. */
const day = (n: number) => (20_000 + n) * dayMs
const iso = (ms: number) => new Date(ms).toISOString()

const live = Layer.mergeAll(OldRows.Default, UsageReport.Default).pipe(Layer.provideMerge(database()))

/** Each of ten days has a hundred rows. */
const seeded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = Array.from({ length: 1_000 }, (_, n) => ({
    ...anyRow,
    atMs: day(0) + n * (dayMs / 100),
    requestId: `r${n}`,
    account: AccountId.make("team"),
    model: "m",
    upstream: "u",
    price: "{}",
    costNanoUsd: 7,
    upstreamCostNanoUsd: 5
  }))
  for (let from = 0; from < rows.length; from += 500) {
    yield* sql.withTransaction(Effect.all(usageWriter(sql)(rows.slice(from, from + 500)), { discard: true }))
  }
  // On Postgres nothing is deleted before sums were compared with rows.
  yield* sql`INSERT INTO upkeep (name, value) VALUES ('usage_sums', -1)`
})

const count = (book: Book) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql<{ n: number }>`SELECT COUNT(*) AS n FROM ${sql(book)}`, ([row]) => Number(row?.n))
  )

/** Until nothing is left to do. Returns the number of statements. */
const removed = (book: Book, beforeMs: number) =>
  Effect.gen(function* () {
    const { remove } = yield* OldRows
    let passes = 0
    while (passes < 1_000 && (yield* remove(book, beforeMs, day(20))) > 0) passes++
    return passes
  })

const report = (by: string, since: number) =>
  Effect.flatMap(UsageReport, (reports) =>
    usageReportOf(reports, { by, since: iso(since), until: iso(day(10)) }, true, () =>
      Effect.die("no rows of requests")
    )
  )

const entries = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`SELECT actor, action, target, after FROM audit ORDER BY id`
)

describeOnEach("old rows", () => {
  it.scoped("of usage go by whole days, a few at a time; sums stay, and reports say what they lack", () =>
    Effect.gen(function* () {
      yield* seeded
      const whole = yield* report("upstream", day(0))
      expect(whole).not.toHaveProperty("rows_since")
      expect(whole.data).toMatchObject([{ requests: 1_000 }])
      expect(yield* removed("usage", day(6) + 5)).toBeGreaterThan(1)
      expect(yield* count("usage")).toBe(400)
      const days = yield* report("day", day(0))
      expect(days.data).toHaveLength(10)
      expect(days.totals).toEqual(whole.totals)
      expect(days).not.toHaveProperty("rows_since")
      for (const by of ["upstream", "model,service_tier", "request"]) {
        expect(yield* report(by, day(0))).toMatchObject({ rows_since: iso(day(6)), totals: { requests: 1_000 } })
        expect(yield* report(by, day(6))).not.toHaveProperty("rows_since")
      }
      expect((yield* report("upstream", day(0))).data).toMatchObject([{ requests: 400 }])
    }).pipe(Effect.provide(live))
  )

  it.scoped("are told once in the audit log, with those that a former process has deleted", () =>
    Effect.gen(function* () {
      yield* seeded
      yield* Effect.provide(
        Effect.flatMap(OldRows, ({ remove }) => remove("usage", day(3), day(20))),
        Layer.fresh(OldRows.Default)
      )
      const left = yield* count("usage")
      expect(left).toBeLessThan(1_000)
      expect(yield* entries).toEqual([])
      expect(left).toBeGreaterThan(700)
      yield* removed("usage", day(3))
      yield* removed("usage", day(3))
      const told = { actor: "retention", action: "retention.usage", target: "usage" }
      expect(yield* entries).toEqual([{ ...told, after: JSON.stringify({ rows: 300, before: iso(day(3)) }) }])
    }).pipe(Effect.provide(live))
  )

  it.scoped("of the audit log go too, but the newest stays, and nothing else can be deleted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (let n = 0; n < 5; n++) {
        yield* sql`INSERT INTO audit ${sql.insert({ at: day(n), actor: "a", action: "b", target: `${n}` })}`
      }
      yield* Effect.flip(sql`DELETE FROM audit WHERE target = '0'`)
      yield* removed("audit", day(3))
      expect((yield* entries).map(({ target }) => target)).toEqual(["3", "4", "audit"])
      yield* Effect.flip(sql`DELETE FROM audit WHERE target = '3'`)
      yield* Effect.flip(sql`UPDATE audit SET action = 'c'`)
      yield* sql`DELETE FROM upkeep`
      yield* removed("audit", day(30))
      const [, last] = yield* entries
      expect(last).toMatchObject({ action: "retention.audit", after: expect.stringContaining(`"rows":2`) })
    }).pipe(Effect.provide(live))
  )

  it.scoped("of usage wait on Postgres until sums were compared with them", () =>
    Effect.gen(function* () {
      yield* seeded
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM upkeep`
      yield* removed("usage", day(3))
      expect(yield* count("usage")).toBe(sql.onDialectOrElse({ pg: () => 1_000, orElse: () => 700 }))
    }).pipe(Effect.provide(live))
  )
})
