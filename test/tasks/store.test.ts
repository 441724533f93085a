import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Exit, Option, TestClock } from "effect"
import { NotFound } from "../../src/contract/Failure.ts"
import { Leases } from "../../src/tasks/store/Leases.ts"
import { TaskStore } from "../../src/tasks/store/TaskStore.ts"
import { alice, bob, newTask, rows, stores } from "./engine.ts"
import { describeOnEach } from "../sql/engines.ts"

const run = <A, E>(body: Effect.Effect<A, E, TaskStore | Leases | SqlClient.SqlClient>) =>
  Effect.provide(body, stores().layer)

const missing = (id: string) => new NotFound({ message: `no ${id}`, param: null })

describeOnEach("the task store", ({ name }) => {
  // A reader of Postgres may have begun before a change that was committed before the reader is done.
  const keeps = name === "sqlite"

  it.effect("shows a task to its account and kind alone", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        yield* store.insert(newTask("a"))
        expect(Option.isSome(yield* store.find(alice, "test", "a"))).toBe(true)
        expect(yield* store.find(bob, "test", "a")).toEqual(Option.none())
        expect(yield* store.find(alice, "other", "a")).toEqual(Option.none())
        expect(yield* store.find(alice, "test", "b")).toEqual(Option.none())
      })
    )
  )

  it.effect("shows of a damaged task what can be read, and that it has failed where what it came to is lost", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        const leases = yield* Leases
        const sql = yield* SqlClient.SqlClient
        const found = (id: string) => Effect.map(store.find(alice, "test", id), Option.getOrUndefined)
        for (const id of ["waits", "lost", "kept"]) yield* store.insert(newTask(id))
        for (const held of yield* leases.claim("test:m", 3)) {
          if (held.task.id === "waits") continue
          yield* leases.settle(held, { patch: { state: "succeeded", result: { a: 1 } }, againInMs: 0 })
        }
        yield* sql`UPDATE tasks SET details = 'oops'`
        yield* sql`UPDATE tasks SET result = 'oops' WHERE id = 'lost'`
        expect(yield* found("waits")).toMatchObject({
          id: "waits",
          account: alice,
          state: "queued",
          details: {},
          error: null
        })
        expect(yield* found("kept")).toMatchObject({ state: "succeeded", result: { a: 1 }, endedAtMs: 0 })
        const error = { code: "gave_up", message: expect.stringContaining("can't be read any more") }
        expect(yield* found("lost")).toMatchObject({ state: "failed", result: null, error })
        expect(yield* store.find(bob, "test", "lost")).toEqual(Option.none())
        yield* sql`UPDATE tasks SET state = 'dancing', changes = 0 WHERE id = 'kept'`
        expect(yield* found("kept")).toMatchObject({ state: "failed", result: null, error })
      })
    )
  )

  it.effect("shows a kept task as it is: after every change, to its owner alone, and not once it is gone", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        const leases = yield* Leases
        const read = store.reader("test", ({ details, result, state }) => ({ details, result, state }), missing)
        const isKept = Effect.sync(() => Exit.isExit(read(alice, "a")))
        const seen = Effect.map(read(alice, "a"), ({ state }) => state)
        expect(yield* Effect.flip(read(alice, "a"))).toEqual(missing("a"))
        yield* store.insert(newTask("a"))
        expect(yield* seen).toBe("queued")
        expect(yield* isKept).toBe(keeps)
        expect(yield* Effect.flip(read(bob, "a"))).toEqual(missing("a"))

        const [held] = yield* leases.claim("test:m", 1)
        if (held === undefined) return expect.fail("nothing was claimed")
        yield* leases.write(held, { state: "running" })
        expect(yield* isKept).toBe(false)
        expect(yield* seen).toBe("running")
        yield* leases.write(held, { details: { new: true } })
        expect((yield* read(alice, "a")).details).toEqual({ new: true })
        yield* leases.settle(held, { patch: { state: "succeeded", result: 7 }, againInMs: 0 })
        expect((yield* read(alice, "a")).result).toBe(7)
        expect(yield* isKept).toBe(keeps)
        yield* store.remove(alice, "test", "a")
        expect(yield* Effect.flip(read(alice, "a"))).toEqual(missing("a"))

        yield* store.insert(newTask("b"))
        yield* read(alice, "b")
        yield* store.end("b", "cancelled")
        expect((yield* read(alice, "b")).state).toBe("cancelled")
        yield* store.purge(Number.MAX_SAFE_INTEGER, 10)
        expect(yield* Effect.flip(read(alice, "b"))).toEqual(missing("b"))
      })
    )
  )

  it.effect("never shows less than a reader has been told, however reads and changes meet", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        const read = store.reader("test", ({ state }) => ({ state }), missing)
        for (let n = 0; n < 50; n++) {
          const id = `t${n}`
          yield* store.insert(newTask(id))
          const reads = Effect.forEach(Array.from({ length: 20 }), () =>
            Effect.zipLeft(
              Effect.suspend(() => read(alice, id)),
              Effect.yieldNow()
            )
          )
          const told = Effect.zipRight(
            store.end(id, "cancelled"),
            Effect.suspend(() => read(alice, id))
          )
          const [, after] = yield* Effect.all([reads, told, reads], { concurrency: "unbounded" })
          expect(after).toEqual({ state: "cancelled" })
        }
      })
    )
  )

  it.effect("keeps no task whose transaction failed beside it", () =>
    Effect.gen(function* () {
      const { changes, layer } = stores()
      yield* Effect.gen(function* () {
        const store = yield* TaskStore
        expect(yield* Effect.flip(store.insert(newTask("a"), Effect.fail("no balance")))).toBe("no balance")
        expect(yield* rows).toEqual([])
      }).pipe(Effect.provide(layer))
      expect(changes).toEqual([])
    })
  )

  it.effect("lists newest first, filtered and in pages, with the total", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        for (let at = 1; at <= 5; at++) {
          yield* store.insert(newTask(`t${at}`, { createdAtMs: at, model: at % 2 === 0 ? "even" : "odd" }))
        }
        yield* store.insert(newTask("x", { account: bob, createdAtMs: 3 }))
        yield* store.end("t5", "failed", { error: { code: "c", message: "m" } })
        const page = { account: alice, kind: "test", sinceMs: 2, offset: 0, limit: 2 }
        const ids = (found: { total: number; tasks: ReadonlyArray<{ id: string }> }) => [
          found.total,
          ...found.tasks.map((task) => task.id)
        ]
        expect(ids(yield* store.list(page))).toEqual([4, "t5", "t4"])
        expect(ids(yield* store.list({ ...page, offset: 2 }))).toEqual([4, "t3", "t2"])
        expect(ids(yield* store.list({ ...page, offset: 90 }))).toEqual([4])
        expect(ids(yield* store.list({ ...page, states: ["failed"] }))).toEqual([1, "t5"])
        expect(ids(yield* store.list({ ...page, model: "even" }))).toEqual([2, "t4", "t2"])
        expect(ids(yield* store.list({ ...page, ids: ["t2", "t3", "x"] }))).toEqual([2, "t3", "t2"])
        expect(ids(yield* store.list({ ...page, tier: "flex" }))).toEqual([0])
      })
    )
  )

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

  it.effect("expires what is late and lists what is there, whatever another task's row holds", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        const sql = yield* SqlClient.SqlClient
        for (const at of [10, 20]) yield* store.insert(newTask(`t${at}`, { expiresAtMs: at }))
        yield* sql`UPDATE tasks SET details = 'oops' WHERE id = 't10'`
        yield* TestClock.setTime(20)
        expect((yield* store.expireDue).expired.map((task) => task.id)).toEqual(["t20"])
        expect((yield* rows).map((row) => row["state"])).toEqual(["expired", "expired"])
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
        expect((yield* rows).map((row) => row["id"])).toEqual(["d"])
      })
    )
  )
})
