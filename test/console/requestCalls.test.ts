import { expect, it } from "@effect/vitest"
import { callsOf } from "../../console/requestCalls.ts"
import type { RequestView } from "../../src/requests/RequestView.ts"

type Attempt = RequestView["attempts"][number]

const attempt = (given: Partial<Attempt>): Attempt => ({
  upstream: "one",
  upstream_model: "m",
  status: 200,
  error: null,
  offset_ms: null,
  queue_ms: 0,
  duration_ms: 10,
  upstream_request_id: null,
  ...given
})
const request = (attempts: ReadonlyArray<Attempt>, given: Partial<RequestView> = {}): RequestView => ({
  object: "request",
  request_id: "req_1",
  time: "2026-03-04T10:20:30.000Z",
  account: "me",
  key: "key_1",
  key_name: "main",
  family: "messages",
  endpoint: "/v1/messages",
  model: "m",
  fallback: null,
  served_model: null,
  upstream: "one",
  upstream_model: "m",
  attempts,
  status: 200,
  error: null,
  reason: null,
  stream: true,
  first_byte_ms: 700,
  duration_ms: 900,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  searches: 0,
  price_source: null,
  conversation: null,
  cost_usd: null,
  settled_at: null,
  adapted: null,
  notes: [],
  tags: [],
  end_user: null,
  client: null,
  task: null,
  idempotency: null,
  ...given
})
const failed = { status: 503, error: "no room" }
const spans = (of: RequestView) => callsOf(of).map(({ began, from, to }) => [from, began, to])

it("calls stand where they began, with the pauses between them", () => {
  const tries = [
    attempt({ ...failed, offset_ms: 40, duration_ms: 60 }),
    attempt({ ...failed, offset_ms: 350, duration_ms: 50 }),
    attempt({ offset_ms: 420, duration_ms: 200 })
  ]
  expect(spans(request(tries))).toEqual([
    [40, 100, 100],
    [350, 400, 400],
    [420, 700, 900]
  ])
})

it("calls of older rows stand one after the other", () => {
  expect(spans(request([attempt({ ...failed, duration_ms: 60 }), attempt({ duration_ms: 200 })]))).toEqual([
    [0, 60, 60],
    [60, 700, 900]
  ])
  const none = [attempt({ ...failed, duration_ms: 100 }), attempt({ ...failed, duration_ms: 200 })]
  expect(spans(request(none, { status: 500, error: "upstream_failed" }))).toEqual([
    [0, 100, 100],
    [700, 900, 900]
  ])
})

it("the only call of a request begins with it, unless it waited", () => {
  expect(spans(request([attempt({})]))).toEqual([[0, 700, 900]])
  expect(spans(request([attempt({ offset_ms: 250 })]))).toEqual([[250, 700, 900]])
})
