import { afterAll, beforeAll, expect, it } from "vitest"
import { caseCount } from "../caseCount.ts"
import { startPlaces } from "./ask.ts"
import { counterexamples } from "./generated.ts"
import { tried } from "./places.ts"

let here: Awaited<ReturnType<typeof startPlaces>>

beforeAll(async () => {
  here = await startPlaces()
})
afterAll(() => here.stop())

// `bun run test:long places generated` asks 2,000 of each.
it.each(["messages", "chat", "responses"] as const)(
  "a place takes what is made of any request of %s, or the caller is told before",
  { timeout: 300_000 },
  async (family) => {
    for (const place of Object.keys(tried)) {
      expect(await counterexamples(here, family, place, caseCount(20))).toEqual([])
    }
  }
)
