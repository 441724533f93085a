import { SqlError } from "@effect/sql/SqlError"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Changes } from "../../src/sql/Changes.ts"
import { database, describeOnEach } from "./engines.ts"
import { adjust } from "./clock.ts"

const live = Changes.Default.pipe(Layer.provideMerge(database()))

describeOnEach("changes", () => {
  it.effect("are heard by every listener within 250 ms, once each", () =>
    Effect.gen(function* () {
      const changes = yield* Changes
      const heard: Array<string> = []
      for (const name of ["one", "other"]) yield* changes.listen(Effect.sync(() => heard.push(name)))
      yield* changes.tell
      yield* adjust("250 millis")
      expect(heard).toEqual(["one", "other"])
      yield* adjust("10 seconds")
      expect(heard).toHaveLength(2)
    }).pipe(Effect.provide(live))
  )

  it.effect("are told again where a listener failed, and the others hear of it all the same", () =>
    Effect.gen(function* () {
      const changes = yield* Changes
      let failing = true
      let heard = 0
      let others = 0
      yield* changes.listen(
        Effect.suspend(() => (failing ? new SqlError({ cause: new Error("busy") }) : Effect.sync(() => heard++)))
      )
      yield* changes.listen(Effect.sync(() => others++))
      yield* changes.tell
      yield* adjust("250 millis")
      expect(heard).toBe(0)
      expect(others).toBeGreaterThan(0)
      failing = false
      // A busy Postgres answers later than the clock goes on.
      for (let tries = 0; heard === 0 && tries < 40; tries++) yield* adjust("250 millis")
      expect(heard).toBe(1)
    }).pipe(Effect.provide(live))
  )
})
