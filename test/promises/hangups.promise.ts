import { afterAll, beforeAll, expect, it } from "vitest"
import { startLeaving } from "../e2e/leaving.ts"
import { keeps } from "./keeps.ts"
import { percentile } from "./machine.ts"

let world: Awaited<ReturnType<typeof startLeaving>>
beforeAll(async () => {
  world = await startLeaving()
})
afterAll(() => world.dispose())

it("a client that leaves takes its upstream call along within 100 ms, 99 times of 100", () =>
  keeps("an upstream call after its client left, p99", 100, async () => {
    const { bare, here } = await world.leaveAll(1_000)
    expect(here.length).toBeGreaterThan(300)
    await expect.poll(world.running).toEqual([0, 0])
    // What the machine itself needs is known from clients that leave the upstream.
    return percentile(0.99, here) - percentile(0.99, bare)
  }))
