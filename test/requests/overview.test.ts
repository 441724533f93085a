import { expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { noColumns } from "../../src/contract/records/measures.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { RequestUsage } from "../../src/requests/RequestUsage.ts"
import { RequestOverview } from "../../src/requests/RequestOverview.ts"
import type { RequestRow } from "../../src/requests/RequestRow.ts"
import { histogramOf } from "../../src/requests/RequestHistogram.ts"
import { operatorView } from "../../src/requests/RequestView.ts"
import { RequestStore } from "../../src/requests/store/RequestStore.ts"
import { RequestSums } from "../../src/requests/store/RequestSums.ts"
import type { SampledRequest } from "../../src/requests/store/RequestSums.ts"
import { database, describeOnEach } from "../sql/engines.ts"
import { storePaid, usageOf } from "./paid.ts"

const nowMs = Date.parse("2026-03-04T10:20:30Z")
const hourMs = 3_600_000

/** Of every four requests one is mine; others' are slower and dearer. */
const rows = Array.from({ length: 800 }, (_, n): RequestRow => {
  const isMine = n % 4 === 0
  return {
    at: nowMs - 5 * hourMs + n * 22_000,
    request_id: `req_${n}`,
    account_id: isMine ? "me" : "other",
    key_id: isMine ? `mine_${n % 8}` : "theirs",
    family: "messages",
    endpoint: "/v1/messages",
    model: isMine ? "small" : "secret-model",
    upstream_model: "m",
    upstream: isMine ? "first" : "second",
    status: n % 40 === 0 ? 429 : 200,
    error: n % 40 === 0 ? "rate_limited" : "",
    stream: 0,
    first_byte_ms: isMine ? 10 : 900,
    duration_ms: isMine ? 20 : 9_000,
    ...noColumns.requests,
    input_tokens: isMine ? 2 : 1_000,
    output_tokens: isMine ? 3 : 1_000,
    cost_nano_usd: isMine ? 1_000 : 1_000_000,
    upstream_cost_nano_usd: null,
    settled_at: null,
    conversation: "",
    details: "{}"
  }
})
const mine = rows.filter(({ account_id }) => account_id === "me")

const stored = Effect.gen(function* () {
  yield* storePaid(rows)
  yield* TestClock.setTime(nowMs)
})
const world = Layer.mergeAll(
  RequestOverview.Default,
  RequestSums.Default,
  RequestStore.Default,
  RequestUsage.Default
).pipe(Layer.provideMerge(database()))

describeOnEach("an account's requests in sums", () => {
  it.effect("are its own alone, from rows and from the hours' sums", () =>
    Effect.gen(function* () {
      yield* stored
      const overview = yield* RequestOverview
      for (const [asked, stepSeconds] of [
        [{ from: "6h", step: 60 }, 60],
        [{ from: "6h", step: 900 }, 900],
        [{ from: "24h" }, 3_600],
        [{ from: "30d", step: 21_600 }, 21_600]
      ] as const) {
        const told = yield* overview.of(asked, { account: "me" })
        expect(told).toMatchObject({ step_seconds: stepSeconds, sampled: false })
        expect(told.total).toMatchObject({
          requests: mine.length,
          refused: mine.filter(({ status }) => status === 429).length,
          failed: 0,
          input_tokens: mine.length * 2,
          output_tokens: mine.length * 3,
          first_byte_ms: { p50: 10, p95: 10 },
          duration_ms: { p50: 20, p95: 20 }
        })
        expect(told.total.cost_usd).toBeCloseTo((mine.length * 1_000) / 1e9, 12)
        expect(told.groups.map(({ name, requests }) => [name, requests])).toEqual([["small", mine.length]])
      }
      const keys = yield* overview.of({ from: "24h", by: "key" }, { account: "me" })
      expect(keys.groups.map(({ name }) => name).toSorted()).toEqual(["mine_0", "mine_4"])
      expect((yield* overview.of({ from: "24h" }, { account: "nobody" })).total).toMatchObject({
        requests: 0,
        duration_ms: null
      })
      expect((yield* overview.of({ from: "24h" })).total.requests).toBe(rows.length)
      // Past hours' sums, and of the last hour the rows up to `to`.
      const toMs = nowMs - 2 * hourMs - 7 * 60_000
      for (const step of [60, 3_600]) {
        const past = yield* overview.of({ from: "6h", to: new Date(toMs).toISOString(), step }, { account: "me" })
        const expected = mine.filter(({ at }) => at < toMs).length
        expect([step, past.total.requests, past.total.input_tokens]).toEqual([step, expected, 2 * expected])
      }
      const wrong = yield* Effect.flip(overview.of({ from: "7h", step: 60 }, { account: "me" }))
      expect(wrong.message).toContain("step: expected 3600 or more for a time span of more than 6 hours")
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "have the money of their tasks in the hour in which it was settled, and show operators alone what upstreams cost",
    () =>
      Effect.gen(function* () {
        const made = {
          ...(yield* Effect.fromNullable(mine[0])),
          at: nowMs - 3 * hourMs,
          request_id: "req_task",
          upstream: "",
          cost_nano_usd: null,
          details: JSON.stringify({ task: "cgt-1", tags: ["team=a"] })
        }
        const settledMs = nowMs - 20 * 60_000
        const task = {
          upstream: "videos",
          atMs: settledMs,
          costNanoUsd: 5_000_000_000,
          upstreamCostNanoUsd: 6_000_000_000,
          used: { ...noUsage, videoFrames: 120 }
        }
        yield* storePaid([made], [usageOf(made, { ...task, task: "cgt-1" })])
        yield* TestClock.setTime(nowMs)
        const overview = yield* RequestOverview
        const money = (of: { readonly cost_usd: number; readonly upstream_cost_usd?: number | undefined }) =>
          [of.cost_usd, of.upstream_cost_usd] as const
        for (const step of [60, 3_600]) {
          for (const [by, name] of [
            ["model", made.model],
            ["upstream", "videos"],
            ["key", made.key_id],
            ["account", "me"],
            ["tag", "team=a"]
          ] as const) {
            const { groups, total } = yield* overview.of({ from: "6h", step, by })
            expect(money(total)).toEqual([5, 6])
            expect([groups[0]?.name, ...money(groups[0] ?? total)]).toEqual([name, 5, 6])
            expect([by, groups[0]?.requests]).toEqual([by, by === "upstream" ? 0 : 1])
            const at = total.points.findIndex(({ cost_usd }) => cost_usd > 0)
            expect(Math.floor((settledMs - Date.parse(total.points[0]?.time ?? "")) / (step * 1_000))).toBe(at)
          }
          const own = yield* overview.of({ from: "6h", step }, { account: "me" })
          expect(money(own.total)).toEqual([5, undefined])
          expect(JSON.stringify(own)).not.toContain("upstream_cost")
        }
        const { by } = yield* RequestUsage
        const { groups: tagged } = yield* by("tag", { sinceMs: nowMs - 6 * hourMs, untilMs: nowMs })
        expect(tagged).toMatchObject([
          { group: "team=a", requests: 1, video_frames: 120, cost_nano_usd: 5e9, upstream_cost_nano_usd: 6e9 }
        ])
        const { data } = yield* (yield* RequestStore).list({}, { before: undefined, limit: 1 })
        expect(data.map(operatorView)).toMatchObject([
          { cost_usd: 5, upstream_cost_usd: 6, settled_at: new Date(settledMs).toISOString() }
        ])
        for (const filter of [{}, { tag: "team=a" }, { model: made.model }, { upstream: "videos" }]) {
          const { total } = yield* histogramOf(yield* RequestStore, filter, { from: "1h" })
          expect(money(total)).toEqual([5, 6])
        }
      }).pipe(Effect.provide(world))
  )

  it.effect("are looked at one by one in part where they are many", () =>
    Effect.gen(function* () {
      yield* stored
      const sums = yield* RequestSums
      const times = { fromMs: nowMs - 6 * hourMs, toMs: nowMs, scope: { owner: "me" }, number: mine.length }
      for (const [most, least] of [
        [1_000, mine.length],
        [70, 30],
        // Each fourth request is mine, and each fourth of mine is looked at.
        [50, 30]
      ] as const) {
        const seen: Array<SampledRequest> = []
        const isPart = yield* sums.each({ ...times, most }, (row) => seen.push(row))
        expect(isPart).toBe(seen.length < mine.length)
        expect(seen.every(({ account_id }) => account_id === "me")).toBe(true)
        expect(seen.length).toBeGreaterThanOrEqual(least)
        expect(seen.length).toBeLessThanOrEqual(most)
      }
    }).pipe(Effect.provide(world))
  )
})
