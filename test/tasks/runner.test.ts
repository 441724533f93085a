import { mkdtempSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { expect, it, vi } from "@effect/vitest"
import { Deferred, Effect, Layer, Ref } from "effect"
import { endOfTurn, isBusy, nextTurn } from "../../src/flow/eventLoop.ts"
import { DatabaseHealth } from "../../src/sql/DatabaseHealth.ts"
import { makeMetrics, Metrics } from "../../src/telemetry/Metrics.ts"
import { TaskRunnerLive } from "../../src/tasks/TaskRunner.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { describeOnEachStore, alice, bob, eventually, newTask, rows, settled } from "./engine.ts"
import { adjust } from "../sql/clock.ts"
import { becomes, engine, stateOf, succeeds } from "./running.ts"

const leaseMs = 30_000

/** The server is busy from here on: so many answers left in one turn, and it stays that moment. */
const keptBusy = Effect.acquireRelease(
  Effect.promise(async () => {
    const now = vi.spyOn(performance, "now").mockReturnValue(performance.now())
    for (let answers = 0; answers < 8; answers++) void endOfTurn()
    await nextTurn()
    expect(isBusy()).toBe(true)
    return now
  }),
  (now) =>
    Effect.promise(() => {
      now.mockRestore()
      void endOfTurn()
      return nextTurn()
    })
)

describeOnEachStore("the runner", ({ name }) => {
  const onDatabase = name === "memory" ? undefined : it.effect

  it.effect("runs a new task at once, without its clock moving", () => {
    const { changes, live } = engine({ run: () => Effect.succeed(succeeds) })
    return Effect.gen(function* () {
      yield* Effect.flatMap(TaskStore, (store) => store.insert(newTask("a")))
      yield* becomes("a", "succeeded")
      // What follows a commit is done here a moment after the database shows it.
      const told = yield* eventually(
        Effect.sync(() => changes.map(({ state }) => state)),
        ({ length }) => length > 1
      )
      expect(told).toEqual(["queued", "succeeded"])
    }).pipe(Effect.provide(live))
  })

  onDatabase?.("sets a task with an unreadable row aside, counts it, and runs the others", () => {
    const { layer } = engine({ run: () => Effect.succeed(succeeds) })
    const metrics = makeMetrics()
    return Effect.gen(function* () {
      const store = yield* TaskStore
      const sql = yield* SqlClient.SqlClient
      yield* Effect.forEach(["bad", "worse", "good"], (id) => store.insert(newTask(id)))
      yield* sql`UPDATE tasks SET details = 'oops' WHERE id = 'bad'`
      yield* sql`UPDATE tasks SET state = 'dancing' WHERE id = 'worse'`
      yield* Layer.launch(TaskRunnerLive).pipe(Effect.forkScoped)
      yield* becomes("good", "succeeded")
      const [bad, , worse] = yield* eventually(
        rows,
        ([one, , other]) => one?.ended_at !== null && other?.ended_at !== null
      )
      expect(bad).toMatchObject({ state: "failed", lease_owner: null, error: { code: "unreadable" } })
      expect(worse).toMatchObject({ state: "failed", lease_owner: null })
      expect(metrics.tasks.of("", "unreadable").value).toBe(2)
      expect(yield* store.active).toEqual([])
      expect(yield* sql`SELECT task_id FROM task_requests`).toEqual([])
    }).pipe(Effect.scoped, Effect.provide(layer), Effect.provideService(Metrics, metrics))
  })

  onDatabase?.("begins nothing while the database's file is away, and goes on when it is back", () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-runner-"))
    const file = join(folder, "tasks.db")
    const { layer } = engine({ run: () => Effect.succeed(succeeds) }, `sqlite:${file}`)
    return Effect.gen(function* () {
      const durability = yield* DatabaseHealth
      const store = yield* TaskStore
      renameSync(file, `${file}.away`)
      yield* durability.watch
      yield* store.insert(newTask("a"))
      yield* settled
      yield* adjust("10 seconds")
      yield* settled
      expect(yield* stateOf("a")).toBe("queued")
      renameSync(`${file}.away`, file)
      yield* durability.watch
      yield* adjust("1 second")
      yield* becomes("a", "succeeded")
    }).pipe(
      Effect.provide(Layer.merge(TaskRunnerLive, DatabaseHealth.Default).pipe(Layer.provideMerge(layer))),
      Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true })))
    )
  })

  it.effect(
    "begins few turns at a time while callers keep the server busy, and comes to an end of them all the same",
    () => {
      let begun = 0
      const { live } = engine({ parallel: 1_000, run: () => Effect.sync(() => (begun++, succeeds)) })
      return Effect.gen(function* () {
        const store = yield* TaskStore
        const claims: Array<{ readonly limit: number; readonly atMs: number }> = []
        const { claim } = store
        vi.spyOn(store, "claim").mockImplementation((lane, limit) => {
          claims.push({ limit, atMs: Date.now() })
          return claim(lane, limit)
        })
        yield* keptBusy
        yield* Effect.forEach(Array.from({ length: 100 }).keys(), (n) => store.insert(newTask(`t${n}`)))
        yield* eventually(store.active, (all) => all.length === 0)
        expect(begun).toBe(100)
        expect(claims.length).toBeGreaterThan(6)
        for (const { limit } of claims) expect(limit).toBeLessThanOrEqual(16)
        const pauses = claims.slice(1).map(({ atMs }, at) => atMs - (claims[at]?.atMs ?? 0))
        // A timer may fire a moment early.
        for (const ms of pauses) expect(ms).toBeGreaterThan(45)
      }).pipe(Effect.scoped, Effect.provide(live))
    }
  )

  it.effect("goes on with a task when its next turn is due, and not before", () => {
    let turns = 0
    const { live } = engine({
      run: () =>
        Effect.sync(() => (++turns < 3 ? { patch: { state: "running" as const }, againInMs: 10_000 } : succeeds))
    })
    return Effect.gen(function* () {
      yield* Effect.flatMap(TaskStore, (store) => store.insert(newTask("a")))
      yield* becomes("a", "running")
      yield* adjust("9 seconds")
      yield* eventually(rows, (all) => all[0]?.lease_owner === null)
      expect(turns).toBe(1)
      yield* adjust("1 second")
      yield* eventually(
        Effect.sync(() => turns),
        (seen) => seen === 2
      )
      yield* eventually(rows, (all) => all[0]?.lease_owner === null)
      yield* adjust("10 seconds")
      yield* becomes("a", "succeeded")
    }).pipe(Effect.provide(live))
  })

  it.effect("keeps the lease of a turn that takes longer than one", () => {
    const { live } = engine({ run: () => Effect.as(Effect.sleep("5 minutes"), succeeds) })
    return Effect.gen(function* () {
      const store = yield* TaskStore
      yield* store.insert(newTask("a"))
      yield* eventually(rows, (all) => all[0]?.lease_owner !== null)
      for (let at = 0; at < 300_000; at += leaseMs / 3) {
        const [row] = yield* rows
        yield* adjust(leaseMs / 3)
        if (name !== "postgres") yield* eventually(rows, (all) => all[0]?.next_run_at !== row?.next_run_at)
        expect(yield* store.oldestExpiredLeaseMs).toBe(0)
      }
      yield* becomes("a", "succeeded")
    }).pipe(Effect.provide(live))
  })

  it.effect("runs no more of a lane at a time than its kind allows, and other lanes beside it", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const now = yield* Ref.make(0)
      const { live } = engine({
        parallel: 2,
        run: (lease) =>
          lease.task.lane === "test:slow"
            ? Ref.update(now, (n) => n + 1).pipe(Effect.zipRight(Deferred.await(gate)), Effect.as(succeeds))
            : Effect.succeed(succeeds)
      })
      yield* Effect.gen(function* () {
        const store = yield* TaskStore
        for (const id of ["a", "b", "c"]) yield* store.insert(newTask(id, { lane: "test:slow" }))
        yield* store.insert(newTask("quick", { lane: "test:quick" }))
        yield* becomes("quick", "succeeded")
        expect(yield* Ref.get(now)).toBe(2)
        yield* Deferred.succeed(gate, undefined)
        for (const id of ["a", "b", "c"]) yield* becomes(id, "succeeded")
      }).pipe(Effect.provide(live))
    })
  )

  it.effect("keeps places for another account's tasks while one account's tasks never end, however many are due", () =>
    Effect.gen(function* () {
      let hanging = 0
      const { live } = engine({
        run: ({ task }) =>
          task.account === alice
            ? Effect.zipRight(
                Effect.sync(() => hanging++),
                Effect.never
              )
            : Effect.succeed(succeeds)
      })
      yield* Effect.gen(function* () {
        const store = yield* TaskStore
        const ended = (id: string) =>
          eventually(rows, (all) => all.some((row) => row["id"] === id && row["state"] === "succeeded"))
        yield* store.insert(newTask("first", { account: bob }))
        yield* ended("first")
        for (let n = 0; n < 30; n++) yield* store.insert(newTask(`hangs${n}`))
        yield* store.insert(newTask("second", { account: bob }))
        yield* ended("second")
        expect(hanging).toBe(7)
      }).pipe(Effect.provide(live))
      expect(hanging).toBe(7)
    })
  )

  it.effect("gives a task back as it is when it is stopped", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const { layer } = engine({ run: () => Effect.zipRight(Deferred.succeed(started, undefined), Effect.never) })
      yield* Effect.gen(function* () {
        yield* Effect.gen(function* () {
          yield* Effect.flatMap(TaskStore, (store) => store.insert(newTask("a")))
          yield* Deferred.await(started)
        }).pipe(Effect.provide(TaskRunnerLive))
        const [row] = yield* rows
        expect([row?.lease_owner, row?.attempts, row?.state]).toEqual([null, 0, "queued"])
      }).pipe(Effect.provide(layer))
    })
  )
})
