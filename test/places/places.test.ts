import { expect, it } from "vitest"
import { askAll } from "./ask.ts"
import { brokenRules, isToldBefore } from "./callersOwn.ts"

// Every seventh of 25,000 requests: of each kind some, of each place some. `bun run test:long places` asks all.
it("no place refuses what the gateway sends", { timeout: 300_000 }, async () => {
  const { asked, unanswered } = await askAll({ every: 7 })
  const refused = unanswered.flatMap((one) =>
    brokenRules(one).map((rule) => `${one.place} refuses "${one.kind}" of ${one.family} to ${one.model}: ${rule}`)
  )
  expect(refused).toEqual([])
  expect(asked).toBeGreaterThan(3_000)
})

it("what the gateway refuses by itself names a field", { timeout: 300_000 }, async () => {
  const { unanswered } = await askAll({ place: "bedrock-converse", family: "chat", every: 5 })
  const unclear = unanswered.filter((one) => one.rules.length === 0 && !isToldBefore(one))
  expect(unclear).toEqual([])
  expect(unanswered.length).toBeGreaterThan(5)
})
