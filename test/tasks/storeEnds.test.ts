import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Option, TestClock } from "effect"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { alice, bob, describeOnEachStore, newTask, rows, stores } from "./engine.ts"

const run = <A, E>(body: Effect.Effect<A, E, TaskStore | SqlClient.SqlClient>) => Effect.provide(body, stores().layer)

describeOnEachStore("tasks that end", ({ name }) => {
  const onDatabase = name === "memory" ? undefined : it.effect

  it.effect("removes what has ended and nothing else", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        yield* store.insert(newTask("a"))
        expect(yield* store.remove(alice, "test", "a")).toBe(false)
        yield* store.end("a", "cancelled")
        expect(yield* store.remove(bob, "test", "a")).toBe(false)
        expect(yield* store.remove(alice, "test", "a")).toBe(true)
        expect(yield* store.remove(alice, "test", "a")).toBe(false)
      })
    )
  )

  onDatabase?.("expires what is late and lists what is there, whatever another task's row holds", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        const sql = yield* SqlClient.SqlClient
        for (const at of [10, 20]) yield* store.insert(newTask(`t${at}`, { expiresAtMs: at }))
        yield* sql`UPDATE tasks SET details = 'oops' WHERE id = 't10'`
        yield* TestClock.setTime(20)
        expect((yield* store.expireDue).expired.map((task) => task.id)).toEqual(["t20"])
        expect((yield* rows).map((row) => row.state)).toEqual(["expired", "expired"])
        expect(yield* store.expireDue).toEqual({ expired: [], nextMs: Option.none() })
        const listed = yield* store.list({ account: alice, kind: "test", sinceMs: 0, offset: 0, limit: 10 })
        expect(listed.tasks.map((task) => task.id)).toEqual(["t20"])
      })
    )
  )

  it.effect("expires what is late, once, and names the next deadline", () =>
    Effect.gen(function* () {
      const { changes, layer } = stores()
      yield* Effect.gen(function* () {
        const store = yield* TaskStore
        expect((yield* store.expireDue).nextMs).toEqual(Option.none())
        for (const at of [10, 20, 30]) yield* store.insert(newTask(`t${at}`, { expiresAtMs: at }))
        yield* store.insert(newTask("for ever"))
        yield* TestClock.setTime(20)
        expect((yield* store.expireDue).nextMs).toEqual(Option.some(30))
        expect(yield* store.expireDue).toEqual({ expired: [], nextMs: Option.some(30) })
      }).pipe(Effect.provide(layer))
      const expired = changes.filter((change) => change.state === "expired").map((change) => change.id)
      expect(expired.toSorted()).toEqual(["t10", "t20"])
    })
  )

  it.effect("purges in batches what ended before a time", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        for (const id of ["a", "b", "c", "d"]) yield* store.insert(newTask(id))
        yield* TestClock.setTime(100)
        for (const id of ["a", "b", "c"]) yield* store.end(id, "cancelled")
        expect(yield* store.purge(100, 2)).toBe(0)
        expect(yield* store.purge(101, 2)).toBe(2)
        expect(yield* store.purge(101, 2)).toBe(1)
        expect((yield* rows).map((row) => row.id)).toEqual(["d"])
      })
    )
  )
})
