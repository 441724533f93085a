import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { laterMeasuresIn, noColumns } from "../../src/contract/records/measures.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { fromUsd } from "../../src/ledger/Price.ts"
import { groupsCsv } from "../../src/requests/groupsAnswer.ts"
import { RequestGroups } from "../../src/requests/RequestGroups.ts"
import type { RequestRow } from "../../src/requests/RequestRow.ts"
import { TrafficCosts } from "../../src/requests/TrafficCosts.ts"
import { database, describeOnEach } from "../sql/engines.ts"
import { storePaid, usageOf } from "./paid.ts"

const nowMs = Date.parse("2026-03-04T10:20:30Z")
const hourMs = 3_600_000

const row = (n: number, given: Partial<RequestRow> = {}): RequestRow => ({
  at: nowMs - 60_000,
  request_id: `req_${n}`,
  account_id: "one",
  key_id: "key_1",
  family: "messages",
  endpoint: "/v1/messages",
  model: "small",
  upstream_model: "m",
  upstream: "first",
  status: 200,
  error: "",
  stream: 0,
  first_byte_ms: 10,
  duration_ms: 20,
  ...noColumns.requests,
  input_tokens: 100,
  output_tokens: 10,
  cost_nano_usd: 1_000_000,
  upstream_cost_nano_usd: null,
  settled_at: null,
  conversation: "",
  details: "{}",
  ...given
})

const tried = (...attempts: ReadonlyArray<readonly [upstream: string, error?: string, status?: number]>): string =>
  JSON.stringify({
    attempts: attempts.map(([upstream, error, status]) => ({
      upstream,
      upstream_model: "m",
      status: status ?? (error === undefined ? 200 : undefined),
      error,
      duration_ms: 7
    }))
  })

const world = Layer.mergeAll(RequestGroups.Default, TrafficCosts.Default).pipe(Layer.provideMerge(database()))

/** Stores requests whose usage rows have the tokens of the requests. */
const store = (rows: ReadonlyArray<RequestRow>) =>
  Effect.zipRight(
    storePaid(
      rows.map((row) => ({ ...row, cost_nano_usd: null })),
      rows
        .filter(({ cost_nano_usd }) => cost_nano_usd !== null)
        .map((row) =>
          usageOf(row, {
            used: {
              ...noUsage,
              inputTokens: row.input_tokens,
              cacheReadTokens: row.cache_read_tokens,
              cacheWriteTokens: row.cache_write_tokens,
              outputTokens: row.output_tokens
            }
          })
        )
    ),
    TestClock.setTime(nowMs)
  )

describeOnEach("groups of requests", () => {
  it.effect("are exact to the millisecond, from sums and rows, beside the span before", () =>
    Effect.gen(function* () {
      const fromMs = nowMs - 5 * hourMs - 1_234
      // In the order in which they are stored.
      const times = [
        2 * fromMs - nowMs - 1,
        2 * fromMs - nowMs,
        fromMs - 1,
        fromMs,
        fromMs + 1,
        nowMs - 4 * hourMs,
        nowMs - 2 * hourMs,
        nowMs - 1
      ]
      yield* store(times.map((at, n) => row(n, { at })))
      const { of } = yield* RequestGroups
      const found = yield* of({ from: new Date(fromMs).toISOString() })
      expect(found.total).toMatchObject({ requests: 5, input_tokens: 500, cost_usd: 0.005, upstream_cost_usd: 0.01 })
      expect(found.total.before).toMatchObject({ requests: 2, cost_usd: 0.002 })
      expect(found.data).toMatchObject([{ group: "small", second: null, requests: 5, before: { requests: 2 } }])
      const short = yield* of({ from: "2m" })
      expect(short.total).toMatchObject({ requests: 1, before: null })
    }).pipe(Effect.provide(world))
  )

  it.effect("may be of two dimensions, and of filtered requests", () =>
    Effect.gen(function* () {
      yield* store([
        row(1, { cache_read_tokens: 300, duration_ms: 40, at: nowMs - 3 * hourMs }),
        row(2, { account_id: "two", key_id: "key_2", model: "large", cost_nano_usd: 5_000_000 }),
        row(3, { account_id: "two", key_id: "key_2", status: 429, error: "rate_limited", cost_nano_usd: null }),
        row(4, { account_id: "two", key_id: "key_2", model: "made up", upstream: "", status: 404, error: "not_found" })
      ])
      const { of } = yield* RequestGroups
      const pairs = yield* of({ by: "key,model" })
      expect(pairs.data.map(({ group, name, requests, second }) => [group, name, second, requests])).toEqual([
        ["key_2", null, "large", 1],
        ["key_1", null, "small", 1],
        ["key_2", null, "made up", 0],
        ["key_2", null, "", 1],
        ["key_2", null, "small", 1]
      ])
      expect(pairs.data[1]).toMatchObject({ cache_hit_rate: 0.75, duration_ms: { p50: 40, p95: 40 }, errors: 0 })
      expect((yield* of({ account: "two", model: "small" })).total).toMatchObject({
        requests: 1,
        refused: 1,
        cost_usd: 0
      })
      expect((yield* of({ key: "*_2", by: "account" })).data).toMatchObject([{ group: "two", requests: 3 }])
      const own = yield* of({ by: "model" }, { account: "one" })
      expect(own.data.map(({ group }) => group)).toEqual(["small"])
      expect(JSON.stringify(own)).not.toContain("upstream_cost")
      expect((yield* Effect.flip(of({ by: "model,tag" }))).message).toContain("by: expected one of model, upstream")
    }).pipe(Effect.provide(world))
  )

  it.effect("by tag count a request for each of its tags, and once in the total; by user those without one too", () =>
    Effect.gen(function* () {
      yield* store([
        row(1, { details: JSON.stringify({ tags: ["team=a", "prod", "prod"], end_user: "ann" }) }),
        row(2, { details: JSON.stringify({ tags: ["prod"] }) }),
        row(3)
      ])
      const { of } = yield* RequestGroups
      const named = (found: { readonly data: ReadonlyArray<{ readonly group: string; readonly requests: number }> }) =>
        found.data.map(({ group, requests }) => [group, requests])
      const tags = yield* of({ by: "tag" })
      expect(named(tags)).toEqual([
        ["prod", 2],
        ["", 1],
        ["team=a", 1]
      ])
      expect(tags.total).toMatchObject({ requests: 3, cost_usd: 0.003 })
      expect(named(yield* of({ by: "user" }))).toEqual([
        ["", 2],
        ["ann", 1]
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect("by upstream have the calls that failed while another one answered", () =>
    Effect.gen(function* () {
      const rows = (at: number) => [
        row(at, { at, details: tried(["first"]) }),
        row(at + 1, { at, upstream: "second", details: tried(["first", "no room"], ["second"]) }),
        row(at + 2, {
          at,
          status: 502,
          error: "upstream_failed",
          details: tried(["first", "away"]),
          cost_nano_usd: null
        }),
        // A request that is refused for what it asks is no failure of the upstream.
        row(at + 3, {
          at,
          status: 400,
          error: "refused",
          details: tried(["first", "too long", 400]),
          cost_nano_usd: null
        })
      ]
      yield* store([...rows(nowMs - 3 * hourMs), ...rows(nowMs - 1_000)])
      const { of } = yield* RequestGroups
      const { data } = yield* of({ by: "upstream", from: "4h" })
      expect(data.map(({ attempts, errors, group }) => [group, errors, attempts])).toEqual([
        ["first", 4, { attempts: 8, failed: 4, hidden: 2, outpaced: 0, duration_ms: { p50: 7, p95: 7 } }],
        ["second", 0, { attempts: 2, failed: 0, hidden: 0, outpaced: 0, duration_ms: { p50: 7, p95: 7 } }]
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect("by upstream count every call that it got, and against it only what it failed", () =>
    Effect.gen(function* () {
      const answered = { upstream: "first", upstream_model: "m", status: 200, duration_ms: 7 }
      const another = { upstream: "second", upstream_model: "m", duration_ms: 900 }
      const of = (...attempts: ReadonlyArray<object>) => JSON.stringify({ attempts })
      const rows = (at: number) => [
        // The loser of a hedge, a call that the gateway stopped, and one that it kept back.
        row(at, { at, details: of({ ...another, outcome: "outpaced", error: "another was first" }, answered) }),
        row(at + 1, {
          at,
          upstream: "second",
          status: 503,
          details: of({ ...another, outcome: "stopped", error: "x" })
        }),
        row(at + 2, {
          at,
          upstream: "second",
          status: 503,
          details: of({ ...another, outcome: "unsent", error: "x" })
        }),
        // Several answers, and one that broke off.
        row(at + 3, { at, details: of({ ...answered, calls: 3 }) }),
        row(at + 4, { at, error: "upstream_failed", details: of({ ...answered, outcome: "cut", error: "gone" }) })
      ]
      yield* store([...rows(nowMs - 3 * hourMs), ...rows(nowMs - 1_000)])
      const { data } = yield* (yield* RequestGroups).of({ by: "upstream", from: "4h" })
      expect(data.map(({ attempts, group }) => [group, attempts])).toEqual([
        ["first", { attempts: 10, failed: 2, hidden: 0, outpaced: 0, duration_ms: { p50: 7, p95: 7 } }],
        ["second", { attempts: 4, failed: 0, hidden: 0, outpaced: 2, duration_ms: null }]
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect("have first bytes of answers alone: of no refusal, and of no client that left before", () =>
    Effect.gen(function* () {
      yield* store([
        row(1, { first_byte_ms: 500 }),
        row(2, { first_byte_ms: 700, error: "hang_up" }),
        row(3, { first_byte_ms: 2, status: 400, error: "invalid_request" }),
        row(4, { first_byte_ms: 30_000, status: 499, error: "hang_up" }),
        row(5, { first_byte_ms: 1, upstream: "" }),
        // The head of its answer was sent before the upstream failed.
        row(6, { first_byte_ms: 0, error: "upstream_failed" })
      ])
      const { data, total } = yield* (yield* RequestGroups).of({ by: "upstream", from: "1h" })
      expect(total.first_byte_ms).toEqual({ p50: 500, p95: 700 })
      expect(data.map(({ first_byte_ms, group }) => [group, first_byte_ms])).toEqual([
        ["first", { p50: 500, p95: 700 }],
        ["", null]
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect("are CSV that no spreadsheet runs", () =>
    Effect.gen(function* () {
      yield* store([row(1, { details: JSON.stringify({ end_user: '=HYPERLINK("x")' }) })])
      const { of } = yield* RequestGroups
      const [header, line] = (yield* groupsCsv(yield* of({ by: "user" }))).split("\r\n")
      const later = laterMeasuresIn("usage_hours")
      expect(header).toMatch(/^user,requests,errors,.*,usd,upstream_usd,requests_before,.*,above_hold_usd,/)
      expect(header?.split(",").slice(-later.length)).toEqual(later)
      expect(line).toMatch(/^"'=HYPERLINK\(""x""\)",1,0,.*,0\.001,0\.002(,0){4,}$/)
    }).pipe(Effect.provide(world))
  )

  it.effect("cost what another model's price says for each request's tokens", () =>
    Effect.gen(function* () {
      yield* store([
        row(1, { input_tokens: 3, output_tokens: 1 }),
        row(2, { input_tokens: 200_001, output_tokens: 1, model: "large" }),
        row(3, { model: "vectors" }),
        row(4, { at: nowMs - 25 * hourMs })
      ])
      const { on } = yield* TrafficCosts
      const target = {
        model: "other",
        upstream: "third",
        price: fromUsd({ input: 1, output: 10 }, [{ above: 200_000, usd: { input: 2, output: 20 } }]),
        priceSource: { from: "gateway.yaml" as const, name: "other", as_of: null },
        isLike: (model: string) => model !== "vectors"
      }
      const found = yield* on(target, { from: "24h" })
      expect(found.total).toMatchObject({
        requests: 2,
        cost: { nano_usd: 2_000_000 },
        cost_there: { nano_usd: 3_000 + 10_000 + 400_002_000 + 20_000 }
      })
      expect(found.not_priced).toBe(1)
      expect(found.data.map(({ cost_there, model }) => [model, cost_there?.nano_usd])).toEqual([
        ["large", 400_022_000],
        ["small", 13_000],
        ["vectors", undefined]
      ])
      expect(found).not.toHaveProperty("rows_since")
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO upkeep (name, value) VALUES ('usage_before', ${nowMs - 26 * hourMs})`
      expect(yield* on(target, { from: "24h" })).not.toHaveProperty("rows_since")
      const rows_since = new Date(nowMs - 26 * hourMs).toISOString()
      expect(yield* on(target, { from: "48h" })).toMatchObject({ rows_since })
    }).pipe(Effect.provide(world))
  )
})
