import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { daySlices } from "../../src/ledger/store/daySlices.ts"
import { hourSlices } from "../../src/ledger/store/hourSlices.ts"
import { rows } from "../../src/sql/decode.ts"
import { slices } from "../../src/sql/slices.ts"
import { database, describeOnEach } from "./engines.ts"

const sums = {
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  cost_nano_usd: 1,
  upstream_cost_nano_usd: 1
}

/** Sums of 3 accounts, 4 keys each, 5 models, on so many days or hours. */
const seed = (count: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Array.from({ length: count * 60 }, (_, n) => ({
      account_id: `account-${n % 3}`,
      key_id: `key-${n % 12}`,
      model: `model-${Math.floor(n / 12) % 5}`,
      at: Math.floor(n / 60)
    }))
    for (let from = 0; from < all.length; from += 500) {
      const some = all.slice(from, from + 500)
      yield* sql`INSERT INTO usage_days ${sql.insert(
        some.map(({ at, ...names }) => ({
          ...names,
          day: new Date(at * 86_400_000).toISOString().slice(0, 10),
          requests: 1,
          reasoning_tokens: 0,
          searches: 0,
          video_frames: 0,
          ...sums
        }))
      )}`
      yield* sql`INSERT INTO usage_hours ${sql.insert(
        some.map(({ at, ...names }) => ({ ...names, hour: at * 3_600_000, upstream: "u", ...sums }))
      )}`
    }
  })

const counts = rows("usage_days", { n: Schema.Int })
const plans = rows("usage_days", { detail: Schema.String })

describeOnEach("slices", ({ name }) => {
  it.scopedLive("have each row once, a bounded number at a time, whichever index they follow", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* seed(50)
      const counted = (table: string) => {
        const found: Array<number> = []
        const read = (within: ReturnType<typeof sql.and>) =>
          Effect.map(sql`SELECT COUNT(*) AS n FROM ${sql(table)} WHERE ${within}`, (some) => {
            found.push(counts.one(some[0]).n)
          })
        return { found, read }
      }
      const days = daySlices(sql)
      for (const [query, expected] of [
        [{}, 3_000],
        [{ from: "1970-01-11", until: "1970-01-20" }, 600],
        [{ account: "account-1" }, 1_000],
        [{ account: "account-1", from: "1970-01-11", until: "1970-01-20", model: "model-2" }, 40],
        [{ key: "key-4" }, 250],
        [{ key: "key-4", account: "account-2" }, 0],
        [{ keys: ["key-4", "key-5"], from: "1970-01-11" }, 400]
      ] as const) {
        const { found, read } = counted("usage_days")
        yield* days(query, read)
        expect([query, found.reduce((sum, n) => sum + n, 0)]).toEqual([query, expected])
        expect(Math.max(...found)).toBeLessThanOrEqual(2_000)
        if (expected >= 1_000) expect(found.length).toBeGreaterThan(3)
      }
      for (const [owner, expected] of [
        [undefined, 1_200],
        ["account-2", 400]
      ] as const) {
        const { found, read } = counted("usage_hours")
        yield* hourSlices(sql, "usage_hours")({ fromMs: 10 * 3_600_000, toMs: 30 * 3_600_000, owner }, read)
        expect(found.reduce((sum, n) => sum + n, 0)).toBe(expected)
      }
    }).pipe(Effect.provide(database()))
  )

  it.scopedLive("begin at the end where that is wanted, and stop as soon as the reader has enough", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* seed(20)
      const seen: Array<string> = []
      const days = rows("usage_days", { day: Schema.String })
      const read = (most: number) => (within: ReturnType<typeof sql.and>) =>
        Effect.map(sql`SELECT day FROM usage_days WHERE ${within} ORDER BY day DESC`, (some) => {
          seen.push(...days.all(some).map(({ day }) => day))
          return seen.length >= most
        })
      // 60 rows have the same day: a slice holds all of its last place.
      const key = { day: Schema.String }
      yield* slices(sql)({ table: "usage_days", key, isDescending: true }, read(Infinity))
      expect(seen).toHaveLength(1_200)
      expect(seen).toEqual(seen.toSorted().toReversed())
      seen.length = 0
      yield* slices(sql)({ table: "usage_days", key, isDescending: true }, read(1))
      expect(seen[0]).toBe("1970-01-20")
      expect(seen.length).toBeLessThan(200)
    }).pipe(Effect.provide(database()))
  )

  it.scopedLive("are found by their index from both ends, so that none reads what others did", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      if (name === "postgres") return
      yield* seed(20)
      const found: Array<string> = []
      const explained = (table: string) => (within: ReturnType<typeof sql.and>) =>
        Effect.map(sql`EXPLAIN QUERY PLAN SELECT SUM(cost_nano_usd) FROM ${sql(table)} WHERE ${within}`, (some) => {
          found.push(plans.one(some[0]).detail)
        })
      const times = { from: "1970-01-02", until: "1970-01-19" }
      const hours = { fromMs: 3_600_000, toMs: 18 * 3_600_000 }
      const of = (places: string) => expect.stringContaining(`(${places})>(`)
      for (const [reading, places] of [
        [daySlices(sql)(times, explained("usage_days")), "day,account_id,key_id,model"],
        [daySlices(sql)({ ...times, account: "account-1" }, explained("usage_days")), "day,key_id,model"],
        [daySlices(sql)({ key: "key-1" }, explained("usage_days")), ""],
        [hourSlices(sql, "usage_hours")(hours, explained("usage_hours")), "hour,account_id,key_id,model,upstream"],
        [
          hourSlices(sql, "usage_hours")({ ...hours, owner: "account-1" }, explained("usage_hours")),
          "hour,key_id,model,upstream"
        ]
      ] as const) {
        found.length = 0
        yield* reading
        expect(found.every((detail) => detail.startsWith("SEARCH"))).toBe(true)
        if (places === "") continue
        expect(found[1]).toEqual(of(places))
        if (found.length > 2) expect(found[1]).toContain(`(${places})<(`)
      }
    }).pipe(Effect.provide(database()))
  )
})
