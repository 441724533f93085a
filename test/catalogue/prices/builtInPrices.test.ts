import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { builtInList } from "../../../src/catalogue/prices/builtInList.ts"
import { Price } from "../../../src/config/sections/Model.ts"
import { noUsage } from "../../../src/generation/GenerationEvent.ts"
import { costOf } from "../../../src/ledger/cost.ts"
import { fromUsd } from "../../../src/ledger/Price.ts"
import { everyVariant } from "../../../src/ledger/variants.ts"
import { cases } from "../../prices/cases.ts"

const find = (model: string, provider?: string) =>
  Effect.map(builtInList, (list) => list.find(model, provider) ?? expect.unreachable(`${model} has no price`))

const decodePrice = Schema.decodeUnknownSync(Price)

/** The providers of the worked prices that have no list of their own. */
const unlisted = new Set(["openrouter"])
/** `factor` is of the place, and 12-hour writes and maps are of no matter for the case. */
const written = cases.filter(({ provider }) => !unlisted.has(provider))

describe("the built-in price", () => {
  it.effect.each(written)("of $model has the rates of the worked price $id", ({ model, price, provider }) =>
    Effect.gen(function* () {
      const { factor: _, ...usd } = decodePrice(price)
      const [own, worked] = [everyVariant(yield* find(model, provider)), everyVariant(fromUsd(usd))]
      expect(own.plain.rates).toMatchObject(worked.plain.rates)
      // Short worked prices leave long input out.
      if (worked.plain.tiers.length > 0) expect(own.plain.tiers).toMatchObject(worked.plain.tiers)
      for (const [name, steps] of worked.named) expect([name, own.named.get(name)]).toMatchObject([name, steps])
    })
  )

  const rate = (model: string, served: object, provider?: string) =>
    Effect.map(find(model, provider), (price) =>
      [{ inputTokens: 1_000_000 }, { cacheReadTokens: 1_000_000 }, { outputTokens: 1_000_000 }].map(
        (one) => costOf({ ...price, tiers: [] }, { ...noUsage, ...one, served }) / 1e9
      )
    )

  it.effect.each([
    ["amazon.nova-micro-v1:0", "aws", [0.035, 0.00875, 0.14]],
    ["eu.amazon.nova-lite-v1:0", "aws", [0.078, 0.0195, 0.312]],
    ["us.amazon.nova-pro-v1:0", undefined, [0.8, 0.2, 3.2]],
    ["nova-premier-v1", undefined, [2.5, 0.625, 12.5]],
    ["amazon.nova-2-lite-v1:0", "aws", [0.3, 0.075, 2.5]],
    ["us.amazon.nova-2-lite-v1:0", "aws", [0.33, 0.0825, 2.75]],
    ["apac.amazon.nova-2-lite-v1:0", undefined, [0.396, 0.099, 3.311]]
  ] as const)("of Amazon's %s at %s is that of its region", ([model, provider, rates]) =>
    Effect.map(rate(model, {}, provider), (found) => expect(found).toEqual(rates))
  )

  it.effect.each([
    ["gpt-5.5", { tier: "priority" }, [12.5, 1.25, 75]],
    ["gpt-5-mini-2025-08-07", { tier: "fast" }, [0.45, 0.045, 3.6]],
    ["gpt-4o-mini", { tier: "priority" }, [0.25, 0.125, 1]],
    ["o4-mini", { tier: "flex" }, [0.55, 0.138, 2.2]],
    ["gpt-6.2-sol", { tier: "flex" }, [1, 0.05, 5]],
    ["claude-opus-5-5", { speed: "fast", geo: "us" }, [8.8, 0.44, 44]],
    ["claude-sonnet-4-6-20260217", { geo: "us" }, [3.3, 0.33, 16.5]],
    ["gemini-3.5-flash-lite", { tier: "flex" }, [0.15, 0.02, 1.25]],
    ["gemini-4-hydrogen", { tier: "priority" }, [2.7, 0.135, 13.5]]
  ] as const)("of %s served as %j", ([model, served, rates]) =>
    Effect.gen(function* () {
      expect(yield* rate(model, served)).toEqual(rates)
    })
  )

  it.effect("of models without a tier has none", () =>
    Effect.gen(function* () {
      for (const [model, provider, tier] of [
        ["gpt-5-nano", "openai", "priority"],
        ["gpt-5.5-pro", "openai", "priority"],
        ["gpt-6-sol", "openai", "ultrafast"],
        ["gpt-5-codex", "openai", "flex"],
        ["claude-opus-5", "anthropic", "flex"],
        ["amazon.nova-premier-v1:0", "aws", "flex"]
      ] as const) {
        const named = [...everyVariant(yield* find(model, provider)).named.keys()]
        expect([model, named]).not.toEqual([model, expect.arrayContaining([`service_tier=${tier}`])])
      }
    })
  )

  it.effect("has sound, images, film and the fee of a request from the bundled list", () =>
    Effect.gen(function* () {
      const audio = { input: 32e9, output: 64e9 }
      expect((yield* find("gpt-audio", "openai")).rates).toMatchObject({ audio })
      expect((yield* find("gemini-3-pro-image", "google")).rates.image?.output).toBe(120e9)
      expect((yield* find("gemini-embedding-2", "google")).rates.video?.input).toBe(12e9)
      expect((yield* find("sonar-pro", "perplexity")).request).toBe(14e6)
    })
  )

  it.effect("is not that of the hour in which the gateway started", () =>
    Effect.gen(function* () {
      const price = yield* find("deepseek-chat", "deepseek")
      const at = (time: string) =>
        costOf(price, { ...noUsage, inputTokens: 1_000_000 }, Date.parse(`2026-11-27T${time}Z`))
      expect(["00:29:59", "00:30:00", "16:29:59", "16:30:00"].map((time) => at(time) / 1e9)).toEqual([
        0.135, 0.27, 0.27, 0.135
      ])
    })
  )

  it.effect("of DeepSeek is half off peak, and the dearer one for holds", () =>
    Effect.gen(function* () {
      const price = yield* find("deepseek-v4-pro", "deepseek")
      const at = (time?: string) =>
        costOf(price, { ...noUsage, inputTokens: 1_000_000 }, time === undefined ? time : Date.parse(time)) / 1e9
      expect([
        at("2026-11-27T03:59:59Z"),
        at("2026-11-27T04:00:00Z"),
        at("2026-11-27T10:00:00Z"),
        at("2026-11-28T08:30:00Z"),
        at()
      ]).toEqual([1.32, 0.66, 0.66, 0.66, 1.32])
    })
  )

  it.effect("of narrower models is there, and of reranking by the unit or by the token", () =>
    Effect.gen(function* () {
      expect((yield* find("gpt-5.6-cyber", "openai")).rates).toMatchObject({
        input: 12.5e9,
        cacheWriteHalfDay: 31.25e9
      })
      expect((yield* find("rerank-v4.0-pro", "cohere")).pieces).toEqual({ rerank_units: 2.5e6 })
      expect((yield* find("rerank-3-lite", "voyage")).rates.input).toBe(0.02e9)
      const coder = yield* find("qwen3-coder-plus", "dashscope")
      expect(coder.tiers.map(({ above, rates }) => [above, rates.input / 1e9])).toEqual([
        [32_000, 1.8],
        [128_000, 3],
        [256_000, 6]
      ])
    })
  )

  it.effect("of xAI is that of long input from 200,000 tokens on", () =>
    Effect.gen(function* () {
      for (const model of ["grok-4.7", "grok-4.3"]) {
        expect([model, (yield* find(model, "x-ai")).tiers.map(({ above }) => above)]).toEqual([model, [199_999]])
      }
    })
  )
})
