import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { idsByTime } from "../../src/sql/idsByTime.ts"
import { database, describeOnEach } from "./engines.ts"

describeOnEach("a time in a table", () => {
  it.effect("is found by ids with gaps", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ids = Array.from({ length: 400 }, (_, n) => 1 + n * n * 62)
      for (let at = 0; at < ids.length; at += 200) {
        yield* sql`INSERT INTO audit ${sql.insert(
          ids.slice(at, at + 200).map((id, n) => ({
            id,
            at: 1_000 * (at + n),
            actor: "a",
            actor_name: "a",
            action: "a",
            target: "t",
            after: "{}"
          }))
        )}`
      }
      const { ends, firstAt } = idsByTime(sql, { table: "audit", time: "at", lateMs: 0 })
      const all = yield* ends
      expect(all).toEqual({ first: 1, last: ids.at(-1) })
      if (all === undefined) return
      for (const n of [0, 1, 2, 17, 198, 199, 398, 399]) {
        expect([n, yield* firstAt(1_000 * n, all)]).toEqual([n, n === 0 ? 1 : (ids[n - 1] ?? 0) + 1])
      }
      expect(yield* firstAt(-1, all)).toBe(1)
      expect(yield* firstAt(1e9, all)).toBe((ids.at(-1) ?? 0) + 1)
    }).pipe(Effect.provide(database()))
  )
})
