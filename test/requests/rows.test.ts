import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, Option, TestClock } from "effect"
import { Caller } from "../../src/contract/callers/Caller.ts"
import { RequestRecord } from "../../src/contract/records/RequestRecord.ts"
import { RequestExpiry, RequestRetention } from "../../src/requests/RequestExpiry.ts"
import { RequestRowsLive } from "../../src/requests/RequestRows.ts"
import { RequestStore } from "../../src/requests/store/RequestStore.ts"
import { makeMetrics, Metrics } from "../../src/telemetry/Metrics.ts"
import { RequestLog } from "../../src/telemetry/RequestLog.ts"
import { adjust, settled } from "../sql/clock.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const me = Caller.unrestricted("acc_me", "key_me")

/** One that is over, and came at this time. */
const over = (requestId: string, given: Partial<RequestRecord> = {}, caller = me): RequestRecord => {
  const record = new RequestRecord(
    { requestId, method: "POST", path: "/v1/messages" },
    { family: "messages", endpoint: "/v1/messages" },
    performance.now(),
    () => {}
  )
  record.opened(caller)
  Object.assign(record, given)
  record.answered(given.status ?? 200, 12)
  return record
}

const used = {
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 1,
  cacheWriteTokens: 2,
  reasoningTokens: 3,
  searches: 1
}

const world = Layer.mergeAll(RequestRowsLive, RequestStore.Default).pipe(Layer.provideMerge(database()))

/** Until what was appended is stored: rows gather on the machine's own clock. */
const stored = (count: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (;;) {
      const [row] = yield* sql<{ n: number }>`SELECT COUNT(*) AS n FROM requests`
      if (Number(row?.n) >= count) return
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 10)))
      yield* settled
    }
  })

const write = (...records: ReadonlyArray<RequestRecord>) =>
  Effect.gen(function* () {
    const { append } = yield* RequestLog
    for (const record of records) append(record)
  })

describeOnEach("rows of requests", ({ name }) => {
  it.effect("have calls whose rounded times fit into one another and into their request", () =>
    Effect.gen(function* () {
      const store = yield* RequestStore
      const answered = { outcome: "answered", calls: 1, status: 200, error: undefined } as const
      const one = { upstream: "u", model: "m", ...answered, requestId: undefined }
      yield* write(
        over("r1", {
          attempts: [
            { ...one, offsetMs: 0.4, queueMs: 0.4, durationMs: 10.3 },
            // Its parts would round to 11 + 2 and 11 + 4 ms, beyond the request's 13.
            { ...one, offsetMs: 10.6, queueMs: 0.6, durationMs: 1.5 }
          ]
        })
      )
      yield* stored(1)
      const row = yield* store.find("r1")
      expect(
        row?.details.attempts?.map(({ duration_ms, offset_ms, queue_ms }) => [offset_ms, queue_ms, duration_ms])
      ).toEqual([
        [0, 1, 11],
        [11, undefined, 1]
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect("have the time of the upstream's first byte, not of a head that was sent ahead of it", () =>
    Effect.gen(function* () {
      const store = yield* RequestStore
      const call = { upstream: "u", model: "m", calls: 1, requestId: undefined, queueMs: 0, offsetMs: 5 }
      const answered = { ...call, outcome: "answered", status: 200, error: undefined, durationMs: 14_000 } as const
      const failed = { ...call, outcome: "failed", status: undefined, error: "no answer", durationMs: 14_000 } as const
      const held = { firstByteMs: 10_000, durationMs: 20_000, status: 200, upstream: "u" }
      yield* write(
        over("late", { ...held, attempts: [failed, answered] }),
        over("never", { ...held, attempts: [failed], error: "upstream_failed" }),
        over("task", { ...held, attempts: [], task: "task_1" }),
        over("refused", { ...held, attempts: [{ ...failed, outcome: "refused", status: 400 }], status: 400 })
      )
      yield* stored(4)
      const firstByteOf = (id: string) => Effect.map(store.find(id), (row) => row?.first_byte_ms)
      expect(yield* Effect.forEach(["late", "never", "task", "refused"], firstByteOf)).toEqual([14_005, 0, 0, 12])
    }).pipe(Effect.provide(world))
  )

  it.effect("hold what is known, and add up by the hour, account, key, model and upstream", () =>
    Effect.gen(function* () {
      const at = 3_600_000 * 500_000 + 5
      const paid = { atMs: at, model: "m", upstream: "u", used, costNanoUsd: 7 }
      yield* write(
        over("r1", paid),
        over("r2", { ...paid, atMs: at + 60_000, error: "hang_up" }),
        over("r3", { ...paid, atMs: at + 3_600_000 }),
        over("r4", { atMs: at, model: "made up \ud800 by a caller", status: 400, error: "invalid_request" })
      )
      yield* stored(4)
      const store = yield* RequestStore
      expect(yield* store.find("r1", { account: "acc_me" })).toMatchObject({
        cost_nano_usd: 7,
        input_tokens: 10,
        upstream: "u"
      })
      expect(yield* store.find("r1", { account: "acc_other" })).toBeUndefined()
      const sql = yield* SqlClient.SqlClient
      const hours = yield* sql`SELECT hour, model, requests, errors, input_tokens, cost_nano_usd, duration_ms
        FROM request_hours ORDER BY hour, model`
      expect(
        hours.map((row) => Object.values(row).map((value) => (typeof value === "bigint" ? Number(value) : value)))
      ).toEqual([
        [at - 5, "", 1, 1, 0, 0, 12],
        [at - 5, "m", 2, 1, 20, 14, 24],
        [at - 5 + 3_600_000, "m", 1, 0, 10, 7, 12]
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect("are listed newest first, and what is rare is found far down", () =>
    Effect.gen(function* () {
      const store = yield* RequestStore
      yield* write(over("rare", { atMs: 1, error: "rate_limited", status: 429 }))
      yield* stored(1)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE requests SET id = -12000`
      yield* write(...Array.from({ length: 300 }, (_, n) => over(`r${n}`, { atMs: 1_000 + n })))
      yield* stored(301)
      const page = yield* store.list({}, { before: undefined, limit: 2 })
      expect(page.data.map((row) => row.request_id)).toEqual(["r299", "r298"])
      const next = yield* store.list({}, { before: page.next, limit: 1 })
      expect(next.data.map((row) => row.request_id)).toEqual(["r297"])
      for (const filter of [{ status: 4 }, { status: 429 }, { error: "rate_limited" }, { untilMs: 1 }]) {
        const found = yield* store.list(filter, { before: undefined, limit: 10 })
        expect([found.data.map((row) => row.request_id), found.next]).toEqual([["rare"], undefined])
      }
      expect((yield* store.list({ account: "acc_other" }, { before: undefined, limit: 10 })).data).toEqual([])
    }).pipe(Effect.provide(world))
  )

  // SQLite has no other clock than the machine's.
  if (name === "postgres") {
    it.effect("stay where this machine's clock alone is years ahead of the database's", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* write(over("fresh", { atMs: Date.now() }))
        yield* stored(1)
        yield* sql`INSERT INTO audit ${sql.insert([1, 2].map((n) => ({ at: Date.now(), actor: "a", action: "b", target: `${n}` })))}`
        yield* TestClock.setTime(Date.now() + Duration.toMillis("3000 days"))
        const retention = Layer.succeed(RequestRetention, {
          keep: Duration.days(30),
          maxRows: 25,
          usage: Option.none(),
          audit: Option.some(Duration.days(30))
        })
        yield* adjust("2 minutes").pipe(Effect.provide(RequestExpiry.pipe(Layer.provide(retention))))
        expect(yield* sql`SELECT request_id FROM requests`).toEqual([{ request_id: "fresh" }])
        expect(yield* sql`SELECT target FROM audit ORDER BY id`).toEqual([{ target: "1" }, { target: "2" }])
      }).pipe(Effect.provide(world))
    )
  }

  it.effect("go when their time is over, and the oldest where there are too many; their sums stay", () =>
    Effect.gen(function* () {
      const nowMs = Duration.toMillis("40 days")
      yield* TestClock.setTime(nowMs)
      const old = Array.from({ length: 20 }, (_, n) => over(`old${n}`, { atMs: nowMs - Duration.toMillis("31 days") }))
      const fresh = Array.from({ length: 30 }, (_, n) => over(`new${n}`, { atMs: nowMs - n }))
      yield* write(...old, ...fresh)
      yield* stored(50)
      const retention = Layer.succeed(RequestRetention, {
        keep: Duration.days(30),
        maxRows: 25,
        usage: Option.none(),
        audit: Option.none()
      })
      yield* Effect.gen(function* () {
        for (let n = 0; n < 5; n++) yield* adjust("50 millis")
      }).pipe(Effect.provide(RequestExpiry.pipe(Layer.provide(retention))))
      const store = yield* RequestStore
      const { data } = yield* store.list({}, { before: undefined, limit: 100 })
      expect(data.map((row) => row.request_id)).toEqual(
        fresh
          .slice(5)
          .map((record) => record.requestId)
          .toReversed()
      )
      const sql = yield* SqlClient.SqlClient
      expect(Number((yield* sql`SELECT SUM(requests) AS n FROM request_hours`)[0]?.["n"])).toBe(50)
    }).pipe(Effect.provide(world))
  )

  it.effect("are dropped and counted where the database refuses them, one by one", () => {
    const metrics = makeMetrics()
    return Effect.gen(function* () {
      yield* write(over("r1"), over("r2", { status: Number.NaN }), over("r3"))
      yield* stored(2)
      const store = yield* RequestStore
      const { data } = yield* store.list({}, { before: undefined, limit: 10 })
      expect(data.map((row) => row.request_id)).toEqual(["r3", "r1"])
      expect(metrics.requestRowsDropped.of().value).toBe(1)
    }).pipe(Effect.provide(Layer.provide(world, Layer.succeed(Metrics, metrics))))
  })
})
