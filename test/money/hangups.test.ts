import { expect, it } from "@effect/vitest"
import { hangUps } from "./hangups.ts"

const total = 400

it(`clients that hang up at random moments leave a usage row each, ${total} times, and no hold`, async () => {
  const result = await hangUps(total)
  expect(result).toMatchObject({ unpaid: 0, unasked: 0, paidTwice: 0, mispriced: 0, stuckHolds: 0, drift: 0 })
  expect(result.usageRows).toBeGreaterThan(total * 0.8)
  expect(result.undelivered).toBeGreaterThan(total / 20)
})
