import { expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, Option } from "effect"
import { maxAttempts } from "../../src/tasks/maxAttempts.ts"
import { TaskSettings } from "../../src/tasks/TaskSettings.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { alice, eventually, newTask, rows, settled } from "./engine.ts"
import { adjust } from "../sql/clock.ts"
import { describeOnEach } from "../sql/engines.ts"
import { becomes, engine, stateOf, succeeds } from "./running.ts"

describeOnEach("the runner", () => {
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
        yield* adjust("1 second")
      }
      yield* becomes("a", "failed")
      expect(runs).toBe(maxAttempts)
      const task = Option.getOrThrow(yield* store.find(alice, "test", "a"))
      expect(task.error).toEqual({ code: "gave_up", message: "the work was started 5 times and never finished" })
    }).pipe(Effect.provide(live))
  })

  it.effect("expires a task at its deadline without a poll, whichever came first", () => {
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
      yield* eventually(rows, (all) => all.every((row) => row["state"] === "succeeded"))
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
