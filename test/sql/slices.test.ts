import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { rows } from "../../src/sql/decode.ts"
import { slices } from "../../src/sql/slices.ts"
import { inWholes } from "../../src/sums/store/wholes.ts"
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

const names = ["account_id", "key_id", "model"] as const
const days = { table: "usage_days", unit: "day", columns: names } as const
const hours = { table: "usage_hours", unit: "hour", columns: [...names, "upstream"] } as const
const dayMs = 86_400_000
const all = { fromMs: -Infinity, toMs: Infinity }

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
      const tenDays = { fromMs: 10 * dayMs, toMs: 20 * dayMs }
      const ofModel = { where: [sql`model = ${"model-2"}`] }
      const ofKeys = { where: [sql.in("key_id", ["key-4", "key-5"])] }
      for (const [query, span, scope, expected] of [
        ["all", all, {}, 3_000],
        ["ten days", tenDays, {}, 600],
        ["of an account", all, { owner: "account-1" }, 1_000],
        ["ten days of a model", tenDays, { owner: "account-1", ...ofModel }, 40],
        ["of a key", all, { key: "key-4" }, 250],
        ["of another's key", all, { key: "key-4", owner: "account-2" }, 0],
        ["of keys", { ...tenDays, toMs: Infinity }, ofKeys, 400]
      ] as const) {
        const { found, read } = counted("usage_days")
        yield* inWholes(sql, days, span, scope, read)
        expect([query, found.reduce((sum, n) => sum + n, 0)]).toEqual([query, expected])
        expect(Math.max(...found)).toBeLessThanOrEqual(2_000)
        if (expected >= 1_000) expect(found.length).toBeGreaterThan(3)
      }
      for (const [owner, expected] of [
        [undefined, 1_200],
        ["account-2", 400]
      ] as const) {
        const { found, read } = counted("usage_hours")
        yield* inWholes(sql, hours, { fromMs: 10 * 3_600_000, toMs: 30 * 3_600_000 }, { owner }, read)
        expect(found.reduce((sum, n) => sum + n, 0)).toBe(expected)
      }
    }).pipe(Effect.provide(database()))
  )

  it.scopedLive("begin at the end where that is wanted, and stop as soon as the reader has enough", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* seed(20)
      const seen: Array<string> = []
      const ofDays = rows("usage_days", { day: Schema.String })
      const read = (most: number) => (within: ReturnType<typeof sql.and>) =>
        Effect.map(sql`SELECT day FROM usage_days WHERE ${within} ORDER BY day DESC`, (some) => {
          seen.push(...ofDays.all(some).map(({ day }) => day))
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
      const times = { fromMs: dayMs, toMs: 19 * dayMs }
      const someHours = { fromMs: 3_600_000, toMs: 18 * 3_600_000 }
      const through = (places: string) => expect.stringContaining(`(${places})>(`)
      for (const [reading, places] of [
        [[days, times, {}], "day,account_id,key_id,model"],
        [[days, times, { owner: "account-1" }], "day,key_id,model"],
        [[days, all, { key: "key-1" }], ""],
        [[hours, someHours, {}], "hour,account_id,key_id,model,upstream"],
        [[hours, someHours, { owner: "account-1" }], "hour,key_id,model,upstream"]
      ] as const) {
        found.length = 0
        const [of, span, scope] = reading
        yield* inWholes(sql, of, span, scope, explained(of.table))
        expect(found.every((detail) => detail.startsWith("SEARCH"))).toBe(true)
        if (places === "") continue
        expect(found[1]).toEqual(through(places))
        if (found.length > 2) expect(found[1]).toContain(`(${places})<(`)
      }
    }).pipe(Effect.provide(database()))
  )
})
