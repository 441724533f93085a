import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { RequestOverview } from "../../src/requests/RequestOverview.ts"
import { RequestStore } from "../../src/requests/store/RequestStore.ts"
import { requestRowsIn } from "../../src/requests/store/requestBook.ts"
import { RequestSums } from "../../src/requests/store/RequestSums.ts"
import { sampledIds } from "../../src/sql/sample.ts"
import { Stride } from "../../src/sql/Stride.ts"
import { layer } from "../../src/sql/Database.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const row = {
  at: 0,
  request_id: "r",
  account_id: "a",
  key_id: "k",
  family: "messages",
  endpoint: "/v1/messages",
  model: "m",
  upstream_model: "m",
  upstream: "u",
  status: 200,
  error: "",
  stream: 0,
  first_byte_ms: 1,
  duration_ms: 2,
  input_tokens: 3,
  output_tokens: 4,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  searches: 0,
  cost_nano_usd: 5,
  details: "{}"
}

const stores = Layer.mergeAll(RequestStore.Default, RequestSums.Default, RequestOverview.Default)
const world = stores.pipe(Layer.provideMerge(database()))

describeOnEach("an account's own requests", () => {
  it.effect("are found behind however many of others, and nothing of others is looked through", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* RequestStore
      const nowMs = 3_600_000
      const ids = [1, 2, 50_000_000]
      for (const id of ids) {
        const whose = { account_id: id === 50_000_000 ? "many" : "few", request_id: `r${id}` }
        yield* sql`INSERT INTO requests ${sql.insert({ ...row, ...whose, id, at: nowMs + id })}`
      }
      const page = { before: undefined, limit: 10 }
      for (const filter of [{ owner: "few" }, { account: "few" }, { owner: "few", tag: "*" }]) {
        const { data, next } = yield* store.list(filter, page)
        expect(data.map(({ request_id }) => request_id)).toEqual(filter.tag === undefined ? ["r2", "r1"] : [])
        expect(next).toBeUndefined()
      }
      expect(yield* store.list({ owner: "none" }, page)).toEqual({ data: [], next: undefined })
      const counted = yield* store.count({ fromMs: 0, toMs: 2 * nowMs, widthMs: 60_000 }, { owner: "few", model: "m" })
      expect([...counted.values()].map(({ requests }) => requests)).toEqual([2])
      const shown: Array<number> = []
      const sums = yield* RequestSums
      const own = { fromMs: 0, toMs: 60_000_000, most: 10, scope: { owner: "few" }, number: 2 }
      expect(yield* sums.each(own, ({ at }) => void shown.push(at))).toBe(false)
      expect(shown).toEqual([nowMs + 1, nowMs + 2])
    }).pipe(Effect.provide(world))
  )

  it.effect("are listed in stretches that leave none out, page by page", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* RequestStore
      const all = Array.from({ length: 700 }, (_, index) => ({
        ...row,
        id: index * 3 + 1,
        at: index + 1,
        request_id: `r${index}`,
        account_id: index % 3 === 0 ? "own" : "other",
        model: index % 2 === 0 ? "even" : "odd"
      }))
      for (let at = 0; at < all.length; at += 100)
        yield* sql`INSERT INTO requests ${sql.insert(all.slice(at, at + 100))}`
      const found: Array<string> = []
      for (let before: number | undefined; ;) {
        const { data, next } = yield* store.list({ owner: "own", model: "ev*" }, { before, limit: 7 })
        found.push(...data.map(({ request_id }) => request_id))
        if (next === undefined) break
        before = next
      }
      const expected = all.filter(({ account_id, model }) => account_id === "own" && model === "even")
      expect(found).toEqual(expected.map(({ request_id }) => request_id).toReversed())
      const counted = yield* store.count({ fromMs: 0, toMs: 1_000, widthMs: 100 }, { owner: "own", model: "ev*" })
      expect([...counted.values()].reduce((sum, { requests }) => sum + requests, 0)).toBe(expected.length)
    }).pipe(Effect.provide(world))
  )

  it.effect("are found by time where the clocks of two nodes differ by most of a minute", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* RequestStore
      const all = Array.from({ length: 600 }, (_, index) => ({
        ...row,
        id: index + 1,
        at: 1_000_000 + index * 1_000 - (index % 2 === 0 ? 0 : 55_000),
        request_id: `r${index}`
      }))
      for (let at = 0; at < all.length; at += 100)
        yield* sql`INSERT INTO requests ${sql.insert(all.slice(at, at + 100))}`
      for (let fromMs = 950_000; fromMs < 1_600_000; fromMs += 7_001) {
        const toMs = fromMs + 20_000
        const counted = yield* store.count({ fromMs, toMs, widthMs: 60_000 }, {})
        const found = [...counted.values()].reduce((sum, { requests }) => sum + requests, 0)
        expect([fromMs, found]).toEqual([fromMs, all.filter(({ at }) => at >= fromMs && at < toMs).length])
      }
    }).pipe(Effect.provide(world))
  )
})

describe("searches", () => {
  it.effect("look through fewer rows at a time where these take long", () =>
    Effect.gen(function* () {
      const stride = new Stride(yield* SqlClient.SqlClient)
      for (let n = 0; n < 10; n++) stride.took(1, 1)
      expect(stride.rows).toBe(2_000)
      // A slow disk, or other programs that have the core.
      for (let n = 0; n < 10; n++) stride.took(10, 1)
      expect(stride.rows).toBe(128)
      for (let n = 0; n < 10; n++) stride.took(10, 10)
      expect(stride.rows).toBe(16)
      stride.took(10, 1)
      expect(stride.rows).toBe(16)
    }).pipe(Effect.provide(layer({ url: "sqlite::memory:", exclusive: true })))
  )
})

describeOnEach("samples", ({ name }) => {
  it.effect("of long tables are found by their ids, without a look at the other rows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { inSampleOf } = requestRowsIn(sql)
      const ids = [1, ...sampledIds({ from: 1, until: 30_000_001 }, 30_000).take(100), 30_000_000]
      const all = [...new Set(ids)].map((id) => ({ ...row, id, at: 1_000 + id, request_id: `r${id}` }))
      yield* sql`INSERT INTO requests ${sql.insert(all)}`
      const span = { fromMs: 0, toMs: 40_000_000 }
      for (const [scope, number] of [
        [{}, undefined],
        [{ owner: "a" }, 30_000_000],
        [{ owner: "a", where: [sql`model = 'm'`] }, 15_000_000]
      ] as const) {
        const seen: Array<unknown> = []
        const plans: Array<string> = []
        let statements = 0
        const every = yield* inSampleOf(span, scope, { most: 1_000, number }, (within) =>
          Effect.gen(function* () {
            statements++
            const found = yield* sql`SELECT id FROM requests WHERE ${within}`
            seen.push(...found)
            if (name === "sqlite") {
              const plan = yield* sql`EXPLAIN QUERY PLAN SELECT id, details FROM requests WHERE ${within}`
              plans.push(...plan.map((step) => JSON.stringify(step)))
            }
            return found.length
          })
        )
        expect(every).toBe((number ?? 30_000_000) / 1_000)
        expect(seen.length).toBeGreaterThanOrEqual(number === 15_000_000 ? 1 : 100)
        // Thirty million ids in strides would be thousands.
        expect(statements).toBeLessThan(20)
        for (const plan of plans) expect(plan).toMatch(/rowid=\?|account_id=\? AND id=\?/)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "have their part of the rows, a few together, and of no client that sends every so many more than of others",
    () =>
      Effect.sync(() => {
        const ids = [...sampledIds({ from: 1_000, until: 101_000 }, 10)]
        expect(ids.length).toBeGreaterThan(9_900)
        expect(ids.length).toBeLessThan(10_100)
        expect(new Set(ids).size).toBe(ids.length)
        for (const client of [0, 1, 2, 3]) {
          const sent = ids.filter((id) => id % 4 === client)
          expect(sent.length / ids.length).toBeCloseTo(0.25, 1)
        }
        expect([...sampledIds({ from: 5, until: 8 }, 1)]).toEqual([5, 6, 7])
      })
  )

  it.effect("and sums take longer strides on a server, however long its answers are on their way", () =>
    Effect.gen(function* () {
      if (name === "sqlite") return
      const stride = new Stride(yield* SqlClient.SqlClient)
      for (let n = 0; n < 6; n++) stride.took(1_000, 0, 10)
      expect(stride.rows).toBe(65_536)
      stride.took(1, 0, 2_000)
      expect(stride.rows).toBe(32_768)
      for (let n = 0; n < 20; n++) stride.took(1_000, 0)
      expect(stride.rows).toBe(256)
    }).pipe(Effect.provide(world))
  )
})
