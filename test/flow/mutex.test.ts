import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { Mutex } from "../../src/flow/Mutex.ts"

it.effect("a turn is one's at a time, of plain code and of fibers in the order in which they came", () =>
  Effect.gen(function* () {
    const turn = new Mutex()
    const order: Array<string> = []
    expect(turn.tryTake()).toBe(true)
    expect(turn.tryTake()).toBe(false)
    const gate = yield* Deferred.make<void>()
    const first = yield* Effect.fork(
      turn.whole(
        Effect.zipRight(
          Effect.sync(() => order.push("first")),
          gate
        )
      )
    )
    yield* Effect.yieldNow()
    const second = yield* Effect.fork(turn.whole(Effect.sync(() => order.push("second"))))
    yield* Effect.yieldNow()
    expect(order).toEqual([])
    turn.give()
    yield* Effect.yieldNow()
    expect(order).toEqual(["first"])
    expect(turn.tryTake()).toBe(false)
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(first)
    yield* Fiber.join(second)
    expect(order).toEqual(["first", "second"])
    expect(turn.tryTake()).toBe(true)
  })
)

it.effect("a turn is given back whatever becomes of what has it", () =>
  Effect.gen(function* () {
    const turn = new Mutex()
    expect(Exit.isFailure(yield* Effect.exit(turn.whole(Effect.fail("no"))))).toBe(true)
    expect(Exit.isFailure(yield* Effect.exit(turn.whole(Effect.die("broken"))))).toBe(true)
    expect(turn.tryTake()).toBe(true)
  })
)

it.effect("a waiting fiber may be interrupted, also just when it gets the turn", () =>
  Effect.gen(function* () {
    const turn = new Mutex()
    const order: Array<string> = []
    expect(turn.tryTake()).toBe(true)
    const [first, second, third] = yield* Effect.forEach(["first", "second", "third"], (name) =>
      Effect.fork(turn.whole(Effect.sync(() => order.push(name))))
    )
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(first!)
    turn.give()
    yield* Fiber.interrupt(second!)
    yield* Fiber.join(third!)
    expect(order).not.toContain("first")
    expect(order.at(-1)).toBe("third")
    expect(turn.tryTake()).toBe(true)
  })
)
