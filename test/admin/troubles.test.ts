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
  it.scoped("are failures of requests and calls that failed behind others, without refusals and hang-ups", () =>
    Effect.gen(function* () {
      const { recentRequests } = yield* Troubles
      expect(yield* recentRequests(0)).toEqual([])
      const sums = { requests: 30, errors: 10, refused: 3, hang_ups: 2, attempts: 40, hidden_failures: 8 }
      yield* hour({ hour: 0, upstream: "one", ...sums })
      yield* hour({ hour: hourMs, upstream: "one", ...sums })
      yield* hour({ hour: hourMs, upstream: "", ...sums })
      const once = { upstream: "one", requests: 30, failed: 5, calls: 40, hidden: 8 }
      expect(yield* recentRequests(hourMs)).toEqual([once])
      expect(yield* recentRequests(0)).toEqual([{ upstream: "one", requests: 60, failed: 10, calls: 80, hidden: 16 }])
    }).pipe(Effect.provide(world))
  )
})
