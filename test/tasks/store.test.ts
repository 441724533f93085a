import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import { NotFound } from "../../src/contract/failures/Failure.ts"
import { makeTaskReader } from "../../src/tasks/makeTaskReader.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { alice, bob, describeOnEachStore, kind, newTask, rows, stores } from "./engine.ts"

const run = <A, E>(body: Effect.Effect<A, E, TaskStore | SqlClient.SqlClient>) => Effect.provide(body, stores().layer)

const missing = (id: string) => new NotFound({ message: `no ${id}`, param: null })

describeOnEachStore("the task store", ({ name }) => {
  // A reader of Postgres may have begun before a change that was committed before the reader is done.
  const keeps = name !== "postgres"
  const onDatabase = name === "memory" ? undefined : it.effect

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

  onDatabase?.("shows of a damaged task what can be read, and that it has failed where what it came to is lost", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        const sql = yield* SqlClient.SqlClient
        const found = (id: string) => Effect.map(store.find(alice, "test", id), Option.getOrUndefined)
        for (const id of ["waits", "lost", "kept"]) yield* store.insert(newTask(id))
        for (const held of yield* store.claim("test:m", 3)) {
          if (held.task.id === "waits") continue
          yield* store.settle(held, { patch: { state: "succeeded", result: { a: 1 } }, againInMs: 0 })
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
        const error = { code: "gave_up", message: expect.stringContaining("can't be read") }
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
        const read = makeTaskReader(
          store,
          "test",
          ({ details, result, state }) => ({ details, result, state }),
          missing
        )
        const isKept = Effect.sync(() => Exit.isExit(store.read(alice, "test", "a")))
        const seen = Effect.map(read({ account: alice }, "a"), ({ state }) => state)
        expect(yield* Effect.flip(read({ account: alice }, "a"))).toEqual(missing("a"))
        yield* store.insert(newTask("a"))
        expect(yield* seen).toBe("queued")
        expect(yield* isKept).toBe(keeps)
        expect(yield* Effect.flip(read({ account: bob }, "a"))).toEqual(missing("a"))

        const [held] = yield* store.claim("test:m", 1)
        if (held === undefined) return expect.fail("nothing was claimed")
        yield* store.write(held, { state: "running" })
        // A memory has nothing to read.
        expect(yield* isKept).toBe(name === "memory")
        expect(yield* seen).toBe("running")
        yield* store.write(held, { details: { new: true } })
        expect((yield* read({ account: alice }, "a")).details).toEqual({ new: true })
        yield* store.settle(held, { patch: { state: "succeeded", result: 7 }, againInMs: 0 })
        expect((yield* read({ account: alice }, "a")).result).toBe(7)
        expect(yield* isKept).toBe(keeps)
        yield* store.remove(alice, "test", "a")
        expect(yield* Effect.flip(read({ account: alice }, "a"))).toEqual(missing("a"))

        yield* store.insert(newTask("b"))
        yield* read({ account: alice }, "b")
        yield* store.end("b", "cancelled")
        expect((yield* read({ account: alice }, "b")).state).toBe("cancelled")
        yield* store.purge(Number.MAX_SAFE_INTEGER, 10)
        expect(yield* Effect.flip(read({ account: alice }, "b"))).toEqual(missing("b"))
      })
    )
  )

  it.effect("never shows less than a reader has been told, however reads and changes meet", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        const read = makeTaskReader(store, "test", ({ state }) => ({ state }), missing)
        for (let n = 0; n < 50; n++) {
          const id = `t${n}`
          yield* store.insert(newTask(id))
          const reads = Effect.forEach(Array.from({ length: 20 }), () =>
            Effect.zipLeft(
              Effect.suspend(() => read({ account: alice }, id)),
              Effect.yieldNow()
            )
          )
          const told = Effect.zipRight(
            store.end(id, "cancelled"),
            Effect.suspend(() => read({ account: alice }, id))
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

  it.effect("leaves a task as it was where what changes with it fails", () => {
    const { changes, layer } = stores({ kinds: [kind({ changed: () => Effect.dieMessage("no money") })] })
    return Effect.gen(function* () {
      const store = yield* TaskStore
      yield* store.insert(newTask("a"))
      const [held] = yield* store.claim("test:m", 1)
      if (held === undefined) return expect.fail("nothing was claimed")
      const before = yield* rows
      const changed = [
        Effect.asVoid(store.settle(held, { patch: { state: "succeeded", result: 1 }, againInMs: 0 })),
        Effect.asVoid(store.end("a", "cancelled")),
        store.removeHeld(held, { code: "c", message: "m" }, Effect.void)
      ]
      for (const change of changed) expect(Exit.isFailure(yield* Effect.exit(change))).toBe(true)
      expect(yield* rows).toEqual(before)
      yield* store.held(held)
      expect(yield* store.request("a")).toEqual({ say: "a" })
      expect(changes.map(({ state }) => state)).toEqual(["queued"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("amends the result of a task that has succeeded, and erases an account's tasks", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        yield* Effect.forEach(["a", "b"], (id) => store.insert(newTask(id)))
        yield* store.insert(newTask("c", { account: bob }))
        const [held] = yield* store.claim("test:m", 1)
        if (held === undefined) return expect.fail("nothing was claimed")
        expect(yield* store.amend(held.task.id, () => 2)).toBe(false)
        yield* store.settle(held, { patch: { state: "succeeded", result: 1 }, againInMs: 0 })
        expect(yield* store.amend(held.task.id, (one) => [one, 2])).toBe(true)
        const task = yield* store.find(alice, "test", held.task.id)
        expect(Option.map(task, ({ result }) => result)).toEqual(Option.some([1, 2]))

        expect(yield* store.unfinished(alice)).toBe(1)
        expect([...(yield* store.open(["a", "b", "c", "d"]))]).toHaveLength(2)
        expect(yield* store.changedSince(0)).toHaveLength(3)
        expect(yield* store.erase(alice, 1)).toHaveLength(1)
        expect(yield* store.erase(alice, 9)).toHaveLength(1)
        expect((yield* rows).map(({ id }) => id)).toEqual(["c"])
      })
    )
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

  it.effect("sums up tasks of every account, and lists those whose callbacks stand so", () =>
    run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        const callbackUrl = "https://receiver.test/hook"
        yield* store.insert(newTask("silent"))
        yield* store.insert(newTask("told", { callbackUrl, createdAtMs: 1 }))
        yield* store.insert(newTask("others", { callbackUrl, createdAtMs: 2, account: bob }))
        yield* store.insert(newTask("ended", { callbackUrl, createdAtMs: 3 }))
        yield* store.end("ended", "cancelled")
        const all = yield* store.summaries({ sinceMs: 0, limit: 10 })
        expect(all.map(({ callback_state, id }) => [id, callback_state])).toEqual([
          ["ended", null],
          ["others", "waiting"],
          ["told", "waiting"],
          ["silent", null]
        ])
        const waiting = { sinceMs: 0, limit: 10, callback: "waiting" } as const
        expect((yield* store.summaries(waiting)).map(({ id }) => id)).toEqual(["others", "told"])
        expect((yield* store.summaries({ ...waiting, account: alice })).map(({ id }) => id)).toEqual(["told"])
        expect(yield* store.summary("told")).toMatchObject({ id: "told", callback_state: "waiting", request_id: null })
        expect(yield* store.summaries({ sinceMs: 0, limit: 10, callback: "stuck" })).toEqual([])
        yield* store.insert(newTask("follows", { requestId: "req_1", lane: "test:other", details: { progress: 5 } }))
        expect(yield* store.summary("follows")).toMatchObject({ request_id: "req_1" })
        const [held] = yield* store.claim("test:other", 1)
        if (held === undefined) return yield* Effect.dieMessage("nothing is due")
        yield* store.settle(held, { patch: { state: "running", details: { progress: 40 } }, againInMs: 0 })
        expect(yield* store.summary("follows")).toMatchObject({ request_id: "req_1", progress: 40 })
      })
    )
  )

  it.effect("has what belongs to removed tasks removed, where no trigger of the database does it", () => {
    const gone: Array<string> = []
    const { layer } = stores({ kinds: [kind({ removed: (ids) => Effect.sync(() => gone.push(...ids)) })] })
    return Effect.gen(function* () {
      const store = yield* TaskStore
      yield* Effect.forEach(["a", "b", "c"], (id) => store.insert(newTask(id, { account: id === "c" ? bob : alice })))
      yield* store.end("a", "cancelled")
      yield* store.end("b", "cancelled")
      yield* store.remove(alice, "test", "a")
      yield* store.purge(1, 10)
      yield* store.erase("bob", 10)
      expect(yield* rows).toEqual([])
      expect(gone).toEqual(name === "memory" ? ["a", "b", "c"] : [])
    }).pipe(Effect.provide(layer))
  })
})
