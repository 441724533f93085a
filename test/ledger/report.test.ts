import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer, TestClock } from "effect"
import { AccountId, KeyId } from "../../src/contract/callers/Caller.ts"
import { readTime } from "../../src/contract/timeQuery.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { usageWriter } from "../../src/ledger/store/usageWriter.ts"
import type { UsageRow } from "../../src/ledger/store/usageRows.ts"
import { UsageReport } from "../../src/ledger/store/UsageReport.ts"
import { usageBys } from "../../src/ledger/usageBy.ts"
import { usageReportOf } from "../../src/ledger/usageReportOf.ts"
import { caseCount } from "../caseCount.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const live = UsageReport.Default.pipe(Layer.provideMerge(database()))
const now = Date.parse("2026-01-31T15:00:00Z")
const day = 86_400_000

const row = (over: Partial<UsageRow> = {}): UsageRow => ({
  atMs: now,
  requestId: "req",
  account: AccountId.make("team"),
  key: KeyId.make("key_a"),
  model: "m",
  upstream: "u",
  outcome: "finished",
  estimated: false,
  used: { ...noUsage, inputTokens: 10, outputTokens: 3 },
  price: "{}",
  costNanoUsd: 1_000,
  upstreamCostNanoUsd: 1_000,
  aboveHoldNanoUsd: 0,
  ...over
})

const store = (rows: ReadonlyArray<UsageRow>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(Effect.all(usageWriter(sql)(rows), { discard: true }))
  )

const ask = (question: Parameters<typeof usageReportOf>[1]) =>
  Effect.flatMap(UsageReport, (report) => usageReportOf(report, question, false, () => Effect.die("not asked")))

describeOnEach("a usage report", ({ name }) => {
  it.effect("sums by day, model and key, and shows each request", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      yield* store([
        row(),
        row({ model: "n", costNanoUsd: 5_000 }),
        row({ key: KeyId.make("key_b"), atMs: now - day, requestId: "req_2" }),
        row({ account: AccountId.make("other") })
      ])
      const account = AccountId.make("team")
      const groups = (by: "day" | "model" | "key") =>
        Effect.map(ask({ account, by }), ({ data }) => data.map((group) => ("group" in group ? group.group : "")))
      expect(yield* groups("day")).toEqual(["2026-01-31", "2026-01-30"])
      expect(yield* groups("model")).toEqual(["n", "m"])
      expect(yield* groups("key")).toEqual(["key_a", "key_b"])
      const { data, totals } = yield* ask({ account, by: "request" })
      expect(totals).toMatchObject({ requests: 3, input_tokens: 30, cost: { nano_usd: 7_000, usd: "0.000007" } })
      expect(data).toHaveLength(3)
      expect(data[2]).toMatchObject({ time: "2026-01-30T15:00:00.000Z", request_id: "req_2", key: "key_b" })
      expect((yield* ask({})).totals.requests).toBe(4)
      expect((yield* ask({ account, model: "n" })).totals.cost.nano_usd).toBe(5_000)
      expect((yield* ask({ account, key: "key_b" })).totals.requests).toBe(1)
      expect((yield* ask({ account, since: "2026-01-31" })).totals.requests).toBe(2)
      expect((yield* ask({ account, until: "2026-01-30" })).totals.requests).toBe(1)
    }).pipe(Effect.provide(live))
  )

  it.effect("comes in pages that have every row once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      yield* store(
        Array.from({ length: 25 }, (_, i) => row({ requestId: `r${i}`, model: `m${i}`, atMs: now - (i % 4) }))
      )
      for (const question of [
        { by: "request" },
        { by: "request", account: AccountId.make("team") },
        { by: "model" }
      ] as const) {
        const seen: Array<string> = []
        let after: string | undefined
        do {
          const page: Effect.Effect.Success<ReturnType<typeof usageReportOf>> = yield* ask({
            ...question,
            limit: 10,
            after
          })
          seen.push(...page.data.map((one) => ("group" in one ? one.group : one.model)))
          after = page.next ?? undefined
        } while (after !== undefined)
        expect(seen.toSorted()).toEqual(Array.from({ length: 25 }, (_, i) => `m${i}`).toSorted())
      }
    }).pipe(Effect.provide(live))
  )

  it.effect.prop(
    "has the same sums in one dimension and in two as row by row",
    [
      fc.array(
        fc.record({
          days: fc.nat(5),
          model: fc.constantFrom("a", "b"),
          key: fc.constantFrom("x", "y"),
          account: fc.constantFrom("team", "other"),
          upstream: fc.constantFrom("u", "v"),
          tier: fc.constantFrom(undefined, "flex", "priority"),
          cost: fc.nat(1e6)
        }),
        { maxLength: 40 }
      )
    ],
    ([rows]) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(now)
        // In two batches: what is there is added to.
        const all = rows.map(({ account, cost, days, key, model, tier, upstream }) =>
          row({
            used: { ...noUsage, inputTokens: 10, outputTokens: 3, ...(tier !== undefined && { served: { tier } }) },
            atMs: now - days * day,
            costNanoUsd: cost,
            key: KeyId.make(key),
            account: AccountId.make(account),
            model,
            upstream
          })
        )
        yield* store(all.slice(0, 20))
        yield* store(all.slice(20))
        const total = rows.reduce((sum, { cost }) => sum + cost, 0)
        const { totals } = yield* ask({ since: "30d" })
        expect([totals.requests, totals.cost.nano_usd, totals.output_tokens]).toEqual([
          rows.length,
          total,
          rows.length * 3
        ])
        const valueOf = (one: UsageRow, dimension: string | undefined): string | null =>
          dimension === "day"
            ? new Date(one.atMs).toISOString().slice(0, 10)
            : dimension === "account" || dimension === "key" || dimension === "model" || dimension === "upstream"
              ? one[dimension]
              : dimension === "service_tier"
                ? (one.used.served?.tier ?? "")
                : null
        for (const by of usageBys.filter((one) => one !== "tag" && one !== "end_user")) {
          const { data, from } = yield* ask({ by, since: "30d", limit: 1_000 })
          expect([from, data.reduce((sum, { cost }) => sum + cost.nano_usd, 0)]).toEqual(["ledger", total])
          if (by === "request") continue
          const [first, second] = by.split(",")
          const expected = new Map<string, number>()
          for (const one of all) {
            const group = JSON.stringify([valueOf(one, first), valueOf(one, second)])
            expected.set(group, (expected.get(group) ?? 0) + one.costNanoUsd)
          }
          const found = data.flatMap((one) =>
            "group" in one ? [[JSON.stringify([one.group, one.second]), one.cost.nano_usd] as const] : []
          )
          expect(new Map(found)).toEqual(expected)
        }
      }).pipe(Effect.provide(Layer.fresh(live))),
    { fastCheck: { numRuns: caseCount(name === "sqlite" ? 10 : 4) } }
  )
})

describe("a moment", () => {
  it("is a day, a time or how long ago", () => {
    expect(readTime("7d", now)).toBe(now - 7 * day)
    expect(readTime("90m", now)).toBe(now - 5_400_000)
    expect(readTime("2026-01-30", now)).toBe(Date.parse("2026-01-30T00:00:00Z"))
    expect(readTime("2026-01-30", now, true)).toBe(Date.parse("2026-01-30T23:59:59.999Z"))
    expect(readTime("yesterday", now)).toBe(Date.parse("2026-01-30T00:00:00Z"))
    expect(readTime("yesterday", now, true)).toBe(Date.parse("2026-01-30T23:59:59.999Z"))
    expect(readTime("today", now)).toBe(Date.parse("2026-01-31T00:00:00Z"))
    expect(readTime("2026-01-30T10:00:00+02:00", now)).toBe(Date.parse("2026-01-30T08:00:00Z"))
    for (const wrong of ["", "7", "7y", "tomorrow", "2026-13-01", "2026-1-1", "2026-01-30T10:00"]) {
      expect([wrong, readTime(wrong, now)]).toEqual([wrong, undefined])
    }
  })
})
