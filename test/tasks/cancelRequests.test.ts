import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { CancelRequestsLive } from "../../src/tasks/CancelRequests.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { describeOnEachStore, eventually, newTask, rows, stores } from "./engine.ts"

describeOnEachStore("cancelling", ({ name, url }) => {
  const onDatabase = name === "memory" ? undefined : it.scoped

  it.scoped("a task is cancelled on request, and the request is answered", () =>
    Effect.gen(function* () {
      const store = yield* TaskStore
      yield* store.insert(newTask("a"))
      yield* store.askToCancel("a", 0)
      yield* Effect.forkScoped(Layer.launch(CancelRequestsLive))
      const outcome = yield* eventually(store.cancelOutcome("a"), Option.isSome)
      expect(outcome).toEqual(Option.some("cancelled"))
      expect(yield* store.cancelOutcome("gone")).toEqual(Option.some("none"))
      expect(yield* store.cancelRequests).toEqual([])
      expect((yield* rows).map((row) => row.state)).toEqual(["cancelled"])
    }).pipe(Effect.provide(stores().layer))
  )

  onDatabase?.("a cancellation request is answered, whatever the rows of other tasks contain", () =>
    Effect.gen(function* () {
      const store = yield* TaskStore
      const sql = yield* SqlClient.SqlClient
      for (const id of ["bad", "good"]) {
        yield* store.insert(newTask(id))
        yield* store.askToCancel(id, 0)
      }
      yield* sql`UPDATE tasks SET details = 'oops' WHERE id = 'bad'`
      yield* Effect.forkScoped(Layer.launch(CancelRequestsLive))
      const open = yield* eventually(
        sql`SELECT task_id FROM task_cancellations WHERE outcome IS NULL`,
        (all) => all.length === 0
      )
      expect(open).toEqual([])
      expect((yield* rows).map((row) => row.state)).toEqual(["cancelled", "cancelled"])
    }).pipe(Effect.provide(stores().layer))
  )

  onDatabase?.("a wish is answered the same, however many nodes fulfil it", () =>
    Effect.gen(function* () {
      const at = yield* url
      const process = stores({ url: at }).layer
      yield* Effect.gen(function* () {
        const store = yield* TaskStore
        const sql = yield* SqlClient.SqlClient
        const ids = Array.from({ length: 30 }, (_, n) => `t${n}`)
        for (const id of ids) {
          yield* store.insert(newTask(id))
          yield* store.askToCancel(id, 0)
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
