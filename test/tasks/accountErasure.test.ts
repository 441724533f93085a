import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { Erasure } from "../../src/admin/store/Erasure.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { UnitOfWork } from "../../src/tasks/UnitOfWork.ts"
import { alice, bob, describeOnEachStore, newTask, rows, stores } from "./engine.ts"

const run = <A, E>(body: Effect.Effect<A, E, Erasure | SqlClient.SqlClient | TaskStore | UnitOfWork>) =>
  Effect.provide(body, Layer.provideMerge(Layer.merge(Erasure.Default, UnitOfWork.Default), stores().layer))

describeOnEachStore("the erasure of an account", () => {
  it.effect("removes all of its tasks, in every state and batch, and no other's", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        const erasure = yield* Erasure
        const sql = yield* SqlClient.SqlClient
        const ids = Array.from({ length: 501 }, (_, n) => `a${n}`)
        yield* Effect.forEach(ids, (id) => store.insert(newTask(id)), { concurrency: "unbounded", discard: true })
        yield* store.insert(newTask("b", { account: bob }))
        yield* store.end("a0", "cancelled")
        const [held] = yield* store.claim("test:m", 1)
        for (const task of ["a0", "b"]) {
          yield* sql`INSERT INTO custody ${sql.insert({ task_id: task, part: "video", name: task, source: "s", begun_at: 0, due_at: 9 })}`
        }

        expect(yield* erasure.erase(alice)).toMatchObject({ tasks: 501, files: 1 })
        expect((yield* rows).map(({ id }) => id)).toEqual(["b"])
        expect(yield* store.unfinished(alice)).toBe(0)
        expect(yield* sql`SELECT task_id FROM custody WHERE source IS NULL`).toEqual([{ task_id: "a0" }])
        if (held === undefined) return expect.fail("nothing was claimed")
        expect(yield* Effect.either(store.held(held))).toMatchObject({ left: { _tag: "LeaseLost" } })
        expect(yield* erasure.erase(alice)).toMatchObject({ tasks: 0, files: 0 })
      })
    )
  )

  it.effect("is undone with the unit of work that it is part of", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        const unit = yield* UnitOfWork
        yield* store.insert(newTask("a"))
        const failed = unit.commit(Effect.zipRight(store.erase(alice, 9), Effect.fail("no")))
        expect(yield* Effect.either(failed)).toEqual(Either.left("no"))
        expect((yield* rows).map(({ id }) => id)).toEqual(["a"])
      })
    )
  )
})
