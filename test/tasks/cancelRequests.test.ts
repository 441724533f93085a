import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { CancelRequestsLive } from "../../src/tasks/CancelRequests.ts"
import { TaskCancellations } from "../../src/tasks/store/TaskCancellations.ts"
import { TaskStore } from "../../src/tasks/store/TaskStore.ts"
import { describeOnEach } from "../sql/engines.ts"
import { eventually, newTask, rows, stores } from "./engine.ts"

describeOnEach("cancelling", ({ url }) => {
  it.scoped("a wish to cancel is fulfilled, whatever the rows of other tasks hold", () =>
    Effect.gen(function* () {
      const store = yield* TaskStore
      const wishes = yield* TaskCancellations
      const sql = yield* SqlClient.SqlClient
      for (const id of ["bad", "good"]) {
        yield* store.insert(newTask(id))
        yield* wishes.insert(id, 0)
      }
      yield* sql`UPDATE tasks SET details = 'oops' WHERE id = 'bad'`
      yield* Effect.forkScoped(Layer.launch(CancelRequestsLive))
      const open = yield* eventually(
        sql`SELECT task_id FROM task_cancellations WHERE outcome IS NULL`,
        (all) => all.length === 0
      )
      expect(open).toEqual([])
      expect((yield* rows).map((row) => row["state"])).toEqual(["cancelled", "cancelled"])
    }).pipe(Effect.provide(Layer.provideMerge(TaskCancellations.Default, stores().layer)))
  )

  it.scoped("a wish is answered the same, however many nodes fulfil it", () =>
    Effect.gen(function* () {
      const at = yield* url
      const process = Layer.provideMerge(TaskCancellations.Default, stores({ url: at }).layer)
      yield* Effect.gen(function* () {
        const store = yield* TaskStore
        const wishes = yield* TaskCancellations
        const sql = yield* SqlClient.SqlClient
        const ids = Array.from({ length: 30 }, (_, n) => `t${n}`)
        for (const id of ids) {
          yield* store.insert(newTask(id))
          yield* wishes.insert(id, 0)
        }
        yield* Effect.forEach([1, 2, 3], () =>
          Effect.forkScoped(Layer.launch(CancelRequestsLive.pipe(Layer.provide(Layer.fresh(process)))))
        )
        yield* eventually(sql`SELECT task_id FROM task_cancellations WHERE outcome IS NULL`, (all) => all.length === 0)
        const outcomes = yield* sql`SELECT DISTINCT outcome FROM task_cancellations`
        expect(outcomes).toEqual([{ outcome: "cancelled" }])
      }).pipe(Effect.provide(process))
    })
  )
})
