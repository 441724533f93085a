import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Runtime } from "effect"
import * as Eager from "../../src/contract/eager.ts"
import { Pending } from "../../src/contract/Pending.ts"
import { running } from "../../src/contract/running.ts"

/** Work whose end the test says. */
class Work extends Pending<number, string> {
  abandoned = 0

  says(end: Effect.Effect<number, string>): void {
    this.end(end)
  }

  protected override abandon(): void {
    this.abandoned++
  }
}

/** What an effect comes to by plain calls; undefined while it is under way. */
const follow = <A, E>(effect: Effect.Effect<A, E>) => {
  const ends: Array<Exit.Exit<A, E>> = []
  const work = running(Runtime.defaultRuntime, effect)
  work.hear((exit) => ends.push(exit))
  return { ends, interrupt: () => work.interrupt() }
}

describe("work under way", () => {
  it("goes on at once when it ends, with all that follows", () => {
    const work = new Work()
    const log: Array<string> = []
    const { ends } = follow(
      Eager.matchCauseEffect(
        Eager.flatMap(
          Eager.map(work, (n) => n + 1),
          (n) => (n > 1 ? Effect.succeed(n) : Effect.fail("small"))
        ),
        {
          onSuccess: (n) => {
            log.push("ok")
            return Effect.succeed(n * 10)
          },
          onFailure: (cause) => {
            log.push(Cause.pretty(cause))
            return Effect.succeed(0)
          }
        }
      )
    )
    expect(ends).toEqual([])
    work.says(Effect.succeed(1))
    expect(ends).toEqual([Exit.succeed(20)])
    work.says(Effect.succeed(7))
    expect([ends.length, log, work.abandoned]).toEqual([1, ["ok"], 0])
  })

  it("may be followed by more work, which is waited for and interrupted in its place", () => {
    const [first, second] = [new Work(), new Work()]
    const whole = Eager.map(
      Eager.flatMap(first, () => second),
      (n) => n + 1
    )
    const { ends, interrupt } = follow(
      Eager.matchCauseEffect(whole, {
        onSuccess: (n) => Effect.succeed(String(n)),
        onFailure: (cause) => Effect.succeed(Cause.isInterruptedOnly(cause) ? "interrupted" : "failed")
      })
    )
    first.says(Effect.succeed(1))
    expect(ends).toEqual([])
    interrupt()
    expect(ends).toEqual([Exit.succeed("interrupted")])
    expect([first.abandoned, second.abandoned]).toEqual([0, 1])
    interrupt()
    second.says(Effect.succeed(1))
    expect([ends.length, second.abandoned]).toEqual([1, 1])
  })

  it("may be followed by what needs a fiber, and by what throws", async () => {
    const [work, other] = [new Work(), new Work()]
    const { ends } = follow(Eager.catchAll(work, (error) => Effect.as(Effect.sleep("1 millis"), error.length)))
    work.says(Effect.fail("four"))
    await expect.poll(() => ends).toEqual([Exit.succeed(4)])
    const thrown = follow(
      Eager.map(other, () => {
        throw new Error("a defect")
      })
    )
    other.says(Effect.succeed(1))
    expect(thrown.ends.map(Exit.isFailure)).toEqual([true])
  })

  it.effect("is an effect like any other in a fiber, whose interruption stops it", () =>
    Effect.gen(function* () {
      const work = new Work()
      const fiber = yield* Effect.fork(Effect.uninterruptible(Eager.map(work, (n) => n + 1)))
      yield* Effect.yieldNow()
      work.says(Effect.succeed(1))
      expect(yield* Fiber.join(fiber)).toBe(2)

      const left = new Work()
      let heard: Cause.Cause<string> | undefined
      const leaving = yield* Effect.fork(
        Effect.uninterruptible(
          Eager.matchCauseEffect(left, {
            onSuccess: Effect.succeed,
            onFailure: (cause) => {
              heard = cause
              return Effect.failCause(cause)
            }
          })
        )
      )
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(leaving)
      expect(left.abandoned).toBe(1)
      expect(heard !== undefined && Cause.isInterruptedOnly(heard)).toBe(true)
    })
  )

  it.effect("that has ended by then is its end", () =>
    Effect.gen(function* () {
      const work = new Work()
      const more = Eager.map(work, (n) => n + 1)
      work.says(Effect.succeed(1))
      expect(yield* more).toBe(2)
      expect(yield* Eager.map(more, (n) => n + 1)).toBe(3)
    })
  )
})
