import { expect, it } from "@effect/vitest"
import { Begun } from "../../src/flow/Begun.ts"
import type { Settled } from "../../src/flow/Begun.ts"
import { together } from "../../src/flow/together.ts"
import { Underway } from "../../src/flow/Underway.ts"

class Work extends Underway<string, string> {
  isStopped = false
  finish(end: Settled<string, string>): void {
    this.end(end)
  }
  protected override abandon(): void {
    this.isStopped = true
  }
}

const nobody = () => {
  throw new Error("nothing is lost")
}

it("comes to all that its parts come to, in their order", () => {
  const [one, other] = [new Work(), new Work()]
  const both = together([one, other], nobody)
  other.finish(Begun.succeed("b"))
  expect(both.settled).toBeUndefined()
  one.finish(Begun.succeed("a"))
  expect(both.settled).toMatchObject({ value: ["a", "b"] })
  expect(together([Begun.succeed(1), Begun.succeed(2)], nobody).settled).toMatchObject({ value: [1, 2] })
})

it("fails with the first failure, and lets go of what was and what comes", () => {
  const lost: Array<string> = []
  const [early, failing, late] = [new Work(), new Work(), new Work()]
  const all = together([early, failing, late], (value) => lost.push(value))
  early.finish(Begun.succeed("early"))
  failing.finish(Begun.fail("no"))
  expect(all.settled).toMatchObject(Begun.fail("no"))
  expect([lost, late.isStopped]).toEqual([["early"], true])
})

it("stops all of it when it is interrupted", () => {
  const lost: Array<string> = []
  const [early, other] = [new Work(), new Work()]
  const all = together([early, other], (value) => lost.push(value))
  early.finish(Begun.succeed("early"))
  all.interrupt()
  expect([lost, other.isStopped, all.settled !== undefined]).toEqual([["early"], true, true])
})
