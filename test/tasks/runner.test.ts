import { describe, expect, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Layer, Option, Ref, TestClock } from "effect"
import { endOfTurn, isBusy } from "../../src/http/turn.ts"
import { Leases } from "../../src/tasks/Leases.ts"
import type { TaskKind } from "../../src/tasks/TaskKind.ts"
import { maxAttempts, TaskRunnerLive } from "../../src/tasks/TaskRunner.ts"
import { TaskSettings } from "../../src/tasks/TaskSettings.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { alice, eventually, kind, newTask, rows, settled, stores } from "./engine.ts"

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

describe("the runner", () => {
  it.effect("runs a new task at once, without its clock moving", () => {
    const { changes, live } = engine({ run: () => Effect.succeed(succeeds) })
    return Effect.gen(function* () {
      yield* Effect.flatMap(TaskStore, (store) => store.insert(newTask("a")))
      yield* becomes("a", "succeeded")
      expect(changes.map((change) => change.state)).toEqual(["queued", "succeeded"])
    }).pipe(Effect.provide(live))
  })

  it.live(
    "begins few turns at a time while callers keep the server busy, and comes to an end of them all the same",
    () => {
      let begun = 0
      const { live } = engine({ parallel: 1_000, run: () => Effect.sync(() => (begun++, succeeds)) })
      return Effect.gen(function* () {
        const store = yield* TaskStore
        let answeredAt = performance.now()
        let longestMs = 0
        const answering = setInterval(() => {
          longestMs = Math.max(longestMs, performance.now() - answeredAt)
          answeredAt = performance.now()
          for (let answers = 0; answers < 8; answers++) void endOfTurn()
        }, 5)
        yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(answering)))
        yield* eventually(Effect.sync(isBusy), (busy) => busy)
        yield* Effect.forEach(Array.from({ length: 100 }), (_, n) => store.insert(newTask(`t${n}`)), {
          concurrency: "unbounded"
        })
        yield* Effect.sleep("100 millis")
        // Where the machine itself gave this process no time, nobody was kept busy either.
        if (longestMs < 40) expect(begun).toBeLessThan(64)
        yield* Effect.sleep("100 millis").pipe(Effect.repeat({ until: () => begun === 100 }))
        yield* eventually(store.active, (active) => active === 0)
      }).pipe(Effect.scoped, Effect.timeout("10 seconds"), Effect.provide(live))
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
      yield* TestClock.adjust("9 seconds")
      yield* eventually(rows, (all) => all[0]?.["lease_token"] === null)
      expect(turns).toBe(1)
      yield* TestClock.adjust("1 second")
      yield* eventually(
        Effect.sync(() => turns),
        (seen) => seen === 2
      )
      yield* eventually(rows, (all) => all[0]?.["lease_token"] === null)
      yield* TestClock.adjust("10 seconds")
      yield* becomes("a", "succeeded")
    }).pipe(Effect.provide(live))
  })

  it.effect("keeps the lease of a turn that takes longer than one", () => {
    const { live } = engine({ run: () => Effect.as(Effect.sleep("5 minutes"), succeeds) })
    return Effect.gen(function* () {
      const leases = yield* Leases
      yield* Effect.flatMap(TaskStore, (store) => store.insert(newTask("a")))
      yield* eventually(rows, (all) => all[0]?.["lease_token"] !== null)
      for (let at = 0; at < 300_000; at += leaseMs / 3) {
        const [row] = yield* rows
        yield* TestClock.adjust(leaseMs / 3)
        yield* eventually(rows, (all) => all[0]?.["next_run_at"] !== row?.["next_run_at"])
        expect(yield* leases.oldestExpiredLeaseMs).toBe(0)
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
        expect([row?.["lease_token"], row?.["attempts"], row?.["state"]]).toEqual([null, 0, "queued"])
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("takes over the tasks of a process that died, at once, and counts it", () => {
    const seen: Array<number> = []
    const { layer } = engine({
      run: (lease) => Effect.sync(() => (seen.push(lease.task.attempts), succeeds))
    })
    return Effect.gen(function* () {
      yield* Effect.flatMap(TaskStore, (store) => store.insert(newTask("a")))
      // Another process's leases: made again, with an owner of its own.
      yield* Effect.flatMap(Leases, (leases) => leases.claim("test:m", 1)).pipe(Effect.provide(Leases.Default))
      yield* becomes("a", "succeeded").pipe(Effect.provide(TaskRunnerLive))
      expect(seen).toEqual([1])
    }).pipe(Effect.provide(layer))
  })

  it.effect("gives up a task that crashed its worker five times, with a reason", () => {
    let runs = 0
    const { live } = engine({
      run: () => Effect.sync(() => runs++).pipe(Effect.zipRight(Effect.dieMessage("boom")))
    })
    return Effect.gen(function* () {
      const store = yield* TaskStore
      yield* store.insert(newTask("a"))
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        yield* eventually(rows, (all) => all[0]?.["attempts"] === attempt)
        yield* TestClock.adjust("1 second")
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
      yield* eventually(rows, (all) => all.every((row) => row["lease_token"] === null))
      yield* TestClock.adjust(30_499)
      yield* settled
      expect(yield* stateOf("soon")).toBe("queued")
      yield* TestClock.adjust(1)
      yield* becomes("soon", "expired")
      yield* TestClock.adjust(31_000)
      yield* becomes("late", "expired")
      expect((yield* rows).map((row) => row["ended_at"])).toEqual([61_500, 30_500])
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
      yield* eventually(rows, (all) => all[0]?.["upstream_id"] === "u")
      yield* TestClock.adjust("1 second")
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
      yield* eventually(rows, (all) => all.every((row) => row["state"] === "succeeded"))
      yield* TestClock.adjust("2 minutes")
      yield* settled
      expect(yield* rows).toHaveLength(150)
      for (let step = 0; step < 3; step++) {
        yield* TestClock.adjust("30 seconds")
        yield* settled
      }
      yield* eventually(rows, (all) => all.length === 0)
    }).pipe(Effect.provide(live.pipe(Layer.provide(Layer.succeed(TaskSettings, { retention: Duration.minutes(2) })))))
  })

  it.effect("keeps ended tasks for seven days unless told otherwise", () =>
    Effect.map(TaskSettings, (settings) => expect(Duration.toDays(settings.retention)).toBe(7))
  )
})
