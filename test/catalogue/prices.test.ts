import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { BadSettings } from "../../src/config/document.ts"
import type { Located } from "../../src/config/document.ts"
import type { GatewayFile } from "../../src/config/GatewayFile.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { covers, free, fromUsd, unpriced } from "../../src/ledger/Price.ts"
import { costOf } from "../../src/ledger/cost.ts"
import { nanoUsd } from "../../src/ledger/nanoUsd.ts"
import type { ModelEntry } from "../../src/catalogue/Catalogue.ts"
import { dependencies } from "../../package.json"
import { ModelMap } from "../../src/catalogue/ModelMap.ts"
import { findPrices, servedModels } from "../../src/catalogue/prices.ts"
import { priceListDate } from "../../src/catalogue/prices/builtInList.ts"

const file = (value: GatewayFile = {}): Located<GatewayFile> => ({
  value,
  complain: (_, message) => new BadSettings({ message })
})

const model = (id: string, upstream: string, upstreamModel = id): ModelEntry => ({
  id,
  kind: "text",
  routes: [{ upstream, model: upstreamModel }],
  contextTokens: undefined,
  ownedBy: upstream
})

const priceOf = (one: ModelEntry) =>
  Effect.map(
    servedModels(new ModelMap([[one.id, one]]), file()),
    (models) => models.get(one.id)?.routes[0]?.price ?? unpriced
  )

const input = (tokens: number) => ({ ...noUsage, inputTokens: tokens })

describe("the built-in list", () => {
  it("has the date of the version that is bundled", () => {
    // When updating the version, look up its date: `npm view @pydantic/genai-prices time`.
    expect([dependencies["@pydantic/genai-prices"], priceListDate]).toEqual(["0.1.8", "2026-09-23"])
  })
})

describe("a model's price", () => {
  it.effect("is the configuration's where it names one", () =>
    Effect.gen(function* () {
      const price = fromUsd({ input: 7 })
      expect(yield* priceOf({ ...model("gpt-5", "openai"), price })).toMatchObject(price)
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

  it.effect("has the factor of its upstream, or of its host, where a list has it", () =>
    Effect.gen(function* () {
      const inputAt = (base_url: string, more: { readonly price_factor?: number } = {}, own?: ModelEntry["price"]) => {
        const one = { ...model("gpt-5", "up"), ...(own && { price: own }) }
        const upstreams = { up: { protocol: "openai-responses", base_url, ...more } } as const
        return Effect.map(findPrices(new Map([[one.id, one]]), file({ upstreams })), (all) =>
          costOf(all.get(one.id)?.[0]?.price ?? unpriced, input(1_000_000))
        )
      }
      expect(yield* inputAt("https://api.openai.com/v1", { price_factor: 2 })).toBe(nanoUsd(2.5))
      expect(yield* inputAt("https://api.openai.com/v1", { price_factor: 2 }, fromUsd({ input: 7 }))).toBe(nanoUsd(7))
      const newer = { ...model("gpt-5.4", "up") }
      const [plain, regional] = yield* Effect.forEach(["api", "eu.api"], (host) => {
        const upstreams = { up: { protocol: "openai-responses", base_url: `https://${host}.openai.com/v1` } } as const
        return Effect.map(findPrices(new Map([[newer.id, newer]]), file({ upstreams })), (all) =>
          costOf(all.get(newer.id)?.[0]?.price ?? unpriced, input(1_000_000))
        )
      })
      expect(plain).toBeGreaterThan(0)
      expect(regional).toBe(Math.round((plain ?? 0) * 1.1))
    })
  )

  it.effect("has the searches of the provider, which agents offer in every request", () =>
    Effect.gen(function* () {
      const perSearch = (id: string) =>
        Effect.map(priceOf(model(id, "up")), (price) => [
          covers(price, { of: "web_search", value: "web_search" }),
          price.search / 1e9
        ])
      for (const [id, usd] of [
        ["gpt-5.3-codex", 0.01],
        ["gpt-6.1", 0.01],
        ["gpt-4o-search-preview", 0.025],
        ["claude-opus-5", 0.01],
        ["claude-haiku-5-5", 0.01],
        ["gemini-2.5-flash", 0.035],
        ["gemini-3-pro-preview", 0.014],
        ["grok-4.7", 0.005]
      ] as const) {
        expect([id, yield* perSearch(id)]).toEqual([id, [true, usd]])
      }
      expect(yield* perSearch("deepseek-chat")).toEqual([false, 0])
      const flash = yield* priceOf(model("gemini-2.5-flash", "up"))
      expect(costOf(flash, { ...noUsage, searches: 3 })).toBe(nanoUsd(0.035))
      const gpt = yield* priceOf(model("gpt-5", "up"))
      expect(costOf(gpt, { ...noUsage, calls: { file_search: 2 } })).toBe(nanoUsd(0.005))
    })
  )

  it.effect("has the list's tiers", () =>
    Effect.gen(function* () {
      const price = yield* priceOf(model("claude-sonnet-4-5", "anthropic"))
      expect(costOf(price, input(200_000))).toBe(nanoUsd(0.6))
      expect(costOf(price, input(200_001))).toBe(1_200_006_000)
      expect(costOf(price, { ...noUsage, cacheWriteTokens: 1_000 })).toBe(nanoUsd(0.00375))
      expect(costOf(price, { ...noUsage, cacheWriteTokens: 1_000, cacheWriteHourTokens: 1_000 })).toBe(nanoUsd(0.006))
    })
  )

  it.effect("is found by the names that providers document: with a date, a suffix, or whose it is", () =>
    Effect.gen(function* () {
      const found = (id: string) =>
        Effect.map(findPrices(new Map([[id, model(id, "up")]]), file()), (all) => all.get(id)?.[0]?.price?.text)
      for (const [plain, ...others] of [
        [
          "claude-sonnet-4-5",
          "claude-sonnet-4-5-20250929",
          "claude-sonnet-4-5@20250929",
          "claude-sonnet-4-5-latest",
          "anthropic.claude-sonnet-4-5-20250929-v1:0",
          "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
          "anthropic/claude-sonnet-4-5"
        ],
        ["claude-haiku-4-5", "claude-haiku-4-5-20251001"],
        ["gpt-5", "gpt-5-2025-08-07", "gpt-5-latest", "openai/gpt-5"],
        ["gpt-5-codex", "gpt-5-codex-2025-09-15"],
        ["gpt-4.1-nano", "gpt-4.1-nano-2025-04-14"],
        ["gemini-2.5-pro", "models/gemini-2.5-pro", "gemini-2.5-pro-latest"]
      ] as const) {
        const price = yield* found(plain)
        expect([plain, price]).toEqual([plain, expect.stringContaining("input")])
        for (const other of others) expect([other, yield* found(other)]).toEqual([other, price])
      }
      // A snapshot that is listed itself has its own price.
      expect(yield* found("gpt-4o-2024-05-13")).not.toBe(yield* found("gpt-4o"))
    })
  )

  it.effect("is that of the prices_file before the built-in list's, and a model in neither has none", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "gateway-prices-"))
      const prices_file = join(folder, "prices.yaml")
      writeFileSync(prices_file, "gpt-5: {input: 2, output: 20}\nhouse-llm: {input: 0.5}\n")
      const models = [
        model("gpt-5", "up"),
        model("fast", "up", "house-llm-2026-01-01"),
        model("claude-haiku-4-5", "up"),
        model("other", "up")
      ]
      const all = [...models, { ...model("own", "up"), price: fromUsd({ input: 7 }) }, model("sandbox-text", "sandbox")]
      const found = yield* findPrices(new Map(all.map((one) => [one.id, one])), file({ prices_file }))
      expect([...found].map(([id, [one]]) => [id, one?.from, one?.name, one?.price?.rates.input])).toEqual([
        ["gpt-5", "prices_file", "gpt-5", nanoUsd(2)],
        ["fast", "prices_file", "house-llm", nanoUsd(0.5)],
        ["claude-haiku-4-5", "built-in list", "claude-haiku-4-5", nanoUsd(1)],
        ["other", "nowhere", "other", undefined],
        ["own", "gateway.yaml", "own", nanoUsd(7)],
        ["sandbox-text", "sandbox", "sandbox-text", 0]
      ])
      writeFileSync(prices_file, "gpt-5: {input: -2}\n")
      const wrong = yield* Effect.flip(findPrices(new Map(), file({ prices_file })))
      expect(wrong.message).toContain(`${prices_file}:1: `)
      rmSync(folder, { recursive: true })
      expect((yield* Effect.flip(findPrices(new Map(), file({ prices_file })))).message).toContain("can't be read")
    })
  )

  it.effect("is each route's own, unless its entry has one", () =>
    Effect.gen(function* () {
      const routes = [
        { upstream: "openai", model: "gpt-5-nano" },
        { upstream: "anthropic", model: "claude-opus-4-5" },
        { upstream: "vllm", model: "house" },
        { upstream: "sandbox", model: "sandbox-text" }
      ]
      const inputs = (one: ModelEntry) =>
        Effect.map(findPrices(new Map([[one.id, one]]), file()), (all) =>
          all.get(one.id)?.map(({ from, price }) => [from, price?.rates.input])
        )
      const any = { ...model("any", "openai"), routes }
      expect(yield* inputs(any)).toEqual([
        ["built-in list", nanoUsd(0.05)],
        ["built-in list", nanoUsd(5)],
        ["nowhere", undefined],
        ["sandbox", 0]
      ])
      expect(yield* inputs({ ...any, price: fromUsd({ input: 7 }) })).toEqual(
        routes.map(() => ["gateway.yaml", nanoUsd(7)])
      )
    })
  )

  it.effect("is nothing for the sandbox and for models without a price", () =>
    Effect.gen(function* () {
      expect(yield* priceOf(model("gpt-5", "sandbox"))).toBe(free)
      expect(yield* priceOf(model("qwen3-32b-house", "vllm"))).toBe(unpriced)
    })
  )
})
