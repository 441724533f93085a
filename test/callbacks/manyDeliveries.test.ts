import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { DeliveryStore } from "../../src/callbacks/store/DeliveryStore.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { createTask, moveTask } from "./world.ts"
import { describeOnEach } from "../sql/engines.ts"
import { hook, host, outcome, processOn, rows } from "./deliveries.ts"

describeOnEach("deliveries in the database", () => {
  it.effect("of one task are never two under way, however changes and answers fall together", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const tasks = yield* TaskStore
      yield* createTask("t1", hook)
      const [queued] = yield* store.claim(host, 10)
      yield* Effect.all(
        [Effect.exit(moveTask("t1", "running")), store.finish(queued!, outcome(500)), tasks.end("t1", "cancelled")],
        { concurrency: "unbounded" }
      )
      const seen: Array<string> = []
      for (let i = 0; i < 5; i++) {
        const claimed = yield* store.claim(host, 10)
        expect(claimed.length).toBeLessThanOrEqual(1)
        for (const held of claimed) {
          seen.push(held.status)
          yield* store.finish(held, outcome(200))
        }
      }
      expect(seen.at(-1)).toBe("cancelled")
      expect(
        (yield* rows).map((row) => row.state).filter((state) => state === "waiting" || state === "pending")
      ).toEqual([])
    }).pipe(Effect.provide(processOn("races")))
  )

  it.effect("name every receiver with something to send, by hops in the index", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const sql = yield* SqlClient.SqlClient
      yield* Effect.forEach(["b", "a", "c", "a"], (name, i) => createTask(`t${i}`, `https://${name}.test/`))
      expect((yield* store.hosts).map((one) => one.host)).toEqual(["a.test", "b.test", "c.test"])
      const claimed = sql`SELECT id FROM deliveries WHERE host = 'a.test' AND next_at <= 5 ORDER BY next_at LIMIT 3`
      const plan = yield* sql.onDialectOrElse({
        // Of a table that small Postgres reads all.
        pg: () => sql.withTransaction(Effect.zipRight(sql`SET LOCAL enable_seqscan = off`, sql`EXPLAIN ${claimed}`)),
        orElse: () => sql`EXPLAIN QUERY PLAN ${claimed}`
      })
      expect(JSON.stringify(plan)).toContain("deliveries_due")
      expect(JSON.stringify(plan)).not.toMatch(/TEMP B-TREE|Sort/)
    }).pipe(Effect.provide(processOn("hosts")))
  )
})
