import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { costOf, mostOf } from "../../src/ledger/cost.ts"
import type { MostUsage } from "../../src/ledger/cost.ts"
import { fromUsd } from "../../src/ledger/Price.ts"

const usd = (nano: number): number => nano / 1e9
const million = 1_000_000
const text = { audio: 0, image: 0, video: 0 }
const plain: MostUsage = {
  inputTokens: 0,
  outputTokens: 0,
  searches: 0,
  modal: text,
  writesSound: false,
  cachesLong: false
}

describe("the most that a request costs", () => {
  const steps = fromUsd({ input: 2.5, output: 15, above: { "100000": { input: 5, output: 22.5 } } })

  it.each([
    ["well below the step", 98_000, 2.5 * 0.098 + 15],
    ["near it: two per cent more pass it", 98_040, 5 * 0.09804 + 22.5],
    ["at it", 100_000, 5 * 0.1 + 22.5],
    ["above it", 100_001, 5 * 0.100001 + 22.5]
  ])("counts an input %s", (_, inputTokens, expected) => {
    expect(usd(mostOf(steps, { ...plain, inputTokens, outputTokens: million }))).toBeCloseTo(expected, 9)
  })

  it("is that of the lower step where it is the dearer one", () => {
    const falling = fromUsd({ input: 5, output: 10, above: { "1000": { input: 1, output: 20 } } })
    expect(usd(mostOf(falling, { ...plain, inputTokens: million, outputTokens: million }))).toBe(25)
  })

  const cached = fromUsd({ input: 1, cached_input: 0.1, cache_write: 1.25, cache_write_1h: 2, cache_write_12h: 2.5 })
  it("has the rates of long caches only where a ttl asks for one", () => {
    expect(usd(mostOf(cached, { ...plain, inputTokens: million }))).toBe(1.25)
    expect(usd(mostOf(cached, { ...plain, inputTokens: million, cachesLong: true }))).toBe(2.5)
  })

  const modal = fromUsd({
    input: 2,
    output: 10,
    audio: { input: 32, output: 64 },
    image: { input: 4, cached_input: 5 }
  })
  it.each([
    ["text alone", { modal: text }, 2],
    ["a tenth of it sound", { modal: { ...text, audio: million / 10 } }, 0.9 * 2 + 3.2],
    ["images, which cost more from the cache", { modal: { ...text, image: million / 2 } }, 1 + 2.5],
    ["more of it than there is", { modal: { ...text, audio: 2 * million } }, 32],
    ["parts of which nothing is known", {}, 32]
  ])("has the rates of each modality: %s", (_, more, expected) => {
    const { modal: __, ...unknown } = plain
    expect(usd(mostOf(modal, { ...unknown, inputTokens: million, ...more }))).toBeCloseTo(expected, 9)
  })

  it("has the rate of sound for all of the output, where the answer may have any", () => {
    expect(usd(mostOf(modal, { ...plain, outputTokens: million }))).toBe(10)
    expect(usd(mostOf(modal, { ...plain, outputTokens: million, writesSound: true }))).toBe(64)
  })

  const rate = fc.nat(50_000).map((n) => n / 1_000)
  const rates = fc.record({
    input: rate,
    cached_input: rate,
    cache_write: rate,
    cache_write_1h: rate,
    output: rate,
    reasoning: rate
  })
  const priced = fc
    .record({
      base: rates,
      above: fc.tuple(fc.integer({ min: 1, max: 200_000 }), rates),
      audio: fc.record({ input: rate, cached_input: rate, output: rate }),
      priority: fc.oneof(rate, rates),
      us: fc.integer({ min: 10, max: 30 }).map((n) => n / 10),
      factor: fc.integer({ min: 5, max: 15 }).map((n) => n / 10)
    })
    .map(({ above: [step, higher], audio, base, factor, priority, us }) =>
      fromUsd({
        ...base,
        audio,
        factor,
        above: { [step]: higher },
        service_tier: { priority },
        inference_geo: { us }
      })
    )
  const parts = fc.record({
    input: fc.nat(200_000),
    read: fc.nat(50_000),
    written: fc.nat(50_000),
    hour: fc.nat(50_000),
    output: fc.nat(50_000),
    reasoning: fc.nat(50_000),
    audioIn: fc.nat(50_000),
    audioOut: fc.nat(50_000),
    tier: fc.constantFrom(undefined, "priority"),
    geo: fc.constantFrom(undefined, "us", "global")
  })

  it("is never below the cost of what it allows", () => {
    fc.assert(
      fc.property(priced, parts, fc.boolean(), fc.boolean(), (price, used, writesSound, cachesLong) => {
        const { audioIn, audioOut, geo, hour, input, output, read, reasoning, tier, written } = used
        const served = { ...(tier !== undefined && { tier }), ...(geo !== undefined && { geo }) }
        const most = mostOf(price, {
          inputTokens: input + read + written,
          outputTokens: output,
          searches: 0,
          modal: { ...text, audio: audioIn },
          writesSound,
          cachesLong,
          served
        })
        const cost = costOf(price, {
          ...noUsage,
          inputTokens: input,
          cacheReadTokens: read,
          cacheWriteTokens: written,
          outputTokens: output,
          reasoningTokens: reasoning,
          audioInputTokens: audioIn,
          served,
          ...(cachesLong && { cacheWriteHourTokens: hour }),
          ...(writesSound && { audioOutputTokens: audioOut })
        })
        return cost <= most
      }),
      { numRuns: 1_000 }
    )
  })
})
