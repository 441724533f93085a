import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, HashMap, Logger, Option, Scope, TestClock } from "effect"
import type { Duration } from "effect"
import { Daemons } from "../../src/flow/Daemons.ts"
import { daemon } from "../../src/flow/daemon.ts"
import { backoff, everySecond } from "../../src/flow/schedules.ts"

/** A pass that does as it is told, and how often it ran. */
const obedient = (waits: Duration.DurationInput = "1 hour") => {
  const state = { runs: 0, does: Effect.void as Effect.Effect<void, string> }
  const pass = Effect.suspend(() => {
    state.runs++
    return Effect.as(state.does, Effect.sleep(waits))
  })
  return { state, pass }
}

const failing = Effect.flatMap(Daemons, (daemons) =>
  Effect.map(daemons.failing, (some) => some.map(({ name }) => name))
)

describe("a daemon", () => {
  it.scoped("runs a pass, waits for what that answered, and runs the next", () =>
    Effect.gen(function* () {
      const { pass, state } = obedient()
      yield* daemon("sweeper", pass, everySecond)
      yield* TestClock.adjust("1 second")
      expect(state.runs).toBe(1)
      yield* TestClock.adjust("2 hours")
      expect(state.runs).toBe(3)
      expect(yield* failing).toEqual([])
    }).pipe(Effect.provide(Daemons.Default))
  )

  it.scoped.each([
    { after: "a failure", broken: Effect.fail("no") },
    { after: "a defect", broken: Effect.die(new Error("broken")) },
    { after: "the interruption of something it waited for", broken: Effect.interrupt }
  ])("comes back after $after, and is known to fail once it has for 5 s", ({ broken }) =>
    Effect.gen(function* () {
      const { pass, state } = obedient()
      state.does = broken
      yield* daemon("sweeper", pass, everySecond)
      yield* daemon("other", obedient().pass, everySecond)
      yield* TestClock.adjust("4900 millis")
      expect(state.runs).toBe(5)
      expect(yield* failing).toEqual([])
      yield* TestClock.adjust("100 millis")
      expect(yield* failing).toEqual(["sweeper"])
      state.does = Effect.void
      yield* TestClock.adjust("1 second")
      // Well as soon as its work is done, though it now waits for an hour.
      expect(yield* failing).toEqual([])
      const { runs } = state
      yield* TestClock.adjust("1 hour")
      expect(state.runs).toBe(runs + 1)
    }).pipe(Effect.provide(Daemons.Default))
  )

  it.scoped("begins its schedule anew once it has recovered", () =>
    Effect.gen(function* () {
      const { pass, state } = obedient("1 minute")
      state.does = Effect.fail("no")
      yield* daemon("sweeper", pass, backoff)
      yield* TestClock.adjust("10 minutes")
      state.does = Effect.void
      yield* TestClock.adjust("30 seconds")
      state.does = Effect.fail("no")
      const { runs } = state
      while (state.runs === runs) yield* TestClock.adjust("1 second")
      yield* TestClock.adjust("1 second")
      expect(state.runs).toBeGreaterThan(runs + 1)
    }).pipe(Effect.provide(Daemons.Default))
  )

  it.scoped("says in the log which it is and why, as a field", () => {
    const lines: Array<{ readonly daemon: unknown; readonly event: unknown; readonly text: string }> = []
    const gathered = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ annotations, cause, message }) => {
        const noted = (name: string) => Option.getOrUndefined(HashMap.get(annotations, name))
        lines.push({ daemon: noted("daemon"), event: noted("event"), text: `${String(message)} ${String(cause)}` })
      })
    )
    return Effect.gen(function* () {
      const { pass, state } = obedient()
      state.does = Effect.die(new Error("the disk is on fire"))
      yield* daemon("sweeper", pass, everySecond)
      yield* TestClock.adjust("500 millis")
      state.does = Effect.void
      yield* TestClock.adjust("1 second")
      expect(lines).toMatchObject([
        { daemon: "sweeper", event: "daemon.failed", text: expect.stringContaining("the disk is on fire") },
        { daemon: "sweeper", event: "daemon.recovered" }
      ])
    }).pipe(Effect.provide([Daemons.Default, gathered]))
  })

  it.effect("lives as long as its scope, and is forgotten with it", () =>
    Effect.gen(function* () {
      const daemons = yield* Daemons
      const { pass, state } = obedient()
      state.does = Effect.fail("no")
      const scope = yield* Scope.make()
      yield* Scope.extend(daemon("sweeper", pass, everySecond), scope)
      yield* TestClock.adjust("10 seconds")
      expect(yield* failing).toEqual(["sweeper"])
      yield* Scope.close(scope, Exit.void)
      const { runs } = state
      yield* TestClock.adjust("10 seconds")
      expect(state.runs).toBe(runs)
      expect([...daemons.all()]).toEqual([])
    }).pipe(Effect.provide(Daemons.Default))
  )

  it.scoped("is none of another gateway's", () =>
    Effect.gen(function* () {
      const { pass, state } = obedient()
      state.does = Effect.fail("no")
      yield* Effect.provide(
        Effect.gen(function* () {
          yield* daemon("sweeper", pass, everySecond)
          yield* TestClock.adjust("10 seconds")
          expect(yield* failing).toEqual(["sweeper"])
        }),
        Daemons.Default
      )
      expect(yield* Effect.provide(failing, Daemons.Default)).toEqual([])
    })
  )
})
