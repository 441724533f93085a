import { expect, it } from "vitest"
import { killGateway } from "../faults/killing.ts"
import { keeps } from "./keeps.ts"

it("what a killed gateway held is taken up within 5 s of the next one's start", () =>
  keeps("the longest wait after five kills", 5_000, async () => {
    const { counts, mustBeZero, recoveries, words } = await killGateway(5)
    expect(words).toEqual([])
    expect(Object.entries(mustBeZero).filter(([, count]) => count !== 0)).toEqual([])
    expect(counts["tasks accepted"]).toBeGreaterThan(10)
    // It is the one of tasks that have seen several kills.
    return Math.max(...recoveries)
  }))
