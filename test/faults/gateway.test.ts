import { expect, it } from "@effect/vitest"
import { killGateway } from "./killing.ts"

// The short form: `bun run test:long faults:gateway --kills 1000` is the long one.
it("the real gateway, killed again and again, loses nothing, submits and pays once, and calls back", async () => {
  const { counts, mustBeZero, words } = await killGateway(2)
  expect(words).toEqual([])
  expect(Object.entries(mustBeZero).filter(([, count]) => count !== 0)).toEqual([])
  expect(counts["tasks accepted"]).toBeGreaterThan(0)
})
