import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer } from "effect"
import { noColumns } from "../../src/contract/records/measures.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { usageBooks } from "../../src/ledger/store/usageBooks.ts"
import { allSummed } from "../../src/ledger/store/usageStatements.ts"
import { attemptBook } from "../../src/requests/store/attemptBook.ts"
import { requestBook } from "../../src/requests/store/requestBook.ts"
import type { RequestRow } from "../../src/requests/RequestRow.ts"
import type { Book, Column, Query } from "../../src/sums/Book.ts"
import type { Measure, Sums } from "../../src/sums/Sums.ts"
import {
  addSums,
  attemptMeasures,
  noSums,
  outcomeMeasures,
  settledMeasures,
  usedMeasures
} from "../../src/sums/Sums.ts"
import { sumsOf } from "../../src/sums/sumsOf.ts"
import { caseCount } from "../caseCount.ts"
import { storePaid, usageOf } from "../requests/paid.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const midnight = Date.parse("2026-03-04T00:00:00Z")
const nowMs = midnight + 3 * hourMs + 20 * 60_000

/** Times close to the borders of hours and days, and others. */
const time = fc
  .tuple(fc.integer({ min: -28, max: 3 }), fc.oneof(fc.constantFrom(-1, 0, 1), fc.integer({ min: 0, max: hourMs - 1 })))
  .map(([hour, offset]) => Math.min(midnight + hour * hourMs + offset, nowMs - 1))

const made = fc
  .record({
    at: time,
    whose: fc.constantFrom({ account: "one", key: "x" }, { account: "one", key: "y" }, { account: "two", key: "z" }),
    model: fc.constantFrom("a", "b"),
    upstream: fc.constantFrom("u", "v"),
    status: fc.constantFrom(200, 200, 400, 500, 499),
    tokens: fc.nat(1_000),
    cost: fc.nat(1e9)
  })
  .map(({ whose, ...one }) => ({ ...one, ...whose }))
type Made = typeof made extends fc.Arbitrary<infer A> ? A : never

const rowOf = ({ account, at, cost, key, model, status, tokens, upstream }: Made, n: number): RequestRow => ({
  at,
  request_id: `req_${n}`,
  account_id: account,
  key_id: key,
  family: "messages",
  endpoint: "/v1/messages",
  model,
  upstream_model: "m",
  upstream,
  status,
  error: "",
  stream: 0,
  first_byte_ms: 1,
  duration_ms: 5,
  ...noColumns.requests,
  input_tokens: tokens,
  output_tokens: 2 * tokens,
  cost_nano_usd: cost,
  upstream_cost_nano_usd: null,
  settled_at: at,
  conversation: "",
  details: JSON.stringify({
    attempts: [
      { upstream: upstream === "u" ? "v" : "u", upstream_model: "m", outcome: "failed", error: "x", duration_ms: 1 },
      { upstream, upstream_model: "m", outcome: "answered", status, duration_ms: 1 }
    ]
  })
})

const store = (some: ReadonlyArray<Made>) => {
  const rows = some.map(rowOf).toSorted((one, other) => one.at - other.at)
  const paid = rows.map((row) =>
    usageOf(row, {
      used: { ...noUsage, inputTokens: row.input_tokens, outputTokens: row.output_tokens, searches: 1 },
      aboveHoldNanoUsd: 7
    })
  )
  return storePaid(
    rows.map((row) => ({ ...row, cost_nano_usd: null })),
    paid
  )
}

/** What one request counts, of all books. */
const measuresOf = ({ cost, status, tokens }: Made): Partial<Sums> => ({
  requests: 1,
  errors: status >= 400 ? 1 : 0,
  refused: status === 400 ? 1 : 0,
  hang_ups: status === 499 ? 1 : 0,
  input_tokens: tokens,
  output_tokens: 2 * tokens,
  searches: 1,
  cost_nano_usd: cost,
  upstream_cost_nano_usd: 2 * cost,
  above_hold_nano_usd: 7
})

const valueOf = (one: Made, column: Column | undefined): string =>
  column === undefined
    ? ""
    : { account_id: one.account, key_id: one.key, model: one.model, upstream: one.upstream, service_tier: "" }[column]

type Asked = Pick<Query, "by" | "nowMs" | "span" | "stepMs"> & {
  readonly owner: string | undefined
  readonly key: string | undefined
}

/** The sums by their groups, in any order, as a plain sum over the rows has them. */
const plainly = (
  all: ReadonlyArray<Made>,
  { by, key, owner, span, stepMs }: Asked,
  measures: ReadonlyArray<Measure>
) => {
  const found = new Map<string, Sums>()
  for (const one of all) {
    if (one.at < span.fromMs || one.at >= span.toMs) continue
    if ((owner ?? one.account) !== one.account || (key ?? one.key) !== one.key) continue
    const step = stepMs === undefined ? 0 : Math.floor(one.at / stepMs) * stepMs
    const group = JSON.stringify([step, valueOf(one, by?.[0]), valueOf(one, by?.[1])])
    found.set(group, addSums(found.get(group) ?? noSums(), measuresOf(one)))
  }
  return Object.fromEntries([...found].map(([group, sums]) => [group, measures.map((name) => sums[name])]))
}

const summed = (book: Book, { by, key, nowMs, owner, span, stepMs }: Asked, measures: ReadonlyArray<Measure>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const found = yield* sumsOf(sql, book, { by, span, nowMs, stepMs, measures, scope: { owner, key } })
    const groups = found.map(({ atMs, name, second, ...sums }) => [
      JSON.stringify([atMs, name, second]),
      measures.map((measure) => sums[measure])
    ])
    // Each group once.
    expect(new Set(groups.map(([group]) => group)).size).toBe(found.length)
    return Object.fromEntries(groups)
  })

const columns = ["account_id", "key_id", "model", "upstream"] as const
const asked = fc.record({
  span: fc.tuple(time, fc.oneof(time, fc.constant(nowMs))).map(([one, other]) => ({
    fromMs: Math.min(one, other),
    toMs: Math.max(one, other)
  })),
  nowMs: fc.constantFrom(undefined, nowMs),
  stepMs: fc.constantFrom(undefined, 60_000, hourMs, 3 * hourMs, dayMs),
  by: fc.option(fc.tuple(fc.constantFrom(...columns), fc.option(fc.constantFrom(...columns), { nil: undefined })), {
    nil: undefined
  }),
  owner: fc.option(fc.constantFrom("one", "two"), { nil: undefined }),
  key: fc.option(fc.constantFrom("x", "z"), { nil: undefined })
})

const world = () => Layer.fresh(database())

describeOnEach("sums", ({ name }) => {
  it.effect.prop(
    "of any span, by any steps and groups, are those of the rows one by one",
    [fc.array(made, { maxLength: 60 }), fc.array(asked, { minLength: 12, maxLength: 12 })],
    ([all, questions]) =>
      Effect.gen(function* () {
        yield* store(all)
        const sql = yield* SqlClient.SqlClient
        const { days, hours } = usageBooks(sql, allSummed(sql))
        for (const question of questions) {
          for (const [book, measures] of [
            [hours, settledMeasures],
            [days, usedMeasures],
            [requestBook(sql), [...outcomeMeasures, "output_tokens"]]
          ] as const) {
            const plain = plainly(all, question, measures)
            expect([question, yield* summed(book, question, measures)]).toEqual([question, plain])
          }
          // Each request was tried twice: at the other upstream first.
          const ofCalls = { ...question, by: ["upstream"] as const, stepMs: undefined }
          const tried = yield* summed(attemptBook(sql), ofCalls, attemptMeasures)
          const calls: Record<string, Array<number>> = {}
          for (const one of all) {
            const { fromMs, toMs } = question.span
            if (one.at < fromMs || one.at >= toMs) continue
            if ((question.owner ?? one.account) !== one.account || (question.key ?? one.key) !== one.key) continue
            for (const upstream of ["u", "v"]) {
              const [attempts, failed, hidden, outpaced] = (calls[JSON.stringify([0, upstream, ""])] ??= [0, 0, 0, 0])
              const isFailed = upstream !== one.upstream
              calls[JSON.stringify([0, upstream, ""])] = [
                (attempts ?? 0) + 1,
                (failed ?? 0) + (isFailed ? 1 : 0),
                (hidden ?? 0) + (isFailed && one.status === 200 ? 1 : 0),
                outpaced ?? 0
              ]
            }
          }
          expect([question, tried]).toEqual([question, calls])
        }
      }).pipe(Effect.provide(world())),
    { fastCheck: { numRuns: caseCount(name === "sqlite" ? 8 : 3), endOnFailure: true } }
  )

  it.effect("read whole days and hours from their sums alone, and the times around them from rows alone", () =>
    Effect.gen(function* () {
      const at = (ms: number): Made => ({
        at: ms,
        account: "one",
        key: "x",
        model: "a",
        upstream: "u",
        status: 200,
        tokens: 1,
        cost: 1
      })
      yield* store([at(midnight - 1), at(midnight), at(midnight + hourMs), at(nowMs - 1)])
      const sql = yield* SqlClient.SqlClient
      const { days, hours } = usageBooks(sql, allSummed(sql))
      // What only sums and only rows have tells them apart.
      yield* sql`UPDATE usage_hours SET cost_nano_usd = 100 WHERE cost_nano_usd = 1`
      yield* sql`UPDATE usage_days SET cost_nano_usd = 10000`
      const sumOf = (book: Book, fromMs: number, toMs: number, more: Partial<Query> = {}) =>
        Effect.map(
          sumsOf(sql, book, { span: { fromMs, toMs }, nowMs, ...more, measures: ["cost_nano_usd"] }),
          (found) => found.reduce((sum, { cost_nano_usd }) => sum + cost_nano_usd, 0)
        )
      expect(yield* sumOf(hours, midnight - 1, midnight + hourMs)).toBe(101)
      expect(yield* sumOf(hours, midnight, midnight + hourMs + 1)).toBe(101)
      expect(yield* sumOf(hours, midnight, midnight + hourMs)).toBe(100)
      expect(yield* sumOf(hours, midnight, midnight + hourMs - 1)).toBe(1)
      const ofUpstream = { by: ["upstream"] as const }
      // The last hour isn't over, but nothing is later than the question.
      expect(yield* sumOf(hours, midnight, nowMs, ofUpstream)).toBe(300)
      expect(yield* sumOf(hours, midnight, nowMs - 1)).toBe(200)
      expect(yield* sumOf(hours, midnight, nowMs, { stepMs: hourMs - 1 })).toBe(3)
      expect(yield* sumOf(hours, midnight, nowMs, { stepMs: hourMs })).toBe(300)
      expect(yield* sumOf(hours, midnight, nowMs, { scope: { wholeFromMs: midnight + 1 } })).toBe(201)
      expect(yield* sumOf(hours, midnight, nowMs, { scope: { wholeFromMs: Infinity } })).toBe(3)
      // Whole days have sums of their own, with the hours and rows around them.
      expect(yield* sumOf(hours, midnight, nowMs)).toBe(10_000)
      expect(yield* sumOf(hours, midnight - hourMs, nowMs)).toBe(10_100)
      expect(yield* sumOf(hours, midnight - 1, nowMs)).toBe(10_001)
      expect(yield* sumOf(hours, midnight - 1, nowMs, { stepMs: 7 * dayMs })).toBe(10_001)
      expect(yield* sumOf(hours, midnight, nowMs, { stepMs: 36 * hourMs })).toBe(300)
      expect(yield* sumOf(hours, midnight, nowMs, { scope: { columns: ["upstream"] } })).toBe(300)
      expect(yield* sumOf(days, midnight - 1, nowMs)).toBe(10_001)
      expect(yield* sumOf(days, midnight, nowMs, { by: ["upstream"] })).toBe(3)
      expect(yield* sumOf(days, -Infinity, Infinity)).toBe(20_000)
      const found = yield* sumsOf(sql, hours, {
        span: { fromMs: midnight - hourMs, toMs: nowMs },
        stepMs: hourMs,
        measures: ["cost_nano_usd"],
        most: 1
      })
      expect(found.length).toBeGreaterThan(1)
    }).pipe(Effect.provide(world()))
  )
})
