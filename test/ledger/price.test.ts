import { describe, expect, it } from "@effect/vitest"
import type { Usage } from "../../src/generation/GenerationEvent.ts"
import { FastCheck as fc } from "effect"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { covers, free, fromUsd, priceFromText } from "../../src/ledger/Price.ts"
import { costOf, mostOf } from "../../src/ledger/cost.ts"
import { nanoUsd } from "../../src/ledger/nanoUsd.ts"
import { showUsd } from "../../src/contract/text/showUsd.ts"
import type { Price } from "../../src/ledger/Price.ts"
import { billOf } from "../../src/ledger/billOf.ts"

const count = fc.oneof(fc.nat(2_000), fc.nat(2_000_000_000))
const usd = fc.nat(200_000_000).map((n) => n / 1e6)
const prices = fc
  .record({
    input: usd,
    cached_input: usd,
    cache_write: usd,
    cache_write_1h: fc.oneof(fc.constant(undefined), usd),
    output: usd,
    reasoning: usd,
    per_search: usd,
    per_second: usd,
    per_call: fc.record(
      { image_generation: usd, code_interpreter: usd.map((usd) => ({ usd, once: true })) },
      { requiredKeys: [] }
    )
  })
  .map(({ cache_write_1h, ...price }) =>
    fromUsd({ ...price, ...(cache_write_1h === undefined ? {} : { cache_write_1h }) })
  )
const consumptions: fc.Arbitrary<Usage> = fc
  .record({
    inputTokens: count,
    cacheReadTokens: count,
    cacheWriteTokens: count,
    cacheWriteHourTokens: count,
    outputTokens: count,
    reasoningTokens: count,
    searches: fc.nat(20),
    calls: fc.record({ image_generation: fc.nat(40), code_interpreter: fc.nat(3) }),
    videoFrames: fc.nat(400)
  })
  .map((used) => ({ ...used, cacheWriteHourTokens: Math.min(used.cacheWriteHourTokens, used.cacheWriteTokens) }))

/** The definition, in fractions of whole numbers. */
const reference = (price: Price, used: Usage): bigint => {
  const reasoning = Math.min(used.reasoningTokens, used.outputTokens)
  const { cacheWriteHourTokens: forAnHour = 0 } = used
  const parts: Array<readonly [number, number, bigint]> = [
    [used.inputTokens, price.rates.input, 1_000_000n],
    [used.cacheReadTokens, price.rates.cacheRead, 1_000_000n],
    [used.cacheWriteTokens - forAnHour, price.rates.cacheWrite, 1_000_000n],
    [forAnHour, price.rates.cacheWriteHour ?? price.rates.cacheWrite, 1_000_000n],
    [used.outputTokens - reasoning, price.rates.output, 1_000_000n],
    [reasoning, price.rates.reasoning, 1_000_000n],
    [used.searches, price.search, 1n],
    [used.calls?.image_generation ?? 0, price.calls?.image_generation?.nanoUsd ?? 0, 1n],
    [Math.min(1, used.calls?.code_interpreter ?? 0), price.calls?.code_interpreter?.nanoUsd ?? 0, 1n],
    [used.videoFrames ?? 0, price.videoSecond, 24n]
  ]
  const sum = parts.reduce((sum, [n, rate, per]) => sum + (BigInt(n) * BigInt(rate) * 24_000_000n) / per, 0n)
  return (sum + 12_000_000n) / 24_000_000n
}

describe("a request's cost", () => {
  it("is the sum of its kinds, rounded once, half up, to the nano-dollar", () => {
    fc.assert(
      fc.property(prices, consumptions, (price, used) => BigInt(costOf(price, used)) === reference(price, used)),
      { numRuns: 2_000 }
    )
    fc.assert(
      fc.property(prices, consumptions, (price, used) => {
        const text = { ...used, videoFrames: 0 }
        return BigInt(costOf(price, text)) === reference(price, text)
      }),
      { numRuns: 2_000 }
    )
  })

  it("rounds half up", () => {
    const half = fromUsd({ input: 0.0005 })
    expect(costOf(half, { ...noUsage, inputTokens: 1 })).toBe(1)
    expect(costOf(fromUsd({ input: 0.000499 }), { ...noUsage, inputTokens: 1 })).toBe(0)
  })

  it("is what the price list says", () => {
    const price = fromUsd({ input: 1.25, cached_input: 0.125, output: 10, per_search: 0.01 })
    const used = {
      ...noUsage,
      inputTokens: 1_000,
      cacheReadTokens: 1_000,
      outputTokens: 100,
      reasoningTokens: 50,
      searches: 2
    }
    expect(showUsd(costOf(price, used))).toBe("0.022375")
    expect(costOf(fromUsd({ output: 2.5 }), { ...noUsage, outputTokens: 108_000 })).toBe(nanoUsd(0.27))
    expect(costOf(fromUsd({ per_second: 0.1 }), { ...noUsage, videoFrames: 121 })).toBe(504_166_667)
  })

  it("has its own rate for what a cache keeps for an hour, where there is one", () => {
    const used = { ...noUsage, cacheWriteTokens: 3_000, cacheWriteHourTokens: 1_000 }
    const price = fromUsd({ input: 3, cache_write: 3.75, cache_write_1h: 6 })
    expect(showUsd(costOf(price, used))).toBe("0.0135")
    expect(showUsd(costOf(fromUsd({ input: 3, cache_write: 3.75 }), used))).toBe("0.01125")
    expect(showUsd(costOf(fromUsd({ input: 3, cache_write: 3.75, cache_write_1h: 0 }), used))).toBe("0.0075")
    expect(mostOf(price, { inputTokens: 1_000, outputTokens: 0, searches: 0 })).toBe(nanoUsd(0.006))
  })

  it("is the same at a price that was written down", () => {
    fc.assert(
      fc.property(
        prices,
        consumptions,
        (price, used) => costOf(priceFromText(price.text), used) === costOf(price, used)
      )
    )
    // As gateways wrote it that knew no hour.
    const older = priceFromText('{"rates":{"cacheWrite":3750000000}}')
    expect(costOf(older, { ...noUsage, cacheWriteTokens: 2, cacheWriteHourTokens: 1 })).toBe(7_500)
  })

  it("is the same at the text of a row, whatever other models did for the answer", () => {
    const image = fromUsd({ input: 5, image: { input: 8, output: 30 }, service_tier: { priority: 2 } })
    const listed = fromUsd({ input: 1, output: 10, service_tier: { priority: 2 } })
    const price: Price = { ...listed, others: (model) => (model === "gpt-image-2" ? image : undefined) }
    const drawn = { ...noUsage, inputTokens: 50, outputTokens: 4_160, imageOutputTokens: 4_160, model: "gpt-image-2" }
    const besides = [
      { ...drawn, served: { tier: "priority" } },
      { ...noUsage, inputTokens: 7, model: "unknown" }
    ]
    const used = { ...noUsage, inputTokens: 100, served: { tier: "priority" }, besides }
    const row = billOf(price, used, { atMs: 0, estimated: false, heldNanoUsd: () => undefined })
    expect(row.dueNanoUsd).toBe(200_000 + 500_000 + 249_600_000 + 14_000)
    expect(costOf(priceFromText(row.price), used)).toBe(row.dueNanoUsd)
    expect(priceFromText(row.price).others?.("unknown")).toBeUndefined()
    // As gateways wrote it that stored no other prices: they cost as the model itself.
    expect(costOf(priceFromText(listed.text), { ...noUsage, besides: [drawn] })).toBe(50_000 + 41_600_000)
  })

  it("takes the tier of the whole input", () => {
    const price = fromUsd({ input: 3, output: 15 }, [{ above: 200_000, usd: { input: 6, output: 22.5 } }])
    expect(costOf(price, { ...noUsage, inputTokens: 200_000 })).toBe(nanoUsd(0.6))
    expect(costOf(price, { ...noUsage, inputTokens: 100_000, cacheReadTokens: 100_001 })).toBe(1_200_006_000)
  })

  it("has one search at most, where its price is for the answer", () => {
    const price = fromUsd({ per_call: { web_search: { usd: 0.035, once: true } } })
    expect(costOf(price, { ...noUsage, searches: 3 })).toBe(nanoUsd(0.035))
    expect(costOf(price, noUsage)).toBe(0)
    expect(costOf(fromUsd({ per_search: 1, per_call: { web_search: 2 } }), { ...noUsage, searches: 3 })).toBe(
      nanoUsd(6)
    )
  })

  it("counts the generations besides, each in the tier of its own input, rounded with the others", () => {
    const price = fromUsd({ input: 3 }, [{ above: 100, usd: { input: 6 } }])
    const besides = [
      { ...noUsage, inputTokens: 101 },
      { ...noUsage, inputTokens: 60 }
    ]
    expect(costOf(price, { ...noUsage, inputTokens: 60, besides })).toBe(3 * 60_000 + 6 * 101_000 + 3 * 60_000)
    const tiny = fromUsd({ input: 0.0004 })
    const one = { ...noUsage, inputTokens: 1 }
    expect(costOf(tiny, { ...one, besides: [one, one] })).toBe(1)
    const most = { inputTokens: 60, outputTokens: 0, searches: 0 }
    expect(mostOf(price, { ...most, besides: [{ ...most, inputTokens: 101 }] })).toBe(3 * 60_000 + 6 * 101_000)
  })

  it("covers what it has a price for", () => {
    const price = fromUsd({ input: 1, per_search: 0, per_call: { image_generation: 0 } })
    const asked = ["web_search", "image_generation", "file_search", "compaction", "service_tier", "audio"] as const
    expect(asked.map((of) => covers(price, { of, value: of }))).toEqual([true, true, false, true, false, false])
    expect(asked.map((of) => covers(fromUsd({ input: 1 }), { of, value: of }))).toEqual([
      false,
      false,
      false,
      true,
      false,
      false
    ])
  })

  it("covers images of a tool only by a price of tokens, which is all that the tool tells", () => {
    const demand = { of: "image_generation", value: "image_generation", model: "painter" } as const
    const withPainter = (painter: Price) => ({ ...fromUsd({ input: 1 }), others: () => painter })
    const painters = [{ per_image: 0.04 }, { input: 5, image: { output: 30 } }, { input: 5, output: 30 }, {}]
    expect(painters.map((usd) => covers(withPainter(fromUsd(usd)), demand))).toEqual([false, true, true, true])
  })

  it("covers any tier, speed and place of what is free", () => {
    const ofTokens = ["service_tier", "speed", "inference_geo"] as const
    expect(ofTokens.map((of) => covers(free, { of, value: "fast" }))).toEqual([true, true, true])
    expect(covers(free, { of: "image_generation", value: "image_generation" })).toBe(false)
  })

  it("is never above the most it can be", () => {
    fc.assert(
      fc.property(prices, consumptions, (price, all) => {
        const used = { ...all, videoFrames: 0 }
        const inputTokens = used.inputTokens + used.cacheReadTokens + used.cacheWriteTokens
        const { calls = {}, outputTokens, searches } = used
        const most = mostOf(price, { inputTokens, outputTokens, searches, calls })
        return costOf(price, used) <= most
      })
    )
  })

  it("of a free model is nothing", () => {
    expect(fromUsd({ input: 0 }).isFree).toBe(true)
    expect(fromUsd({ cache_write: 0, cache_write_1h: 0 }).isFree).toBe(true)
    expect(costOf(free, { ...noUsage, inputTokens: 5 })).toBe(0)
    expect(free.text).toBe('{"rates":{},"tiers":[]}'.replace(',"tiers":[]', ""))
  })
})
