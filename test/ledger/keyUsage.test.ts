import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { KeyUsage } from "../../src/ledger/store/KeyUsage.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const live = KeyUsage.Default.pipe(Layer.provideMerge(database()))
const nowMs = Date.parse("2026-03-31T12:00:00Z")

const day = (day: string, key: string, requests: number, cost: number) => ({
  account_id: "team",
  day,
  key_id: key,
  model: "house",
  requests,
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  searches: 0,
  video_frames: 0,
  cost_nano_usd: cost,
  upstream_cost_nano_usd: cost
})

describeOnEach("what keys have used", () => {
  it.effect("is told for today, for 30 days and for all time, of any number of keys", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const many = Array.from({ length: 250 }, (_, index) => `key_${index}`)
      yield* sql`INSERT INTO usage_days ${sql.insert([
        day("2026-03-31", "key_1", 1, 10),
        { ...day("2026-03-31", "key_1", 2, 20), model: "other" },
        day("2026-03-30", "key_1", 4, 40),
        day("2026-03-02", "key_1", 8, 80),
        day("2026-03-01", "key_1", 16, 160),
        day("2026-03-31", "key_249", 1, 9_000_000_000_000_000),
        day("2026-03-31", "another", 1, 1)
      ])}`
      const used = yield* Effect.flatMap(KeyUsage, (usage) => usage.of(many, nowMs))
      expect(used.get("key_1")).toEqual({
        today: { requests: 3, nanoUsd: 30 },
        month: { requests: 15, nanoUsd: 150 },
        total: { requests: 31, nanoUsd: 310 }
      })
      expect(used.get("key_249")).toMatchObject({ total: { nanoUsd: 9_000_000_000_000_000 } })
      expect([...used.keys()].toSorted()).toEqual(["key_1", "key_249"])
    }).pipe(Effect.provide(live))
  )
})
