import { describe, expect, it } from "@effect/vitest"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { costOf, mostOf } from "../../src/ledger/cost.ts"
import { fromUsd, priceAs, priceFromText } from "../../src/ledger/Price.ts"
import { cases } from "../prices/cases.ts"

const usage = { ...noUsage, inputTokens: 1_000_000, outputTokens: 1_000_000 }
const usd = (nano: number) => nano / 1e9

describe("a price by the hour", () => {
  const price = fromUsd({
    input: 2,
    hours: [
      { utc: ["22:00-02:00", "04:00-06:00"], factor: 0.5 },
      { days: ["sat"], factor: 0.25 }
    ]
  })
  it.each([
    ["the first minute of a span", "2026-11-25T04:00:00Z", 1],
    ["the minute in which it ends", "2026-11-25T06:00:00Z", 2],
    ["before midnight", "2026-11-25T23:59:00Z", 1],
    ["after midnight", "2026-11-26T01:59:59Z", 1],
    ["the end of a night", "2026-11-26T02:00:00Z", 2],
    ["a day of the week, where no span matches first", "2026-11-28T12:00:00Z", 0.5],
    ["the first that matches", "2026-11-28T05:00:00Z", 1]
  ])("%s", (_, at, expected) => {
    expect(usd(costOf(price, usage, Date.parse(at)))).toBe(expected)
  })

  it("is read again from the text of a task's hold: midnight, Sunday and a factor of nothing too", () => {
    const written = fromUsd({ input: 2, flex: 0, hours: [{ utc: ["00:00-01:00"], days: ["sun"], factor: 0 }] })
    expect(priceFromText(written.text).varying).toEqual(written.varying)
  })

  it("is held at the dearest hour", () => {
    expect(usd(mostOf(price, { inputTokens: 1_000_000, outputTokens: 0, searches: 0 }))).toBe(2)
  })

  it.each(cases.filter(({ arrived }) => arrived !== undefined).map((one) => [one.id, one] as const))("%s", (_, one) => {
    const used = { ...noUsage, inputTokens: 4000, cacheReadTokens: 6000, outputTokens: 2000 }
    expect(costOf(fromUsd(one.price), used, Date.parse(one.arrived ?? ""))).toBe(one.nano_usd)
  })
})

describe("a price by what served", () => {
  const price = fromUsd({
    input: 1,
    output: 10,
    flex: 0.5,
    service_tier: { priority: 2, batch: { input: 0.25, output: 2.5, above: { "1000": { input: 0.5, output: 3 } } } },
    speed: { fast: 3 },
    inference_geo: { us: 1.1 },
    factor: 1.1
  })
  it.each([
    ["plain", undefined, 12.1],
    ["OpenAI's word for plain", { tier: "default" }, 12.1],
    ["flex", { tier: "flex" }, 6.05],
    ["fast is priority", { tier: "fast" }, 24.2],
    ["in capitals", { tier: "PRIORITY" }, 24.2],
    ["rates of its own, with its own step", { tier: "batch" }, 3.85],
    ["all at once", { tier: "priority", speed: "fast", geo: "us" }, 79.86],
    ["a tier without a price costs as the dearest", { tier: "scale" }, 24.2],
    ["the name of a member of every object is no tier", { tier: "constructor", speed: "__proto__" }, 72.6]
  ])("%s", (_, served, expected) => {
    expect(usd(costOf(price, { ...usage, ...(served && { served }) }))).toBe(expected)
  })

  it("names what has no price of its own", () => {
    expect(priceAs(price, { tier: "scale" }, 0).gap).toBe("service_tier=scale")
    expect(priceAs(price, { tier: "fast" }, 0).gap).toBeUndefined()
  })

  it("is explained by the text of its row, and read again from the text of a task's hold", () => {
    const served = { tier: "priority", geo: "us" }
    const applied = priceAs(price, served, 0).price
    expect(JSON.parse(applied.text)).toMatchObject({
      rates: { input: 2_420_000_000, output: 24_200_000_000 },
      factors: [
        { of: "service_tier", value: "priority", factor: 2 },
        { of: "inference_geo", value: "us", factor: 1.1 },
        { of: "factor", factor: 1.1 }
      ]
    })
    expect(costOf(priceFromText(applied.text), usage)).toBe(costOf(price, { ...usage, served }))
    expect(costOf(priceFromText(price.text), { ...usage, served })).toBe(costOf(price, { ...usage, served }))
  })

  it("is held for the tier that is asked for, at the dearest place unless one is named", () => {
    const most = { inputTokens: 1_000_000, outputTokens: 0, searches: 0 }
    expect(usd(mostOf(price, most))).toBe(1.21)
    expect(usd(mostOf(price, { ...most, served: { tier: "flex" } }))).toBe(0.605)
    expect(usd(mostOf(price, { ...most, served: { tier: "priority", geo: "global" } }))).toBe(2.2)
  })
})
