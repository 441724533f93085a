import { describe, expect, it } from "@effect/vitest"
import { priceRecord } from "../../src/admin/PriceRecord.ts"
import { priceFactorAt } from "../../src/catalogue/prices/priceFactor.ts"
import { costOf } from "../../src/ledger/cost.ts"
import { fromUsd, priceFromText, withFactor } from "../../src/ledger/Price.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"

describe("the factor of listed prices", () => {
  const factorOf = (upstream: object, model: string) =>
    priceFactorAt({ upstreams: { u: upstream } }, { upstream: "u", model })
  const at = (base_url: string) => ({ protocol: "openai-responses", base_url }) as const
  const vertex = (region: string) => ({ provider: "vertex", project: "p", region })

  it.each([
    ["nowhere in particular", at("https://api.openai.com/v1"), "gpt-5.4", 1],
    ["a region of OpenAI's", at("https://us.api.openai.com/v1"), "gpt-5.4", 1.1],
    ["the other one, with a snapshot", at("https://eu.api.openai.com/v1"), "gpt-6-sol-2026-09-01", 1.1],
    ["a model that costs the same there", at("https://us.api.openai.com/v1"), "gpt-5.3", 1],
    ["a host that only ends like it", at("https://us.api.openai.com.evil.dev/v1"), "gpt-5.4", 1],
    ["xAI's region", at("https://us.api.x.ai/v1"), "grok-4.7", 1.1],
    ["Vertex, where everywhere is the same", vertex("global"), "claude-opus-5", 1],
    ["Vertex in a region", vertex("us-east5"), "claude-opus-5@20260301", 1.1],
    ["Vertex in several of one continent", vertex("eu"), "claude-sonnet-4-5@20250929", 1.1],
    ["an older Claude", vertex("us-east5"), "claude-3-haiku@20240307", 1],
    ["an older Gemini", vertex("europe-west1"), "gemini-2.5-pro", 1],
    ["a newer one", vertex("europe-west1"), "gemini-3.8-flash", 1.1],
    ["what the entry says", { ...at("https://us.api.openai.com/v1"), price_factor: 0.9 }, "gpt-5.4", 0.9]
  ])("is that of its host: %s", (_, upstream, model, expected) => {
    expect(factorOf(upstream, model)).toBe(expected)
  })

  it("is of rates of tokens alone, beside the price's own, and stands in the text of a row", () => {
    const price = withFactor(fromUsd({ input: 1, per_search: 0.01, factor: 1.1 }), 1.1)
    const used = { ...noUsage, inputTokens: 1_000_000, searches: 1 }
    expect(costOf(price, used)).toBe(1_220_000_000)
    expect(costOf(priceFromText(price.text), used)).toBe(1_220_000_000)
    expect(withFactor(price, 1)).toBe(price)
    const { cached_input, input, per_search } = priceRecord(price)
    expect([input, cached_input, per_search]).toEqual([1.21, 1.21, 0.01])
  })

  it("is that of a video's tokens too", () => {
    const price = withFactor(fromUsd({ output: { "720p": 2, "1080p": 4 } }), 0.5)
    expect(costOf(price, { ...noUsage, outputTokens: 1_000_000 })).toBe(2_000_000_000)
  })
})
