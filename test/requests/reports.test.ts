import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { jsonOf } from "../../src/contract/records/Written.ts"
import { Reports } from "../../src/requests/Reports.ts"
import { Connections } from "../../src/sql/Connections.ts"

/** Waits until every fiber has run as far as it can. */
const settled = Effect.repeatN(Effect.yieldNow(), 20)

/** Begins reports that run until they are ended. */
const begun = Effect.gen(function* () {
  const { ofKey } = yield* Reports
  const running: Array<string> = []
  const begin = Effect.fnUntraced(function* (key: string, name: string) {
    const end = yield* Deferred.make<void>()
    const fiber = yield* Effect.fork(
      ofKey(
        key,
        Effect.zipRight(
          Effect.sync(() => void running.push(name)),
          Deferred.await(end)
        )
      )
    )
    yield* settled
    return { fiber, end: Effect.zipRight(Deferred.succeed(end, undefined), Fiber.join(fiber)) }
  })
  return { running, begin }
})

const withPool = (connections: number | undefined) =>
  Reports.Default.pipe(Layer.provide(Layer.succeed(Connections, connections)))

describe("reports", () => {
  it.effect("run two of a key, four of all; the others wait in order, and one that is left makes room", () =>
    Effect.gen(function* () {
      const { begin, running } = yield* begun
      const first = yield* begin("a", "a1")
      yield* begin("a", "a2")
      const left = yield* begin("a", "a3")
      yield* begin("a", "a4")
      yield* begin("b", "b1")
      const last = yield* begin("c", "c1")
      yield* begin("d", "d1")
      yield* begin("b", "b2")
      expect(running).toEqual(["a1", "a2", "b1", "c1"])
      yield* Fiber.interrupt(left.fiber)
      yield* last.end
      yield* settled
      expect(running).toEqual(["a1", "a2", "b1", "c1", "d1"])
      yield* first.end
      yield* settled
      // Those of another key came first.
      expect(running.slice(5)).toEqual(["b2"])
    }).pipe(Effect.provide(withPool(undefined)))
  )

  it.effect("take half of a pool at most", () =>
    Effect.gen(function* () {
      const { begin, running } = yield* begun
      for (const key of ["a", "b", "c"]) yield* begin(key, key)
      expect(running).toEqual(["a", "b"])
    }).pipe(Effect.provide(withPool(5)))
  )

  it.effect("write long pages in turns of the event loop", () =>
    Effect.gen(function* () {
      const { ofKey } = yield* Reports
      const page = { object: "list", data: Array.from({ length: 500 }, (_, n) => ({ n })), next: null }
      const text = JSON.stringify(page)
      const written = yield* ofKey("a", Effect.succeed(page))
      // It has been written: what changes now is not.
      page.data.length = 0
      expect(jsonOf(written)).toBe(text)
    }).pipe(Effect.provide(withPool(undefined)))
  )
})
