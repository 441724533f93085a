import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { PlainWork } from "../../src/flow/PlainWork.ts"
import type { Ended } from "../../src/flow/PlainWork.ts"

/** A piece of plain work that is under way, and what became of it. */
const underWay = () => {
  const work = new PlainWork<string>()
  const overs: Array<boolean> = []
  let ended: Ended<string> = () => {}
  const hasBegun = work.begin(
    (told) => {
      ended = told
      return true
    },
    (isLeft) => overs.push(isLeft)
  )
  return { work, overs, hasBegun, end: (left?: Effect.Effect<void, string>) => ended(left) }
}

it.effect("what plain code could not end is the fiber's, once", () =>
  Effect.gen(function* () {
    const { end, hasBegun, overs, work } = underWay()
    expect([hasBegun, work.isUnderWay]).toEqual([true, true])
    end(Effect.fail("the rest"))
    expect([overs, work.isUnderWay]).toEqual([[true], false])
    expect(yield* Effect.flip(work.leftOr(Effect.void))).toBe("the rest")
    yield* work.leftOr(Effect.void)
  })
)

it.effect("what could not begin leaves nothing", () =>
  Effect.gen(function* () {
    const work = new PlainWork()
    expect(
      work.begin(
        () => false,
        () => expect.unreachable()
      )
    ).toBe(false)
    expect(work.isUnderWay).toBe(false)
    yield* work.end
  })
)

it.effect("once the fiber has ended, what is under way is waited for, and what is left is done", () =>
  Effect.gen(function* () {
    const { end, overs, work } = underWay()
    const ran: Array<string> = []
    const ending = yield* Effect.fork(work.end)
    yield* Effect.yieldNow()
    expect(ending.unsafePoll()).toBe(null)
    end(
      Effect.zipRight(
        Effect.sync(() => ran.push("the rest")),
        Effect.fail("and it fails")
      )
    )
    yield* Fiber.join(ending)
    expect(ran).toEqual(["the rest"])
    // The fiber has ended.
    expect(overs).toEqual([])
  })
)
