import { expect, it } from "@effect/vitest"
import { killGateway } from "./killing.ts"

it(
  "the real gateway, killed again and again, loses nothing, submits and pays once, and calls back",
  { timeout: 240_000 },
  async () => {
    const { counts, mustBeZero, recoveries, words } = await killGateway(8)
    expect(words).toEqual([])
    expect(Object.entries(mustBeZero).filter(([, count]) => count !== 0)).toEqual([])
    expect(counts["tasks accepted"]).toBeGreaterThan(20)
    // The longest wait after a kill is the one of tasks that have seen several.
    for (const ms of recoveries) expect(ms).toBeLessThan(5_000)
  }
)
