import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { DeliveryStore } from "../../../src/callbacks/store/DeliveryStore.ts"
import { TaskStore } from "../../../src/tasks/TaskStore.ts"
import { callbacks, createTask, storage } from "../../callbacks/world.ts"
import { describeOnEach } from "../../sql/engines.ts"
import { newTask, stores } from "../../tasks/engine.ts"

describeOnEach("what a process had that is gone", ({ name }) => {
  it.effect("of tasks is another's, which counts that it died over them", () =>
    Effect.gen(function* () {
      const store = yield* TaskStore
      yield* store.insert(newTask("a"))
      yield* Effect.flatMap(TaskStore, (gone) => gone.claim("test:m", 1)).pipe(
        Effect.provide(Layer.fresh(TaskStore.Default))
      )
      yield* store.takeOver
      expect((yield* store.claim("test:m", 1)).map(({ task }) => task.attempts)).toEqual([1])
    }).pipe(Effect.provide(stores().layer))
  )

  it.effect("of callbacks is another's", () => {
    const process = callbacks.pipe(Layer.provideMerge(storage("handed on")))
    return Effect.gen(function* () {
      const store = yield* DeliveryStore
      yield* createTask("t1", "https://receiver.test/hook")
      const claim = Effect.flatMap(DeliveryStore, (gone) => gone.claim("receiver.test", 1))
      expect(yield* Effect.provide(claim, Layer.fresh(process))).toHaveLength(1)
      yield* store.takeOver
      expect(yield* claim).toHaveLength(1)
    }).pipe(Effect.provide(process))
  })

  if (name === "postgres") {
    it.effect("is not added to by one that was buried", () =>
      Effect.gen(function* () {
        const store = yield* TaskStore
        yield* store.insert(newTask("a"))
        yield* (yield* SqlClient.SqlClient)`DELETE FROM nodes`
        expect(yield* store.claim("test:m", 1)).toEqual([])
      }).pipe(Effect.provide(stores().layer))
    )
  }
})
