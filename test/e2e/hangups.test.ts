import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { messages, startLeaving } from "./leaving.ts"

let world: Awaited<ReturnType<typeof startLeaving>>
beforeAll(async () => {
  world = await startLeaving()
})
afterAll(() => world.dispose())

describe("a client that leaves", () => {
  it("takes its upstream call along, and none of two hundred stays", async () => {
    const { here } = await world.leaveAll(200)
    expect(here.length).toBeGreaterThan(10)
    // Calls that waited in the queue reached no upstream.
    await expect.poll(world.running).toEqual([0, 0])
  })

  it("leaves room for those who stay", async () => {
    const response = await world.post(messages("the last"))
    expect(response.status).toBe(200)
    await response.body?.cancel()
    await world.ended("the last")
  })
})
