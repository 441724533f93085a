import { expect, it } from "@effect/vitest"
import { priceShown } from "../../src/commands/priceShown.ts"
import { fromUsd } from "../../src/ledger/Price.ts"

it("shows the dearest image of several prices as such", () => {
  expect(priceShown(fromUsd({ per_image: 0.04 }))).toBe("$0.04 an image")
  const byKind = fromUsd({ input: 5, per_image: { "high/1024x1024": 0.167, "*": 0.04 } })
  expect(priceShown(byKind)).toBe("$5.00 in, up to $0.167 an image")
})
