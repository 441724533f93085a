import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { costOf, free, fromUsd, nanoUsd } from "../../src/ledger/Price.ts"
import type { Model } from "../../src/models/Catalogue.ts"
import { priced } from "../../src/models/prices.ts"

const model = (id: string, upstream: string, upstreamModel = id): Model => ({
  id,
  kind: "text",
  routes: [{ upstream, model: upstreamModel }],
  contextTokens: undefined,
  ownedBy: upstream
})

const priceOf = (one: Model) =>
  Effect.map(priced(new Map([[one.id, one]])), (models) => models.get(one.id)?.price ?? free)

const input = (tokens: number) => ({ ...noUsage, inputTokens: tokens })

describe("a model's price", () => {
  it.effect("is the configuration's where it names one", () =>
    Effect.gen(function* () {
      const price = fromUsd({ input: 7 })
      expect(yield* priceOf({ ...model("gpt-5", "openai"), price })).toBe(price)
    })
  )

  it.effect("is the public list's for the upstream's model otherwise", () =>
    Effect.gen(function* () {
      const price = yield* priceOf(model("house", "openai", "gpt-5"))
      expect(costOf(price, input(1_000_000))).toBe(nanoUsd(1.25))
      expect(costOf(price, { ...noUsage, cacheReadTokens: 1_000_000 })).toBe(nanoUsd(0.125))
      expect(costOf(price, { ...noUsage, outputTokens: 1_000_000, reasoningTokens: 500_000 })).toBe(nanoUsd(10))
      expect(costOf(price, { ...noUsage, searches: 3 })).toBe(nanoUsd(0.03))
    })
  )

  it.effect("has the list's tiers", () =>
    Effect.gen(function* () {
      const price = yield* priceOf(model("claude-sonnet-4-5", "anthropic"))
      expect(costOf(price, input(200_000))).toBe(nanoUsd(0.6))
      expect(costOf(price, input(200_001))).toBe(1_200_006_000)
      expect(costOf(price, { ...noUsage, cacheWriteTokens: 1_000 })).toBe(nanoUsd(0.00375))
    })
  )

  it.effect("is nothing for the sandbox and for models nobody prices", () =>
    Effect.gen(function* () {
      expect(yield* priceOf(model("gpt-5", "sandbox"))).toBe(free)
      expect(yield* priceOf(model("qwen3-32b-house", "vllm"))).toBe(free)
    })
  )
})
