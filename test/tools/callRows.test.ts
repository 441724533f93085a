import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { noColumns } from "../../src/contract/records/measures.ts"
import { CallRows } from "../../src/tools/CallRows.ts"
import { toolCalls } from "../../src/tools/store/toolCalls.ts"
import type { CallEnd, LeavingCall } from "../../src/tools/store/toolCalls.ts"
import { RequestStore } from "../../src/requests/store/RequestStore.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { Daemons } from "../../src/flow/Daemons.ts"
import { RequestSeal } from "../../src/tasks/RequestSeal.ts"
import { ResultSeal } from "../../src/tools/ResultSeal.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const world = CallRows.layer.pipe(
  Layer.provide(Layer.effect(ResultSeal, RequestSeal)),
  Layer.provideMerge(RequestStore.Default),
  Layer.provideMerge(Layer.merge(Commits.Default, Daemons.Default)),
  Layer.provideMerge(database())
)

const call = (id: string, more: Partial<LeavingCall> = {}): LeavingCall => ({
  id,
  atMs: 10,
  requestId: "req_1",
  account: "a",
  key: "k",
  server: "own",
  tool: "search",
  ...more
})
const completed: CallEnd = {
  outcome: "completed",
  durationMs: 12.4,
  sentBytes: 3,
  receivedBytes: 9,
  costNanoUsd: 2_000_000
}

const find = Effect.flatMap(SqlClient.SqlClient, (sql) => toolCalls(sql).ofRequest("req_1"))
/** The calls once this many have ended: ends are written soon. */
const ended = (count: number) =>
  Effect.repeat(Effect.delay(find, "5 millis"), {
    until: (all) => all.filter(({ outcome }) => outcome !== "unknown").length >= count
  })

describeOnEach("rows of calls", () => {
  it.live("are there before the call leaves, and tell how it ended", () =>
    Effect.gen(function* () {
      const rows = yield* CallRows
      yield* rows.begin(call("c1", { person: "p", tool: "a\0b" }))
      expect(yield* find).toMatchObject([{ id: "c1", outcome: "unknown", tool: "a�b", cost_nano_usd: 0 }])
      yield* rows.end("c1", completed)
      yield* rows.add(call("c2", { atMs: 11 }), { ...completed, outcome: "refused", costNanoUsd: 0 })
      expect(yield* ended(2)).toMatchObject([
        { outcome: "completed", duration_ms: 12, sent_bytes: 3, received_bytes: 9, cost_nano_usd: 2_000_000 },
        { id: "c2", outcome: "refused" }
      ])
    }).pipe(Effect.provide(world))
  )

  it.live("claim an approval once, and the others get the end of the first", () =>
    Effect.gen(function* () {
      const { claim, end } = yield* CallRows
      const one = (id: string) => claim({ ...call(id, { atMs: Date.now() }), approval: "mcpr_1" }, 60_000)
      const both = yield* Effect.all([one("c1"), Effect.fork(one("c2"))])
      expect(both[0]).toBeUndefined()
      yield* end("c1", completed, { text: "42" })
      expect(yield* Fiber.join(both[1])).toEqual({ outcome: "completed", result: { text: "42" } })
      const sql = yield* SqlClient.SqlClient
      expect((yield* find).map(({ id }) => id)).toEqual(["c1"])
      expect(JSON.stringify(yield* sql`SELECT result FROM tool_calls`)).toMatch(/"sealed:(?!.*42"\})/)
      // Another account's approval may have the same id.
      expect(yield* claim({ ...call("c3", { account: "b" }), approval: "mcpr_1" }, 60_000)).toBeUndefined()
      const { forgetResults } = yield* RequestStore
      expect(yield* forgetResults(Date.now() + 1, 10)).toBe(1)
      expect(yield* one("c4")).toEqual({ outcome: "completed" })
    }).pipe(Effect.provide(world))
  )

  it.live("of a claim by an earlier run of the same call are unknown at once", () =>
    Effect.gen(function* () {
      const { claim } = yield* CallRows
      const one = claim({ ...call("c1", { atMs: Date.now() }), approval: "mcpr_1" }, 60_000)
      expect(yield* one).toBeUndefined()
      expect(yield* Effect.timeout(one, "1 second")).toEqual({ outcome: "unknown" })
    }).pipe(Effect.provide(world))
  )

  it.live("of a claim without an end are unknown once its time is over", () =>
    Effect.gen(function* () {
      const { claim } = yield* CallRows
      const one = (id: string) => claim({ ...call(id, { atMs: Date.now() - 65_001 }), approval: "mcpr_1" }, 60_000)
      expect(yield* one("c1")).toBeUndefined()
      expect(yield* one("c2")).toEqual({ outcome: "unknown" })
    }).pipe(Effect.provide(world))
  )

  it.live("go with their requests, and when their time is over", () =>
    Effect.gen(function* () {
      const { begin } = yield* CallRows
      const { removeOld } = yield* RequestStore
      const sql = yield* SqlClient.SqlClient
      const nothing = { model: "", upstream_model: "", upstream: "", error: "", conversation: "", details: "{}" }
      const counts = { status: 200, stream: 0, first_byte_ms: 1, duration_ms: 1, ...noColumns.requests }
      const ids = { request_id: "req_1", account_id: "a", key_id: "k", family: "mcp", endpoint: "/mcp" }
      yield* sql`INSERT INTO requests ${sql.insert({ at: 1_000, ...ids, ...nothing, ...counts })}`
      yield* begin(call("c1", { atMs: 1_001 }))
      yield* begin(call("c2", { atMs: 1_001, requestId: "req_2" }))
      yield* begin(call("c3", { atMs: 1, requestId: "req_3" }))
      // The row of the request is one too many.
      expect(yield* removeOld(5, 0, 10)).toBe(2)
      expect(yield* sql`SELECT id FROM tool_calls`).toEqual([{ id: "c2" }])
    }).pipe(Effect.provide(world))
  )
})
