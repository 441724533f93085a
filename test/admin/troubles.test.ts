import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Troubles } from "../../src/admin/store/Troubles.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const hourMs = 3_600_000
const world = Troubles.Default.pipe(Layer.provideMerge(database()))

/** An hour's sums of a key at an upstream. */
const hour = (sums: Readonly<Record<string, string | number>>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const names = ["first_byte_ms", "duration_ms", "input_tokens", "output_tokens", "cache_read_tokens"]
    const more = ["cache_write_tokens", "reasoning_tokens", "searches", "cost_nano_usd"]
    const none = Object.fromEntries([...names, ...more].map((name) => [name, 0]))
    return sql`INSERT INTO request_hours ${sql.insert({ ...none, account_id: "a", key_id: "k", model: "m", ...sums })}`
  })

describeOnEach("troubles", () => {
  it.scoped("are calls that failed, and those that failed behind others, of upstreams without requests too", () =>
    Effect.gen(function* () {
      const { recentCalls } = yield* Troubles
      expect(yield* recentCalls(0)).toEqual([])
      const sums = { requests: 0, errors: 0, attempts: 40, failed_attempts: 13, hidden_failures: 8 }
      yield* hour({ hour: 0, upstream: "one", ...sums })
      yield* hour({ hour: hourMs, upstream: "one", ...sums })
      yield* hour({ hour: hourMs, upstream: "two", requests: 30, errors: 10 })
      expect(yield* recentCalls(hourMs)).toEqual([{ upstream: "one", calls: 40, failed: 13, hidden: 8 }])
      expect(yield* recentCalls(0)).toEqual([{ upstream: "one", calls: 80, failed: 26, hidden: 16 }])
    }).pipe(Effect.provide(world))
  )
})
