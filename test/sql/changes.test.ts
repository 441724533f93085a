import { SqlError } from "@effect/sql/SqlError"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { Changes } from "../../src/sql/Changes.ts"
import { layer } from "../../src/sql/Database.ts"

const live = Changes.Default.pipe(Layer.provideMerge(layer({ url: "sqlite::memory:", exclusive: true })))

describe("changes", () => {
  it.effect("are heard by every listener within 250 ms, once each", () =>
    Effect.gen(function* () {
      const changes = yield* Changes
      const heard: Array<string> = []
      for (const name of ["one", "other"]) yield* changes.listen(Effect.sync(() => heard.push(name)))
      yield* changes.tell
      yield* TestClock.adjust("250 millis")
      expect(heard).toEqual(["one", "other"])
      yield* TestClock.adjust("10 seconds")
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
      yield* TestClock.adjust("250 millis")
      expect(heard).toBe(0)
      expect(others).toBeGreaterThan(0)
      failing = false
      yield* TestClock.adjust("250 millis")
      expect(heard).toBe(1)
    }).pipe(Effect.provide(live))
  )
})
