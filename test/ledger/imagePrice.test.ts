import { expect, it } from "@effect/vitest"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { costOf, mostOf } from "../../src/ledger/cost.ts"
import { fromUsd, priceFromText, priceAs } from "../../src/ledger/Price.ts"

const price = fromUsd({
  per_image: { "high/1024x1024": 0.167, "high/*": 0.25, "low/*": 0.011, "*/256x256": 0.016, "*": 0.042 }
})
const free = { ...noUsage, images: 3 }

it.each([
  ["high/1024x1024", 0.167],
  ["high/1536x1024", 0.25],
  ["low/1024x1024", 0.011],
  // A row of the quality counts before one of the size.
  ["low/256x256", 0.011],
  ["medium/256x256", 0.016],
  ["medium/1024x1024", 0.042],
  // Whatever it may be.
  ["auto/1024x1024", 0.167],
  ["high/auto", 0.25],
  ["auto/auto", 0.25],
  ["constructor/toString", 0.042]
])("prices an image of %s", (image, usd) => {
  const nano = Math.round(usd * 3e9)
  expect(costOf(price, { ...free, served: { image } })).toBe(nano)
  expect(mostOf(price, { inputTokens: 0, outputTokens: 0, searches: 0, images: 3, served: { image } })).toBe(nano)
  // The stored text has the price as it applied.
  const applied = priceAs(price, { image }, undefined).price
  expect(costOf(priceFromText(applied.text), free)).toBe(nano)
  expect(costOf(priceFromText(price.text), { ...free, served: { image } })).toBe(nano)
})

it("prices what no row names, or what nobody tells, as the dearest", () => {
  const rows = fromUsd({ per_image: { "high/1024x1024": 0.1, "low/1024x1024": 0.02 } })
  expect(costOf(rows, { ...noUsage, images: 1, served: { image: "low/512x512" } })).toBe(100_000_000)
  expect(costOf(rows, { ...noUsage, images: 1 })).toBe(100_000_000)
  expect(costOf(rows, { ...noUsage, images: 1, served: { image: "auto/1024x1024" } })).toBe(100_000_000)
})
