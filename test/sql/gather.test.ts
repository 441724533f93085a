import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Scope, TestClock } from "effect"
import { Daemons } from "../../src/flow/Daemons.ts"
import { makeGather } from "../../src/sql/Gather.ts"
import type { BatchEnded, Doubtful } from "../../src/sql/Gather.ts"

/** A gatherer of words, whose batches the test ends. */
const words = Effect.gen(function* () {
  const waiting: Array<string> = []
  const sent: Array<ReadonlyArray<string>> = []
  let end: BatchEnded = () => {}
  let doubt: Doubtful = () => {}
  const gather = yield* makeGather(
    "words",
    () => (waiting.length === 0 ? undefined : "this turn"),
    (ended, doubtful) => {
      sent.push(waiting.splice(0, 2))
      end = ended
      doubt = doubtful
    }
  )
  const add = (...some: ReadonlyArray<string>) => {
    waiting.push(...some)
    gather.wake()
  }
  return { add, waiting, sent, gather, end: (cause?: Cause.Cause<unknown>) => end(cause), doubt: () => doubt(broken) }
})

/** The same, whose last batch ends with the test. */
const endedWords = Effect.tap(words, ({ end, waiting }) =>
  Effect.addFinalizer(() =>
    Effect.sync(() => {
      waiting.length = 0
      end()
    })
  )
)

const broken = Cause.fail("broken")
const oneTurn = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 5)))
const isFailing = Effect.map(Daemons, (daemons) => [...daemons.all()].some((one) => one.failingSince !== undefined))

describe("what is gathered", () => {
  it.scoped("goes in one batch of a turn, and one batch at a time", () =>
    Effect.gen(function* () {
      const { add, end, sent } = yield* endedWords
      yield* oneTurn
      add("a")
      add("b")
      expect(sent).toEqual([])
      yield* oneTurn
      add("c")
      yield* oneTurn
      expect(sent).toEqual([["a", "b"]])
      end()
      yield* oneTurn
      expect(sent).toEqual([["a", "b"], ["c"]])
    }).pipe(Effect.provide(Daemons.Default))
  )

  it.scoped("waits for a second after a failure, which readiness learns; a flush does not", () =>
    Effect.gen(function* () {
      const { add, end, gather, sent, waiting } = yield* endedWords
      yield* oneTurn
      add("a")
      yield* oneTurn
      waiting.push("a")
      end(broken)
      yield* oneTurn
      expect(sent).toHaveLength(1)
      expect(yield* isFailing).toBe(true)
      const flushed = yield* Effect.fork(gather.flush(1))
      yield* oneTurn
      expect(sent).toEqual([["a"], ["a"]])
      waiting.push("a")
      end(broken)
      yield* Fiber.join(flushed)
      yield* TestClock.adjust("2 seconds")
      yield* oneTurn
      expect(sent).toHaveLength(3)
      end()
      yield* oneTurn
      expect(yield* isFailing).toBe(false)
      add("b")
      yield* oneTurn
      expect(sent).toHaveLength(4)
    }).pipe(Effect.provide(Daemons.Default))
  )

  it.scoped("is not followed by another batch while its outcome is unknown, and a flush does not wait for it", () =>
    Effect.gen(function* () {
      const { add, doubt, end, gather, sent } = yield* endedWords
      yield* oneTurn
      add("a")
      yield* oneTurn
      const flushed = yield* Effect.fork(gather.flush(1))
      yield* oneTurn
      doubt()
      yield* Fiber.join(flushed)
      add("b")
      yield* TestClock.adjust("2 seconds")
      yield* oneTurn
      expect(sent).toEqual([["a"]])
      expect(yield* isFailing).toBe(true)
      end()
      yield* oneTurn
      expect(yield* isFailing).toBe(false)
      expect(sent).toEqual([["a"], ["b"]])
    }).pipe(Effect.provide(Daemons.Default))
  )

  it.scoped("is flushed in as many batches as were asked for, not for ever", () =>
    Effect.gen(function* () {
      const { end, gather, sent, waiting } = yield* endedWords
      yield* oneTurn
      waiting.push("a", "b", "c", "d", "e", "f")
      const flushed = yield* Effect.fork(gather.flush(2))
      yield* oneTurn
      end()
      yield* oneTurn
      expect(yield* Fiber.poll(flushed)).toMatchObject({ _tag: "None" })
      end()
      yield* Fiber.join(flushed)
      expect(sent.slice(0, 2)).toEqual([
        ["a", "b"],
        ["c", "d"]
      ])
    }).pipe(Effect.provide(Daemons.Default))
  )

  it.effect("is waited for when the scope closes, unless its outcome can't be found out", () =>
    Effect.gen(function* () {
      for (const way of ["ended", "in doubt"] as const) {
        const scope = yield* Scope.make()
        const { add, doubt, end } = yield* Scope.extend(words, scope)
        yield* oneTurn
        add("a")
        yield* oneTurn
        const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
        yield* oneTurn
        expect(yield* Fiber.poll(closing)).toMatchObject({ _tag: "None" })
        if (way === "ended") end()
        else doubt()
        yield* Fiber.join(closing)
      }
    }).pipe(Effect.provide(Daemons.Default))
  )
})
