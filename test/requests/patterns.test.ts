import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Schema, TestClock } from "effect"
import { noColumns } from "../../src/contract/records/measures.ts"
import { asked, fits, requestFilter } from "../../console/requestFilter.ts"
import { histogramOf } from "../../src/requests/RequestHistogram.ts"
import { filterOf, listFilterOf, ownRequestParams, requestParams } from "../../src/requests/RequestQuery.ts"
import type { RequestRow } from "../../src/requests/RequestRow.ts"
import { requestView } from "../../src/requests/RequestView.ts"
import type { RequestView } from "../../src/requests/RequestView.ts"
import { RequestStore } from "../../src/requests/store/RequestStore.ts"
import { requestWriter } from "../../src/requests/store/requestWriter.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const nowMs = Date.parse("2026-03-04T10:20:30Z")
const hourMs = 3_600_000

const models = ["claude-sonnet-4-5", "claude-opus", "gpt-4o", "o%e", "o_e", "one", "a[b]?c", "back\\slash", ""]
const keys = [
  ["key_1", "ci-deploy", "me"],
  ["key_2", "ci-nightly", "me"],
  ["key_3", "support [old]", "other"],
  ["key_4", "", "else*where"]
] as const
const details = [
  {},
  { tags: ["prod"], client: "OpenAI/Python 2.8.1" },
  { tags: ["team=a", "prod"], client: "OpenAI/JS 6.1.0", end_user: "user-1" },
  { tags: ["production"], end_user: "prod", task: "task_prod" },
  { tags: ['x"],"prod', "half \ud800"], client: 'say "OpenAI/' },
  { tags: ["a\\b", "ü*"], reason: '"tags":["prod"],"client":"OpenAI/JS"' },
  {
    attempts: [
      { upstream: "first", upstream_model: "one", status: 503, error: "busy", duration_ms: 3 },
      { upstream: "second", upstream_model: "prod", status: 200, duration_ms: 4 }
    ]
  }
]
const endings = [
  { status: 200, error: "", upstream: "second" },
  { status: 200, error: "", upstream: "open-router" },
  { status: 200, error: "upstream_failed", upstream: "second" },
  { status: 429, error: "rate_limited", upstream: "" },
  { status: 499, error: "hang_up", upstream: "first" },
  { status: 502, error: "upstream_failed", upstream: "first" }
]

const at = <A>(from: ReadonlyArray<A>, n: number): A => from[n % from.length]!

const rows = Array.from({ length: 378 }, (_, n): RequestRow => {
  const [key_id, , account_id] = at(keys, n)
  return {
    at: nowMs - 5 * hourMs + n * 40_000,
    request_id: `req_${n.toString(36).padStart(4, "0")}`,
    account_id,
    key_id,
    family: n % 5 === 0 ? "chat" : "messages",
    endpoint: n % 5 === 0 ? "/v1/chat/completions" : "/v1/messages",
    model: at(models, n),
    upstream_model: "prod",
    ...at(endings, n),
    stream: 0,
    first_byte_ms: 10,
    duration_ms: 20,
    ...noColumns.requests,
    input_tokens: 1,
    output_tokens: 1,
    cost_nano_usd: 1_000,
    upstream_cost_nano_usd: null,
    settled_at: null,
    conversation: "",
    details: JSON.stringify(at(details, n))
  }
})

const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const account of new Set(keys.map(([, , account]) => account))) {
    yield* sql`INSERT INTO accounts (id, created_at) VALUES (${account}, 0)`
  }
  for (const [id, name, account] of keys.slice(0, 3)) {
    yield* sql`INSERT INTO keys (id, account_id, name, hash, hint, created_at)
      VALUES (${id}, ${account}, ${name}, ${id}, '', 0)`
  }
  yield* Effect.all(requestWriter(sql)(rows), { discard: true })
  yield* TestClock.setTime(nowMs)
})
const world = RequestStore.Default.pipe(Layer.provideMerge(database()))

const tagged =
  (fit: (tag: string) => boolean) =>
  ({ tags }: RequestView) =>
    tags.some(fit)

/** As one types it in the console, and which rows that is. */
const searches: ReadonlyArray<readonly [text: string, fit: (row: RequestView) => boolean]> = [
  ["model:claude-*", ({ model }) => model?.startsWith("claude-") === true],
  ["model:*-4*", ({ model }) => model?.includes("-4") === true],
  ["model:o%e", ({ model }) => model === "o%e"],
  ["model:o%*", ({ model }) => model === "o%e"],
  ["model:o_*", ({ model }) => model === "o_e"],
  ["model:*[b]?*", ({ model }) => model === "a[b]?c"],
  ["model:*k\\s*", ({ model }) => model === "back\\slash"],
  ["model:Claude-*", () => false],
  ["tag:prod", tagged((tag) => tag === "prod")],
  ["tag:prod*", tagged((tag) => tag.startsWith("prod"))],
  ["tag:team=*", tagged((tag) => tag.startsWith("team="))],
  ["tag:*=*", tagged((tag) => tag.includes("="))],
  ['tag:x"],"*', tagged((tag) => tag.startsWith('x"'))],
  ["tag:a\\b", tagged((tag) => tag === "a\\b")],
  ["tag:ü*", tagged((tag) => tag.startsWith("ü"))],
  ["tag:p.od", () => false],
  ["client:OpenAI/*", ({ client }) => client?.startsWith("OpenAI/") === true],
  ["client:OpenAI", ({ client }) => client?.startsWith("OpenAI/") === true],
  ["client:*JS*", ({ client }) => client?.includes("JS") === true],
  ["user:prod", ({ end_user }) => end_user === "prod"],
  ["user:user-*", ({ end_user }) => end_user === "user-1"],
  ["task:task_prod", ({ end_user }) => end_user === "prod"],
  ["attempt:first", ({ attempts }) => attempts.length > 0],
  ["attempt:sec*", ({ attempts }) => attempts.length > 0],
  ["attempt:one", () => false],
  ["upstream:open-*", ({ upstream }) => upstream === "open-router"],
  ["key:ci-*", ({ key }) => key === "key_1" || key === "key_2"],
  ["key:key_4", ({ key }) => key === "key_4"],
  ["key:*[old]", ({ key }) => key === "key_3"],
  ["account:m*", ({ account }) => account === "me"],
  ["account:else*where", ({ account }) => account === "else*where"],
  ["error:*_failed status:5*", ({ error, status }) => error === "upstream_failed" && status === 502],
  ["endpoint:/v1/chat*", ({ endpoint }) => endpoint === "/v1/chat/completions"],
  ["endpoint:mess*", ({ family }) => family === "messages"],
  ["id:req_00*", ({ request_id }) => request_id.startsWith("req_00")],
  ["nightly", ({ key }) => key === "key_2"],
  ["OpenAI", ({ client }) => client?.includes("OpenAI") === true],
  ["429", ({ status, request_id }) => status === 429 || request_id.includes("429")],
  ["cut", ({ error, status }) => status === 200 && error !== null],
  ["sonnet ci", ({ key, model }) => model === "claude-sonnet-4-5" && (key === "key_1" || key === "key_2")],
  ["cl*net", ({ model }) => model === "claude-sonnet-4-5"],
  ["rate_limited tag:prod", (row) => row.error === "rate_limited" && row.tags.includes("prod")],
  ["no:field", () => false]
]

const times = { from: new Date(nowMs - 6 * hourMs).toISOString(), to: new Date(nowMs + hourMs).toISOString() }
const decode = Schema.decodeUnknownSync(Schema.Struct(requestParams))

describeOnEach("what requests are looked for by", () => {
  it.effect("is found in all rows, counted, and the same that the console finds in a row", () =>
    Effect.gen(function* () {
      yield* stored
      const store = yield* RequestStore
      const list = (filter: Parameters<typeof store.list>[0]) =>
        Effect.map(store.list(filter, { before: undefined, limit: 1_000 }), ({ data }) => data.map(requestView))
      const all = yield* list({})
      expect(all).toHaveLength(rows.length)
      const idsOf = (some: ReadonlyArray<RequestView>) => some.map(({ request_id }) => request_id)
      for (const [text, fit] of searches) {
        const filter = requestFilter(new URLSearchParams({ q: text, range: "24h" }), nowMs)
        const { isAll, query } = asked(filter, undefined)
        expect([text, isAll]).toEqual([text, true])
        const expected = idsOf(all.filter(fit))
        const found = yield* list(listFilterOf(decode(query), nowMs))
        expect([text, idsOf(found)]).toEqual([text, expected])
        expect([text, idsOf(all.filter((row) => fits(filter, row)))]).toEqual([text, expected])
        for (const buckets of [6, 100]) {
          const { total } = yield* histogramOf(store, filterOf(decode(query)), { ...times, buckets })
          expect([text, total.requests]).toEqual([text, expected.length])
        }
      }
      expect(searches.filter(([, fit]) => all.some(fit)).length).toBeGreaterThan(30)
    }).pipe(Effect.provide(world))
  )

  it.effect("never reaches beyond an owner, whatever the texts are", () =>
    Effect.gen(function* () {
      yield* stored
      const store = yield* RequestStore
      for (const filter of [{}, { key: "*" }, { search: "ci" }, { tag: "*" }, { account: "*" }]) {
        const own = { ...filter, owner: "else*where" }
        const { data } = yield* store.list(own, { before: undefined, limit: 1_000 })
        for (const { account_id } of data) expect(account_id).toBe("else*where")
        const { total } = yield* histogramOf(store, own, { ...times, buckets: 6 })
        expect(total.requests).toBe(data.length)
      }
    }).pipe(Effect.provide(world))
  )

  it("is a text of 200 characters and five words at most, in lists of one's own as well", () => {
    const own = Schema.decodeUnknownSync(Schema.Struct(ownRequestParams))
    for (const decoded of [decode, own]) {
      expect(decoded({ tag: "*".repeat(200), search: "a b c d e" })).toMatchObject({ search: "a b c d e" })
      expect(() => decoded({ tag: "x".repeat(201) })).toThrow()
      expect(() => decoded({ search: "a b c d e f" })).toThrow()
    }
  })
})

it("what the gateway does not take the console looks for in the rows that it has", () => {
  const of = (q: string, own?: string) => asked(requestFilter(new URLSearchParams({ q }), nowMs), own)
  expect(of("model:a model:b").isAll).toBe(false)
  expect(of("a b c d e f").isAll).toBe(false)
  expect(of("outcome:f*").isAll).toBe(false)
  expect(of("account:me tag:prod", "me")).toEqual({ isAll: true, query: { tag: "prod" } })
  expect(of("account:you", "me")).toEqual({ isAll: false, query: {} })
  expect(of('tag:"night run" user:ann')).toEqual({ isAll: true, query: { tag: "night run", user: "ann" } })
  expect(of('"two words"').query).toEqual({ search: '"two words"' })
})
