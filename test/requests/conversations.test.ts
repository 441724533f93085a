import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { noColumns } from "../../src/contract/records/measures.ts"
import { conversationOf } from "../../src/contract/callers/conversationOf.ts"
import { requestPage } from "../../src/requests/RequestPage.ts"
import type { RequestRow } from "../../src/requests/RequestRow.ts"
import { RequestStore } from "../../src/requests/store/RequestStore.ts"
import { database, describeOnEach } from "../sql/engines.ts"
import { storePaid, usageOf } from "./paid.ts"

const row = (n: number, given: Partial<RequestRow>): RequestRow => ({
  at: 1_000_000 + n * 1_000,
  request_id: `req_${n}`,
  account_id: "me",
  key_id: "key_1",
  family: "messages",
  endpoint: "/v1/messages",
  model: "one",
  upstream_model: "one",
  upstream: "first",
  status: 200,
  error: "",
  stream: 0,
  first_byte_ms: 10,
  duration_ms: 20,
  ...noColumns.requests,
  input_tokens: 3,
  output_tokens: 2,
  cache_read_tokens: 1,
  cost_nano_usd: 1_000,
  upstream_cost_nano_usd: 2_000,
  settled_at: 1_000_020 + n * 1_000,
  conversation: "",
  details: "{}",
  ...given
})

/** Of six requests one is mine in this conversation, and one another account's in one of the same name. */
const rows = Array.from({ length: 600 }, (_, n) =>
  row(n, {
    account_id: n % 3 === 2 ? "other" : "me",
    conversation: n % 3 === 0 ? "" : "same name",
    ...(n === 1
      ? { status: 503, error: "upstream_failed", cost_nano_usd: null, upstream_cost_nano_usd: null, settled_at: null }
      : {})
  })
)
const task = row(601, {
  conversation: "same name",
  cost_nano_usd: null,
  upstream_cost_nano_usd: null,
  settled_at: null,
  details: '{"task":"t1"}'
})
const world = RequestStore.Default.pipe(Layer.provideMerge(database()))

describeOnEach("a conversation", () => {
  it.effect("is one account's, with the sums of its requests and of their tasks", () =>
    Effect.gen(function* () {
      yield* storePaid(
        [...rows, { ...task, input_tokens: 0, output_tokens: 0, cache_read_tokens: 0 }],
        [usageOf({ ...task, input_tokens: 7, cost_nano_usd: 5_000 }, { task: "t1" })]
      )
      const store = yield* RequestStore
      const query = { account: "me", conversation: "same name", limit: 50 }
      const first = yield* requestPage(store, query)
      expect(first.totals).toEqual({
        requests: 201,
        refused: 0,
        failed: 1,
        hang_ups: 0,
        first_at: new Date(1_001_000).toISOString(),
        last_at: new Date(1_601_020).toISOString(),
        input_tokens: 200 * 3 + 7,
        output_tokens: 200 * 2 + 2,
        cache_read_tokens: 200,
        cache_write_tokens: 0,
        reasoning_tokens: 0,
        searches: 0,
        cost_usd: (199 * 1_000 + 5_000) / 1e9,
        upstream_cost_usd: (199 * 2_000 + 10_000) / 1e9
      })
      let { data, next } = first
      const seen = [...data]
      while (next !== null) {
        const page = yield* requestPage(store, { ...query, after: next })
        expect(page.totals).toBeUndefined()
        ;({ data, next } = page)
        seen.push(...data)
      }
      expect(seen.map(({ request_id }) => request_id)).toEqual(
        [...rows.filter(({ account_id, conversation }) => account_id === "me" && conversation !== ""), task]
          .toReversed()
          .map(({ request_id }) => request_id)
      )
      const own = yield* requestPage(store, { conversation: "same name", status: "5xx" }, { account: "me" })
      expect(own.totals).toMatchObject({ requests: 1, failed: 1, cost_usd: 0 })
      expect(own.totals).not.toHaveProperty("upstream_cost_usd")
      expect((yield* requestPage(store, { conversation: "nothing" }, { account: "me" })).totals).toMatchObject({
        requests: 0
      })
      const refused = yield* Effect.flip(requestPage(store, { conversation: "same name" }))
      expect(refused.message).toMatch(/^conversation: expected an account/)
    }).pipe(Effect.provide(world))
  )
})

it("is named by the agent's session, then by what the body names", () => {
  const named = (headers: Record<string, string>, body: Parameters<typeof conversationOf>[1]) =>
    conversationOf(new Headers(headers), body)
  const uuid = "7d3c9c1e-5d2f-4c53-9d3e-000000000000"
  const inJson = { metadata: { user_id: JSON.stringify({ device_id: "d".repeat(200), session_id: uuid }) } }
  expect(named({ "x-claude-code-session-id": "s" }, { ...inJson, prompt_cache_key: "k" })).toBe("s")
  expect(named({}, { ...inJson, prompt_cache_key: "k" })).toBe(uuid)
  expect(named({}, { metadata: { user_id: `user_a_account__session_${uuid}` } })).toBe(uuid)
  expect(named({}, { conversation: { id: "conv_1" }, prompt_cache_key: "k" })).toBe("conv_1")
  expect(named({}, { prompt_cache_key: "k" })).toBe("k")
  expect(named({}, { metadata: { user_id: "ada" }, prompt_cache_key: 5 })).toBeUndefined()
})
