import { expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { noColumns } from "../../src/contract/records/measures.ts"
import { ModelUse } from "../../src/requests/ModelUse.ts"
import type { RequestRow } from "../../src/requests/RequestRow.ts"
import { database, describeOnEach } from "../sql/engines.ts"
import { storePaid, usageOf } from "./paid.ts"

const nowMs = Date.parse("2026-03-04T10:20:30Z")
const hourMs = 3_600_000

const row = (n: number, given: Partial<RequestRow>): RequestRow => ({
  at: nowMs - n * 60_000,
  request_id: `req_${n}_${given.model}`,
  account_id: "me",
  key_id: "mine",
  family: "messages",
  endpoint: "/v1/messages",
  model: "small",
  upstream_model: "m",
  upstream: "first",
  status: 200,
  error: "",
  stream: 0,
  first_byte_ms: n,
  duration_ms: 10 * n,
  ...noColumns.requests,
  input_tokens: 25,
  output_tokens: 5,
  cache_read_tokens: 60,
  cache_write_tokens: 15,
  cost_nano_usd: 1_000_000,
  upstream_cost_nano_usd: null,
  settled_at: null,
  conversation: "",
  details: "{}",
  ...given
})
const hundred = Array.from({ length: 100 }, (_, n) => row(n + 1, { status: n === 0 ? 500 : 200 }))
const world = ModelUse.Default.pipe(Layer.provideMerge(database()))

describeOnEach("the use of models", () => {
  it.effect("is counted by whole hours, with what was settled and with the percentiles of all requests", () =>
    Effect.gen(function* () {
      const early = row(26 * 60, { request_id: "early" })
      const refused = row(3, { request_id: "refused", model: "made-up", upstream: "", status: 404 })
      const clip = row(5, { model: "clip", upstream: "", cost_nano_usd: null, details: '{"task":"cgt-1"}' })
      const video = usageOf(clip, { upstream: "videos", costNanoUsd: 2_000_000_000, task: "cgt-1" })
      yield* storePaid([early, ...hundred, refused, clip, row(7, { model: "claude-x" })], [video])
      yield* TestClock.setTime(nowMs)
      const { of } = yield* ModelUse
      const use = yield* of("24h", (model) => (model.startsWith("claude-") ? "claude-*" : model))
      expect(use("small")).toEqual({
        since: "2026-03-03T10:00:00.000Z",
        requests: 100,
        errors: 1,
        input_tokens: 2_500,
        output_tokens: 500,
        cost_usd: 0.1,
        upstream_cost_usd: 0.2,
        cache_hit_rate: 0.6,
        // Of answers alone.
        first_byte_ms: { p50: 51, p95: 96 },
        duration_ms: { p50: 500, p95: 950 },
        sampled: false
      })
      expect(use("claude-*").requests).toBe(1)
      expect(use("clip")).toMatchObject({ requests: 1, cost_usd: 2 })
      expect([use("made-up").requests, use("never").duration_ms]).toEqual([0, null])
      expect((yield* of("7d", (model) => model))("small").requests).toBe(101)
      // An hour that has begun counts whole.
      expect((yield* of("30m", (model) => model))("small").requests).toBe(80)
    }).pipe(Effect.provide(world))
  )

  it.effect("is of the last 31 days", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(nowMs)
      const { of } = yield* ModelUse
      for (const since of ["32d", new Date(nowMs + hourMs).toISOString()]) {
        const wrong = yield* Effect.flip(of(since, (model) => model))
        expect(wrong.message).toBe(`since: expected a time of the last 31 days; got ${since}`)
      }
    }).pipe(Effect.provide(world))
  )
})
