import { expect, it } from "@effect/vitest"
import { Future } from "../../src/flow/Future.ts"
import type { Settled } from "../../src/flow/Future.ts"
import { allFutures } from "../../src/flow/allFutures.ts"
import { PendingFuture } from "../../src/flow/PendingFuture.ts"

class Work extends PendingFuture<string, string> {
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
  const both = allFutures([one, other], nobody)
  other.finish(Future.succeed("b"))
  expect(both.settled).toBeUndefined()
  one.finish(Future.succeed("a"))
  expect(both.settled).toMatchObject({ value: ["a", "b"] })
  expect(allFutures([Future.succeed(1), Future.succeed(2)], nobody).settled).toMatchObject({ value: [1, 2] })
})

it("fails with the first failure, and lets go of what was and what comes", () => {
  const lost: Array<string> = []
  const [early, failing, late] = [new Work(), new Work(), new Work()]
  const all = allFutures([early, failing, late], (value) => lost.push(value))
  early.finish(Future.succeed("early"))
  failing.finish(Future.fail("no"))
  expect(all.settled).toMatchObject(Future.fail("no"))
  expect([lost, late.isStopped]).toEqual([["early"], true])
})

it("stops all of it when it is interrupted", () => {
  const lost: Array<string> = []
  const [early, other] = [new Work(), new Work()]
  const all = allFutures([early, other], (value) => lost.push(value))
  early.finish(Future.succeed("early"))
  all.interrupt()
  expect([lost, other.isStopped, all.settled !== undefined]).toEqual([["early"], true, true])
})
