import { expect, it } from "@effect/vitest"
import { SeenTiers } from "../../src/routing/SeenTiers.ts"

const dayMs = 86_400_000
const route = { upstream: "openai", model: "gpt-5.6", key: "a" }

it("remembers the tier of a key and a model for a day after it was last seen", () => {
  const seen = new SeenTiers()
  seen.note(route, "Priority", 1_000)
  expect(seen.at(route, 1_000)).toBe("priority")
  expect([seen.at({ ...route, key: "b" }, 1_000), seen.at({ ...route, model: "gpt-5" }, 1_000)]).toEqual([
    undefined,
    undefined
  ])
  seen.note(route, "priority", dayMs)
  expect(seen.all(dayMs)).toEqual([{ ...route, tier: "priority", sinceMs: 1_000, lastMs: dayMs }])
  expect(seen.at(route, 2 * dayMs - 1)).toBe("priority")
  expect([seen.at(route, 2 * dayMs), seen.all(2 * dayMs)]).toEqual([undefined, []])
})

it("remembers the last thousand of them, and little of each", () => {
  const seen = new SeenTiers()
  for (let n = 0; n < 5_000; n++) seen.note({ upstream: "u", model: `m${n}` }, "x".repeat(10_000), n)
  const all = seen.all(5_000)
  expect(all.length).toBeLessThanOrEqual(1_000)
  expect(Math.max(...all.map(({ tier }) => tier.length))).toBe(40)
  expect(seen.at({ upstream: "u", model: "m4999" }, 5_000)).toBeDefined()
})
