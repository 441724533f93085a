import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database as SqliteFile } from "bun:sqlite"
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { AccountId, Caller } from "../../src/contract/callers/Caller.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { fromUsd } from "../../src/ledger/Price.ts"
import { UsageRecord } from "../../src/ledger/UsageRecord.ts"
import { UsageReport } from "../../src/ledger/store/UsageReport.ts"
import { usageReportOf } from "../../src/ledger/usageReportOf.ts"
import { layer } from "../../src/sql/Database.ts"

/**
 * A database as version 1.0.0 left it, which began with 0.1.0: an upstream's `-5000`, `10.5`, `1e300` and twice nine
 * quadrillion are in its books.
 */
const old = readFileSync(join(import.meta.dirname, "version-1.0.0.sql"), "utf8")

const upgraded = Layer.unwrapScoped(
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-upgrade-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const path = join(folder, "gateway.db")
    const file = new SqliteFile(path, { create: true })
    file.run("PRAGMA foreign_keys = OFF")
    file.run(old)
    file.close()
    return layer({ url: `sqlite:${path}`, exclusive: true })
  })
)

const live = Layer.merge(Ledger.Default, UsageReport.Default).pipe(Layer.provideMerge(upgraded))

interface Account {
  readonly id: string
  readonly settled: number
  readonly kind: string
  readonly rows: number
}

const accounts = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<Account>`SELECT id, settled_nano_usd AS settled, typeof(settled_nano_usd) AS kind,
    (SELECT COUNT(*) FROM usage WHERE account_id = accounts.id) AS rows FROM accounts ORDER BY id`
)

describe("a database of version 1.0.0", () => {
  it.effect("keeps its keys, tasks, holds and usage", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const counted = yield* sql`SELECT (SELECT COUNT(*) FROM keys) AS keys, (SELECT COUNT(*) FROM tasks) AS tasks,
        (SELECT COUNT(*) FROM holds) AS holds, (SELECT COUNT(*) FROM usage) AS usage,
        (SELECT COUNT(*) FROM responses) AS responses`
      expect(counted).toEqual([{ keys: 7, tasks: 2, holds: 2, usage: 11, responses: 1 }])
      const ledger = yield* Ledger
      expect(yield* ledger.balance(AccountId.make("team-a"))).toEqual({
        granted: 20_000_000_000,
        settled: 120_000,
        held: 1_000_000_000
      })
    }).pipe(Effect.provide(live))
  )

  it.effect("has sums that are exact integers: those that were none are counted again from the rows that can be", () =>
    Effect.gen(function* () {
      const settled = Object.fromEntries((yield* accounts).map(({ id, kind, settled }) => [id, [kind, settled]]))
      expect(settled).toEqual({
        default: ["integer", 0],
        "team-a": ["integer", 120_000],
        "team-b": ["integer", 60_000],
        // What can be counted stays, right or wrong.
        negative: ["integer", 45_110_000],
        fraction: ["integer", 115_500],
        huge: ["integer", 60_000],
        open: ["integer", 60_000]
      })
      const sql = yield* SqlClient.SqlClient
      expect(
        yield* sql`SELECT nano_usd FROM key_spending WHERE typeof(nano_usd) <> 'integer' OR nano_usd > 1e15`
      ).toEqual([])
      const days = yield* sql`SELECT account_id, requests, input_tokens, output_tokens, cost_nano_usd FROM usage_days
        WHERE account_id IN ('huge', 'fraction') ORDER BY account_id`
      expect(days).toEqual([
        { account_id: "fraction", requests: 2, input_tokens: 10, output_tokens: 5, cost_nano_usd: 60_000 },
        { account_id: "huge", requests: 2, input_tokens: 10, output_tokens: 5, cost_nano_usd: 60_000 }
      ])
    }).pipe(Effect.provide(live))
  )

  it.effect("says in the audit whose books are off, and by how much", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const found = yield* sql<{ actor: string; target: string; before: string; after: string }>`
        SELECT actor, target, before, after FROM audit WHERE action = 'ledger.drift' ORDER BY target`
      expect(
        found.map(({ after, before, ...rest }) => ({ ...rest, before: JSON.parse(before), after: JSON.parse(after) }))
      ).toEqual(
        [
          ["fraction", 115_500, 115_500, 1, 55_500],
          ["huge", 1e303, 60_000, 1, 1e303],
          ["negative", 45_110_000, 45_110_000, 1, 45_050_000],
          ["open", 9_000_000_000_000_111_000, 60_000, 1, 9_000_000_000_000_050_000]
        ].map(([target, before, after, rows, cost]) => ({
          actor: "upgrade",
          target,
          before: { settled_nano_usd: before },
          after: {
            settled_nano_usd: after,
            rows_that_can_be_money_nano_usd: 60_000,
            rows_out_of_range: rows,
            their_cost_nano_usd: cost
          }
        }))
      )
    }).pipe(Effect.provide(live))
  )

  it.effect("can be reported, what is out of range too", () =>
    Effect.gen(function* () {
      const report = yield* UsageReport
      for (const by of ["request", "day", "model", "key"] as const) {
        const record = yield* usageReportOf(
          report,
          { by, since: "2026-11-01T00:00:00Z", until: "2026-12-01T00:00:00Z" },
          true,
          () => Effect.die("not asked")
        )
        expect(record.data.length).toBeGreaterThan(0)
        yield* Schema.encode(UsageRecord)(record)
      }
    }).pipe(Effect.provide(live))
  )

  it.effect("goes on: every account of it can be charged", () =>
    Effect.gen(function* () {
      const before = yield* accounts
      const ledger = yield* Ledger
      for (const { id } of before) {
        const charge = yield* ledger.open({
          caller: Caller.unrestricted(id, `key of ${id}`),
          requestId: "req",
          model: "paid",
          upstream: "up",
          price: fromUsd({ output: 10 }),
          mostNanoUsd: () => 1_000_000,
          mostTokens: () => 0
        })
        yield* Effect.promise(async () => charge.settle({ ...noUsage, outputTokens: 5 }, "finished", false))
      }
      yield* ledger.flush
      expect((yield* accounts).map(({ rows, settled }) => [rows, settled])).toEqual(
        before.map(({ rows, settled }) => [rows + 1, settled + 50_000])
      )
    }).pipe(Effect.provide(live))
  )

  it.effect("refuses what can't be money from now on", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const usage = { ...good, at: 1, request_id: "r", account_id: "team-a", key_id: "k", model: "m", upstream: "u" }
      yield* sql`INSERT INTO usage ${sql.insert({ ...usage, ...words })}`
      for (const column of Object.keys(good)) {
        for (const wrong of [-1, 1.5, 1e300, 9_007_199_254_740_992, "much"]) {
          const refused = yield* Effect.flip(
            sql`INSERT INTO usage ${sql.insert({ ...usage, ...words, [column]: wrong })}`
          )
          expect(String(refused.cause)).toContain("out of range")
        }
      }
      const attempts = [
        sql`UPDATE accounts SET settled_nano_usd = settled_nano_usd - 1 WHERE id = 'team-a'`,
        sql`UPDATE accounts SET settled_nano_usd = settled_nano_usd + 0.5 WHERE id = 'team-a'`,
        sql`UPDATE accounts SET settled_nano_usd = 1e300 WHERE id = 'team-a'`,
        sql`UPDATE accounts SET granted_nano_usd = 1e300 WHERE id = 'team-a'`,
        sql`UPDATE holds SET nano_usd = -1`,
        sql`INSERT INTO holds (id, at, request_id, account_id, key_id, model, upstream, price, nano_usd)
          VALUES ('t', 1, 'r', 'team-a', 'k', 'm', 'u', '{}', 0.5)`,
        sql`INSERT INTO grants (at, account_id, nano_usd, note) VALUES (1, 'team-a', 1e300, '')`,
        sql`INSERT INTO key_spending (key_id, day, nano_usd) VALUES ('k', '2026-01-01', -5)`,
        sql`UPDATE key_spending SET nano_usd = nano_usd - 1`,
        sql`UPDATE usage_days SET cost_nano_usd = cost_nano_usd - 1`,
        sql`UPDATE usage_days SET input_tokens = input_tokens + 0.5`
      ]
      for (const attempt of attempts) expect(String((yield* Effect.flip(attempt)).cause)).toContain("out of range")
    }).pipe(Effect.provide(live))
  )
})

const good = {
  input_tokens: 1,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 1,
  reasoning_tokens: 0,
  searches: 0,
  video_frames: 0,
  cost_nano_usd: 1
}
const words = { outcome: "finished", estimated: 0, price: "{}" }
