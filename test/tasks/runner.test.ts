import { mkdtempSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { expect, it, vi } from "@effect/vitest"
import { Deferred, Duration, Effect, Layer, Option, Ref } from "effect"
import { endOfTurn, isBusy, nextTurn } from "../../src/flow/eventLoop.ts"
import { DatabaseHealth } from "../../src/sql/DatabaseHealth.ts"
import { Node } from "../../src/cluster/Node.ts"
import { makeMetrics, Metrics } from "../../src/telemetry/Metrics.ts"
import type { TaskKind } from "../../src/tasks/TaskKind.ts"
import { maxAttempts } from "../../src/tasks/maxAttempts.ts"
import { TaskRunnerLive } from "../../src/tasks/TaskRunner.ts"
import { TaskSettings } from "../../src/tasks/TaskSettings.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { alice, bob, describeOnEachStore, eventually, kind, newTask, rows, settled, stores } from "./engine.ts"
import { adjust } from "../sql/clock.ts"

const leaseMs = 30_000

const stateOf = (id: string) =>
  Effect.flatMap(TaskStore, (store) =>
    Effect.map(
      store.find(alice, "test", id),
      Option.match({ onNone: () => "none", onSome: (task) => task.state as string })
    )
  )

const becomes = (id: string, state: string) => eventually(stateOf(id), (seen) => seen === state)

const engine = (over: Partial<TaskKind>, url?: string) => {
  const { changes, layer } = stores({ kinds: [kind(over)], ...(url === undefined ? {} : { url }) })
  return { changes, layer, live: TaskRunnerLive.pipe(Layer.provideMerge(layer)) }
}

const succeeds = { patch: { state: "succeeded", result: { ok: true } }, againInMs: 0 } as const

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

describeOnEachStore("the runner", ({ name, url }) => {
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

  onDatabase?.("sets a task aside whose row nobody can read, counts it, and runs the others", () => {
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
        const active = Effect.map(store.active, (all) => all.reduce((sum, { n }) => sum + n, 0))
        yield* keptBusy
        yield* Effect.forEach(Array.from({ length: 100 }).keys(), (n) => store.insert(newTask(`t${n}`)))
        yield* Effect.repeatN(settled, 5)
        const steps = [begun]
        while (begun < 100) {
          const before = begun
          yield* adjust("50 millis")
          yield* eventually(active, (count) => count === 100 - begun && begun > before)
          yield* Effect.repeatN(settled, 5)
          steps.push(begun - before)
        }
        expect(steps.length).toBeGreaterThan(6)
        expect(Math.max(...steps)).toBeLessThanOrEqual(16)
        yield* eventually(active, (count) => count === 0)
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

  onDatabase?.("takes over the tasks of a process that died, at once, and counts it", () => {
    const seen: Array<number> = []
    const { layer } = engine({
      run: (lease) => Effect.sync(() => (seen.push(lease.task.attempts), succeeds))
    })
    return Effect.gen(function* () {
      yield* Effect.flatMap(TaskStore, (store) => store.insert(newTask("a")))
      // Another process's leases: made again, with an owner of its own.
      yield* Effect.flatMap(TaskStore, (store) => store.claim("test:m", 1)).pipe(Effect.provide(TaskStore.Default))
      yield* becomes("a", "succeeded").pipe(Effect.provide(TaskRunnerLive))
      expect(seen).toEqual([1])
    }).pipe(Effect.provide(layer))
  })

  const amongNodes = name === "postgres" ? it.scoped : undefined
  amongNodes?.("ends its turns when it was taken for dead, which write nothing any more", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const stopped = yield* Deferred.make<void>()
      let runs = 0
      const first = Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
      )
      const { layer, live } = engine({ run: () => (runs++ === 0 ? first : Effect.succeed(succeeds)) })
      yield* Effect.gen(function* () {
        const node = yield* Node
        const sql = yield* SqlClient.SqlClient
        yield* Effect.flatMap(TaskStore, (store) => store.insert(newTask("a")))
        yield* Deferred.await(begun)
        // As another does that finds this one silent for too long.
        const former = node.id()
        yield* Effect.flatMap(Node, ({ bury }) =>
          eventually(
            Effect.zipRight(
              Effect.zipRight(sql`UPDATE nodes SET good_until = 0 WHERE id = ${former}`, bury),
              sql`SELECT id FROM nodes WHERE id = ${former}`
            ),
            ({ length }) => length === 0
          )
        ).pipe(Effect.provide(Layer.fresh(Node.Default)))
        yield* node.renew
        yield* Deferred.await(stopped)
        yield* adjust("5 seconds")
        yield* becomes("a", "succeeded")
        expect((yield* rows)[0]).toMatchObject({ attempts: 0, lease_owner: null })
      }).pipe(Effect.provide(Layer.merge(live, Node.Default).pipe(Layer.provideMerge(layer))))
    })
  )

  amongNodes?.("takes what another node has no room for, and what one leaves that ends, without its clock moving", () =>
    Effect.gen(function* () {
      const at = yield* url
      const begun = yield* Deferred.make<void>()
      const full = engine(
        { parallel: 1, run: () => Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never) },
        at
      )
      const other = engine({ run: () => Effect.succeed(succeeds) }, at)
      yield* Effect.gen(function* () {
        yield* adjust("1 second")
        yield* Effect.gen(function* () {
          const store = yield* TaskStore
          yield* store.insert(newTask("a", { createdAtMs: 1_000 }))
          yield* Deferred.await(begun)
          yield* store.insert(newTask("b", { createdAtMs: 1_000 }))
          yield* becomes("b", "succeeded")
          expect(yield* stateOf("a")).toBe("queued")
        }).pipe(Effect.provide(full.live))
        yield* becomes("a", "succeeded")
      }).pipe(Effect.provide(other.live))
    })
  )

  amongNodes?.("ends a turn whose task another node has ended, without its clock moving", () =>
    Effect.gen(function* () {
      const at = yield* url
      const begun = yield* Deferred.make<void>()
      const stopped = yield* Deferred.make<void>()
      const run = Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
      )
      const { live } = engine({ run: () => run }, at)
      yield* Effect.gen(function* () {
        yield* Effect.flatMap(TaskStore, (store) => store.insert(newTask("a")))
        yield* Deferred.await(begun)
        yield* Effect.flatMap(TaskStore, (store) => store.end("a", "cancelled")).pipe(
          Effect.provide(engine({}, at).layer)
        )
        yield* Deferred.await(stopped)
        expect(yield* stateOf("a")).toBe("cancelled")
      }).pipe(Effect.provide(live))
    })
  )

  it.effect("gives up a task that crashed its worker five times, with a reason", () => {
    let runs = 0
    const { live } = engine({
      run: () => Effect.sync(() => runs++).pipe(Effect.zipRight(Effect.dieMessage("boom")))
    })
    return Effect.gen(function* () {
      const store = yield* TaskStore
      yield* store.insert(newTask("a"))
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        yield* eventually(rows, (all) => all[0]?.attempts === attempt)
        yield* adjust("1 second")
      }
      yield* becomes("a", "failed")
      expect(runs).toBe(maxAttempts)
      const task = Option.getOrThrow(yield* store.find(alice, "test", "a"))
      expect(task.error).toEqual({ code: "gave_up", message: "the work was started 5 times and never finished" })
    }).pipe(Effect.provide(live))
  })

  it.effect("expires a task at its deadline with nobody asking, whichever came first", () => {
    const { live } = engine({ run: () => Effect.succeed({ patch: {}, againInMs: 3_600_000 }) })
    return Effect.gen(function* () {
      const store = yield* TaskStore
      yield* store.insert(newTask("late", { expiresAtMs: 61_500 }))
      yield* store.insert(newTask("soon", { expiresAtMs: 30_500 }))
      yield* eventually(rows, (all) => all.every((row) => row.lease_owner === null))
      yield* adjust(30_499)
      yield* settled
      expect(yield* stateOf("soon")).toBe("queued")
      yield* adjust(1)
      yield* becomes("soon", "expired")
      yield* adjust(31_000)
      yield* becomes("late", "expired")
      expect((yield* rows).map((row) => row.ended_at)).toEqual([61_500, 30_500])
    }).pipe(Effect.provide(live))
  })

  it.effect("asks the upstream to stop what expired there", () => {
    const stopped: Array<string | null> = []
    const { live } = engine({
      run: () => Effect.succeed({ patch: { upstreamId: "u" }, againInMs: 3_600_000 }),
      cancel: (task) => Effect.sync(() => (stopped.push(task.upstreamId), "cancelled" as const))
    })
    return Effect.gen(function* () {
      yield* Effect.flatMap(TaskStore, (store) => store.insert(newTask("a", { expiresAtMs: 1_000 })))
      yield* eventually(rows, (all) => all[0]?.upstream_id === "u")
      yield* adjust("1 second")
      yield* becomes("a", "expired")
      yield* eventually(Effect.succeed(stopped), (all) => all.length > 0)
      expect(stopped).toEqual(["u"])
    }).pipe(Effect.provide(live))
  })

  it.effect("keeps ended tasks for as long as it is told, then removes them all", () => {
    const { live } = engine({ run: () => Effect.succeed(succeeds) })
    return Effect.gen(function* () {
      const store = yield* TaskStore
      for (let n = 0; n < 150; n++) yield* store.insert(newTask(`t${n}`))
      yield* eventually(rows, (all) => all.every((row) => row.state === "succeeded"))
      yield* adjust("2 minutes")
      yield* settled
      expect(yield* rows).toHaveLength(150)
      for (let step = 0; step < 3; step++) {
        yield* adjust("30 seconds")
        yield* settled
      }
      yield* eventually(rows, (all) => all.length === 0)
    }).pipe(Effect.provide(live.pipe(Layer.provide(Layer.succeed(TaskSettings, { retention: Duration.minutes(2) })))))
  })

  it.effect("keeps ended tasks for seven days unless told otherwise", () =>
    Effect.map(TaskSettings, (settings) => expect(Duration.toDays(settings.retention)).toBe(7))
  )
})
