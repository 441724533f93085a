import * as fc from "effect/FastCheck"
import { expect, it } from "vitest"
import { AccountId, KeyId } from "../../src/contract/callers/Caller.ts"
import { RequestRecord } from "../../src/contract/records/RequestRecord.ts"
import { requestLine } from "../../src/telemetry/requestLine.ts"

const ids = { requestId: "req_1", method: "POST", path: "/v1/messages" }
const route = { family: "messages", endpoint: "/v1/messages" }

const newRecord = (given: Partial<RequestRecord> = {}, { path = ids.path, method = ids.method } = {}) =>
  Object.assign(new RequestRecord({ ...ids, path, method }, route, 0, () => {}), { status: 200 }, given)

/** The lines of some requests, parsed. */
const read = (records: ReadonlyArray<RequestRecord>): ReadonlyArray<unknown> =>
  records.map((record): unknown => JSON.parse(requestLine(record)))

const attempt = {
  upstream: "anthropic",
  model: "claude",
  outcome: "answered" as const,
  calls: 1,
  status: 200,
  error: undefined,
  queueMs: 0,
  offsetMs: 1,
  durationMs: 2,
  requestId: undefined
}

it("says all that is known of a request, in this order", () => {
  const record = newRecord({
    account: AccountId.make("acme"),
    key: KeyId.make("key_1"),
    model: "claude-x",
    upstreamModel: "claude-y",
    upstream: "anthropic",
    attempts: [attempt],
    stream: true,
    firstByteMs: 12.0349,
    durationMs: 65_432.125,
    used: {
      inputTokens: 123_456,
      cacheReadTokens: 7,
      cacheWriteTokens: 0,
      outputTokens: 9_999,
      reasoningTokens: 10,
      searches: 1,
      audioInputTokens: 5,
      served: { tier: "priority", speed: "fast", geo: "us" },
      calls: { maps: 2 }
    },
    priceGap: "speed=fast",
    costNanoUsd: 1_250,
    adapted: "top_k",
    tags: ["a", "team=ü"],
    endUser: "user 1",
    client: "OpenAI/JS 6.1.0",
    repetition: "once",
    clientRequestId: "mine",
    traceparent: "00-1-2-01"
  })
  const [line] = read([record])
  expect(line).toEqual({
    time: new Date(record.atMs).toISOString(),
    level: "info",
    event: "request",
    message: "200 POST /v1/messages",
    request_id: "req_1",
    account: "acme",
    key: "key_1",
    family: "messages",
    endpoint: "/v1/messages",
    method: "POST",
    path: "/v1/messages",
    status: 200,
    model: "claude-x",
    upstream_model: "claude-y",
    upstream: "anthropic",
    attempt: 1,
    stream: true,
    first_byte_ms: 12.034,
    duration_ms: 65_432.125,
    input_tokens: 123_456,
    output_tokens: 9_999,
    cache_read_tokens: 7,
    reasoning_tokens: 10,
    searches: 1,
    audio_input_tokens: 5,
    service_tier: "priority",
    speed: "fast",
    inference_geo: "us",
    calls: { web_search: 1, maps: 2 },
    price_gap: "speed=fast",
    cost_usd: 0.00000125,
    adapted: "top_k",
    tags: ["a", "team=ü"],
    end_user: "user 1",
    client: "OpenAI/JS 6.1.0",
    idempotency: "once",
    client_request_id: "mine",
    traceparent: "00-1-2-01"
  })
  expect(Object.keys(Object(line)).slice(0, 5)).toEqual(["time", "level", "event", "message", "request_id"])
})

it("leaves out what is not known", () => {
  const [line] = read([newRecord()])
  expect(Object.keys(Object(line))).toEqual([
    "time",
    "level",
    "event",
    "message",
    "request_id",
    "family",
    "endpoint",
    "method",
    "path",
    "status",
    "stream",
    "first_byte_ms",
    "duration_ms"
  ])
})

it("has the level of its status and error", () => {
  const records = [
    newRecord({ account: AccountId.make("a"), key: KeyId.make("1") }),
    newRecord({ account: AccountId.make("a"), key: KeyId.make("2"), status: 503, error: "upstream_failed" }),
    newRecord({ account: AccountId.make("b"), key: KeyId.make("2"), error: "internal" }, { method: "GET" }),
    newRecord({ account: AccountId.make("b"), key: KeyId.make("2"), status: 404 }, { method: "GET" }),
    newRecord()
  ]
  expect(read(records)).toMatchObject([
    { level: "info", status: 200, account: "a", key: "1", method: "POST" },
    { level: "error", status: 503, account: "a", key: "2", error: "upstream_failed" },
    { level: "warn", status: 200, account: "b", key: "2", method: "GET", message: "200 GET /v1/messages" },
    { level: "warn", status: 404, account: "b", key: "2", method: "GET" },
    { level: "info", status: 200, method: "POST" }
  ])
  expect(Object.keys(Object(read(records)[4]))).not.toContain("account")
})

it("are at info where the client left, before its answer or in its midst", () => {
  const records = [newRecord({ status: 499, error: "hang_up" }), newRecord({ error: "hang_up" })]
  expect(read(records)).toMatchObject([
    { level: "info", status: 499 },
    { level: "info", status: 200 }
  ])
})

it("is JSON whatever callers send", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme" }),
    fc.constantFrom('"', "\\", "\n", "\u0000", "\u007F", "\uD800")
  )
  fc.assert(
    fc.property(
      fc.array(fc.record({ path: text, model: text, endUser: text, tags: fc.array(text), account: text }), {
        minLength: 1,
        maxLength: 4
      }),
      (given) => {
        const records = given.map(({ account, path, ...rest }) =>
          newRecord({ ...rest, account: AccountId.make(account) }, { path })
        )
        const lines = read(records)
        expect(lines).toMatchObject(
          given.map(({ account, endUser, model, path, tags }) => ({
            account,
            model,
            path,
            message: `200 POST ${path}`,
            end_user: endUser,
            ...(tags.length === 0 ? {} : { tags })
          }))
        )
      }
    )
  )
})

it("writes every number as it is", () => {
  const numbers = fc.oneof(fc.nat({ max: 20_000 }), fc.nat(), fc.maxSafeNat())
  const times = fc.integer({ min: 0, max: 100_000_000 })
  fc.assert(
    fc.property(numbers, numbers, times, (inputTokens, outputTokens, thousandths) => {
      const used = { inputTokens, outputTokens, cacheReadTokens: outputTokens, cacheWriteTokens: 0 }
      const durationMs = (thousandths + 0.5) / 1_000
      const record = newRecord({ used: { ...used, reasoningTokens: 0, searches: 0 }, durationMs })
      expect(read([record])).toMatchObject([
        { input_tokens: inputTokens, output_tokens: outputTokens, duration_ms: thousandths / 1_000 }
      ])
    })
  )
})
