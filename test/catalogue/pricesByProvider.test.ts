import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { catalogueOf } from "../../src/catalogue/catalogueOf.ts"
import { mostOutput } from "../../src/catalogue/outputLimits.ts"
import { findPrices } from "../../src/catalogue/prices.ts"
import { additions } from "../../src/catalogue/prices/additions.ts"
import { BadSettings } from "../../src/config/document.ts"
import type { GatewayFile } from "../../src/config/GatewayFile.ts"
import { covers, fromUsd, priceFromText, priceOfVideo } from "../../src/ledger/Price.ts"
import { costOf } from "../../src/ledger/cost.ts"
import { nanoUsd } from "../../src/ledger/nanoUsd.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"

const upstreams = {
  openai: { protocol: "openai-responses", base_url: "https://api.openai.com/v1" },
  anthropic: { protocol: "anthropic-messages", base_url: "https://api.anthropic.com" },
  bedrock: { protocol: "anthropic-messages", base_url: "https://bedrock-runtime.us-east-1.amazonaws.com" },
  groq: { protocol: "openai-chat", base_url: "https://api.groq.com/openai/v1" },
  openrouter: { protocol: "openai-chat", base_url: "https://openrouter.ai/api/v1" },
  azure: {
    protocol: "openai-responses",
    base_url: "https://house.openai.azure.com/openai/v1",
    models: { production: "gpt-5" }
  },
  dashscope: { protocol: "openai-chat", base_url: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1" },
  own: { protocol: "openai-chat", base_url: "http://10.0.0.5:8000/v1" },
  ark: { protocol: "ark-video", base_url: "https://ark.cn-beijing.volces.com/api/v3" }
} as const satisfies GatewayFile["upstreams"]

const found = (models: GatewayFile["models"], more: GatewayFile = {}) => {
  const file = {
    value: { upstreams, models, ...more } satisfies GatewayFile,
    complain: (_: unknown, message: string) => new BadSettings({ message })
  }
  return Effect.flatMap(catalogueOf(file, []), (all) => findPrices(all, file))
}

const shown = (models: GatewayFile["models"], more: GatewayFile = {}) =>
  Effect.map(found(models, more), (all) =>
    [...all.values()].flatMap((routes) =>
      routes.map(({ from, name, price }) => [
        from,
        name,
        (price?.rates.input ?? 0) / 1e9,
        (price?.rates.output ?? 0) / 1e9
      ])
    )
  )

const route = (upstream: keyof typeof upstreams, model: string) => ({ upstream, model })

describe("a route's price", () => {
  it.effect("is its provider's", () =>
    Effect.gen(function* () {
      const routes = [
        route("groq", "openai/gpt-oss-120b"),
        route("bedrock", "openai.gpt-oss-120b-1:0"),
        route("openrouter", "openai/gpt-oss-120b")
      ] as const
      expect(yield* shown({ oss: { routes } })).toEqual([
        ["built-in list", "groq/openai/gpt-oss-120b", 0.15, 0.6],
        ["built-in list", "aws/openai.gpt-oss-120b-1:0", 0.15, 0.6],
        ["built-in list", "openrouter/openai/gpt-oss-120b", 0.039, 0.18]
      ])
      const sonnet = [
        route("anthropic", "claude-sonnet-5-5"),
        route("bedrock", "us.anthropic.claude-sonnet-5-5")
      ] as const
      expect(yield* shown({ sonnet: { routes: sonnet } })).toEqual([
        ["built-in list", "anthropic/claude-sonnet-5-5", 2, 10],
        ["built-in list", "aws/us.anthropic.claude-sonnet-5-5", 2.2, 11]
      ])
    })
  )

  it.effect("is the model's at its maker if its provider is not listed, or does not list it", () =>
    Effect.gen(function* () {
      expect(yield* shown({ a: { routes: [route("own", "gpt-5")] } })).toEqual([["built-in list", "gpt-5", 1.25, 10]])
      expect(yield* shown({ a: { routes: [route("groq", "kimi-k3.1-pro")] } })).toEqual([
        ["built-in list", "kimi-k3.1-pro", 2, 10]
      ])
    })
  )

  it.effect("is written at the route, else at the model", () =>
    Effect.gen(function* () {
      const routes = [{ ...route("groq", "gpt-5"), price: { input: 3 } }, route("openai", "gpt-5")] as const
      expect(yield* shown({ a: { routes, price: { input: 7 } } })).toEqual([
        ["gateway.yaml", "a", 3, 0],
        ["gateway.yaml", "a", 7, 0]
      ])
      expect(yield* shown({ a: { routes } })).toEqual([
        ["gateway.yaml", "a", 3, 0],
        ["built-in list", "openai/gpt-5", 1.25, 10]
      ])
    })
  )

  it.effect("is the prices_file's by provider and model, else by model", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "gateway-prices-"))
      const prices_file = join(folder, "prices.yaml")
      writeFileSync(prices_file, "groq/gpt-oss-120b: {input: 1}\ngpt-oss-120b: {input: 2}\n")
      const routes = [route("groq", "openai/gpt-oss-120b"), route("own", "openai/gpt-oss-120b")] as const
      expect(yield* shown({ oss: { routes } }, { prices_file })).toEqual([
        ["prices_file", "groq/gpt-oss-120b", 1, 0],
        ["prices_file", "gpt-oss-120b", 2, 0]
      ])
      rmSync(folder, { recursive: true })
    })
  )

  it.effect("and its limits are those of the model behind a deployment's name", () =>
    Effect.gen(function* () {
      const models = { a: { routes: [route("azure", "production")] } } as const
      expect(yield* shown(models)).toEqual([["built-in list", "azure/gpt-5", 1.25, 10]])
      const file = {
        value: { upstreams, models } satisfies GatewayFile,
        complain: (_: unknown, message: string) => new BadSettings({ message })
      }
      const model = Either.getOrThrow(catalogueOf(file, [])).get("a")
      const [first] = model?.routes ?? []
      if (model === undefined || first === undefined) return expect.unreachable()
      expect(first).toMatchObject({ model: "production", knownAs: "gpt-5" })
      expect(mostOutput(model, first)).toBe(128_000)
    })
  )
})

describe("what the list lacked", () => {
  it.effect.each([
    ["openai", "gpt-6.1-sol", 2, 10],
    ["anthropic", "claude-haiku-5-5", 0.1, 0.5],
    ["own", "gemini-4-argon", 2, 10],
    ["own", "grok-4.7", 2, 6],
    ["own", "glm-5.1", 1.4, 4.4],
    ["dashscope", "qwen3.8-max", 2, 6],
    ["own", "embed-v5.0-pro", 0.12, 0]
  ] as const)("%s/%s", ([upstream, model, input, output]) =>
    Effect.gen(function* () {
      const [[, , ...rates] = []] = yield* shown({ a: { routes: [route(upstream, model)] } })
      expect(rates).toEqual([input, output])
    })
  )

  it("names source and day of each row, and no model of a provider twice", () => {
    const names = additions.flatMap(({ models, provider }) => models.map((model) => `${provider}/${model}`))
    expect(new Set(names).size).toBe(names.length)
    for (const { day, source } of additions)
      expect([day, source]).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d$/), expect.stringMatching(/^https:\/\//)])
  })
})

it.effect("Groq's flex tier costs as on demand", () =>
  Effect.gen(function* () {
    const all = yield* found({ g: { routes: [route("groq", "openai/gpt-oss-120b")] } })
    const price = all.get("g")?.[0]?.price
    if (price === undefined) return expect.unreachable()
    expect(covers(price, { of: "service_tier", value: "flex" })).toBe(true)
    expect(covers(price, { of: "service_tier", value: "performance" })).toBe(false)
    const used = { ...noUsage, inputTokens: 1_000, outputTokens: 1_000 }
    expect(costOf(price, { ...used, served: { tier: "flex" } })).toBe(costOf(price, used))
  })
)

describe("a video's price", () => {
  const video = { resolution: "720p", hasVideoInput: false, inputImages: 0, hasSound: true, serviceTier: "default" }

  it.effect("is Seedance's by resolution and input", () =>
    Effect.gen(function* () {
      const all = yield* found({ v: { routes: [route("ark", "doubao-seedance-2-0-260128")] } })
      const price = all.get("v")?.[0]?.price
      if (price === undefined) return expect.unreachable()
      const perMillion = (over: Partial<typeof video>) =>
        costOf(priceOfVideo(price, { ...video, ...over }), { ...noUsage, outputTokens: 1_000_000 }) / 1e9
      expect(perMillion({})).toBeCloseTo(46 / 7, 5)
      expect(perMillion({ hasVideoInput: true })).toBeCloseTo(28 / 7, 5)
      expect(perMillion({ resolution: "1080p" })).toBeCloseTo(51 / 7, 5)
      // A resolution that the list does not name costs as the dearest.
      expect(perMillion({ resolution: "2k" })).toBeCloseTo(51 / 7, 5)
      expect(price.rates.output / 1e9).toBeCloseTo(51 / 7, 5)
    })
  )

  it("depends on resolution, input videos, sound and tier as it is written", () => {
    const price = fromUsd({
      per_second: { "720p": 0.1, "1080p": 0.2 },
      with_video: { per_second: 0.05 },
      with_audio: { per_second: { "720p": 0.3 } },
      flex: 0.5
    })
    const perSecond = (over: Partial<typeof video>) =>
      priceOfVideo(price, { ...video, hasSound: false, ...over }).videoSecond
    expect(perSecond({})).toBe(nanoUsd(0.1))
    expect(perSecond({ resolution: "1080p" })).toBe(nanoUsd(0.2))
    expect(perSecond({ hasSound: true })).toBe(nanoUsd(0.3))
    expect(perSecond({ hasSound: true, hasVideoInput: true })).toBe(nanoUsd(0.05))
    expect(perSecond({ serviceTier: "flex" })).toBe(nanoUsd(0.05))
    expect(price.videoSecond).toBe(nanoUsd(0.3))
  })

  it("has pictures among its inputs beyond those that are free, whatever the tier", () => {
    const price = fromUsd({ per_second: 0.1, per_request: 0.01, per_input_image: { usd: 0.04, free: 5 }, flex: 0.5 })
    const costs = [0, 5, 6, 9].map((inputImages) =>
      costOf(priceOfVideo(price, { ...video, inputImages, serviceTier: "flex" }), { ...noUsage, videoFrames: 24 })
    )
    expect(costs).toEqual([0.06, 0.06, 0.1, 0.22].map(nanoUsd))
    const every = fromUsd({ per_input_image: { usd: 0.04 } })
    expect(costOf(priceOfVideo(every, { ...video, inputImages: 1 }), noUsage)).toBe(nanoUsd(0.04))
    // Written down with the task, it is the same.
    expect(priceFromText(priceOfVideo(price, { ...video, inputImages: 6 }).text).request).toBe(nanoUsd(0.05))
  })

  it("depends on the tier, where that alone has a price", () => {
    const price = fromUsd({ per_second: 0.1, service_tier: { flex: 0.5 } })
    expect(priceOfVideo(price, { ...video, serviceTier: "flex" }).videoSecond).toBe(nanoUsd(0.05))
    expect(priceOfVideo(price, video).videoSecond).toBe(nanoUsd(0.1))
  })

  it("is the price itself where all videos cost the same", () => {
    const price = fromUsd({ per_second: 0.1 })
    expect(priceOfVideo(price, video)).toBe(price)
  })
})
