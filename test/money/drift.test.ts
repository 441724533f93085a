import { describe, expect, it } from "@effect/vitest"
import { drift } from "./drift.ts"

describe("a gateway that is killed under traffic", () => {
  it("has charged what it answered, once, and holds nothing for what is over", async () => {
    const result = await drift(4)
    console.log(result)
    expect(result).toMatchObject({ unpaid: 0, paidTwice: 0, stuckHolds: 0, overdrawn: 0, differing: 0, wrongSums: [] })
    expect(result.answered).toBeGreaterThan(10)
  })
})
