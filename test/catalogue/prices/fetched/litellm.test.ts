import { describe, expect, it } from "@effect/vitest"
import { fromLitellm } from "../../../../src/catalogue/prices/fetched/litellm.ts"

const rerank = (litellm_provider: string, input_cost_per_query?: number, input_cost_per_token?: number) => ({
  litellm_provider,
  mode: "rerank",
  ...(input_cost_per_query !== undefined && { input_cost_per_query }),
  ...(input_cost_per_token !== undefined && { input_cost_per_token })
})

it("prices rerank models by the unit, which is LiteLLM's query, by the token, or by both", async () => {
  const prices = await fromLitellm({
    "made-up-rerank": rerank("cohere", 0.002, 0),
    "azure_ai/made-up-rerank": rerank("azure_ai", 0.001),
    "voyage/made-up-tokens": rerank("voyage", undefined, 5e-8),
    "bedrock/made-up-both": rerank("bedrock", 0.003, 5e-8),
    free: rerank("cohere", 0, 0),
    unpriced: rerank("cohere"),
    negative: rerank("cohere", -1),
    dearest: rerank("cohere", 1.1),
    // A query of a text model is no rerank unit.
    text: { ...rerank("openai", 0.002, 1e-6), mode: "chat", output_cost_per_token: 1e-6 }
  })
  expect(Object.fromEntries([...prices].map(([name, { usd }]) => [name, usd]))).toEqual({
    "cohere/made-up-rerank": { input: 0, per_rerank_unit: 0.002 },
    "made-up-rerank": { input: 0, per_rerank_unit: 0.002 },
    "azure/made-up-rerank": { per_rerank_unit: 0.001 },
    "voyage/made-up-tokens": { input: 0.05 },
    "made-up-tokens": { input: 0.05 },
    "aws/made-up-both": { input: 0.05, per_rerank_unit: 0.003 },
    "openai/text": { input: 1, output: 1 },
    text: { input: 1, output: 1 }
  })
})

/** A row as LiteLLM writes it, in USD a million tokens. */
const row = (litellm_provider: string, perMillion: Readonly<Record<string, number>>, more: object = {}) => ({
  litellm_provider,
  mode: "chat",
  ...Object.fromEntries(Object.entries(perMillion).map(([field, usd]) => [field, usd / 1e6])),
  ...more
})
const only = async (written: object, key = "made-up") => {
  const [[, price] = []] = await fromLitellm({ [key]: written })
  return JSON.parse(JSON.stringify(price ?? null))
}
const plain = { input_cost_per_token: 2, cache_read_input_token_cost: 0.2, output_cost_per_token: 10 }

describe("a tier of LiteLLM's list", () => {
  it("is a factor if all of its rates are, otherwise rates with their own steps", async () => {
    const written = row("openai", {
      ...plain,
      input_cost_per_token_priority: 4,
      cache_read_input_token_cost_priority: 0.4,
      output_cost_per_token_priority: 20,
      input_cost_per_token_ultrafast: 12,
      cache_read_input_token_cost_ultrafast: 1.2,
      output_cost_per_token_ultrafast: 60,
      input_cost_per_token_flex: 1,
      cache_read_input_token_cost_flex: 0.13,
      output_cost_per_token_flex: 5,
      input_cost_per_token_above_272k_tokens: 4,
      cache_read_input_token_cost_above_272k_tokens: 0.4,
      output_cost_per_token_above_272k_tokens: 15,
      input_cost_per_token_above_272k_tokens_flex: 2,
      cache_read_input_token_cost_above_272k_tokens_flex: 0.2,
      output_cost_per_token_above_272k_tokens_flex: 7.5,
      input_cost_per_token_batches: 1
    })
    expect(await only(written)).toEqual({
      usd: {
        input: 2,
        cached_input: 0.2,
        output: 10,
        service_tier: {
          priority: 2,
          ultrafast: 6,
          flex: {
            input: 1,
            cached_input: 0.13,
            output: 5,
            above: { 272000: { input: 2, cached_input: 0.2, output: 7.5 } }
          }
        }
      },
      tiers: [{ above: 272_000, usd: { input: 4, cached_input: 0.4, output: 15 } }]
    })
  })

  it("has the standard rate, as much dearer or cheaper as its input is, for one that it lacks", async () => {
    const written = row("gemini", {
      ...plain,
      input_cost_per_audio_token: 3,
      input_cost_per_token_above_200k_tokens: 4,
      cache_read_input_token_cost_above_200k_tokens: 0.4,
      output_cost_per_token_above_200k_tokens: 15,
      input_cost_per_token_flex: 1,
      output_cost_per_token_flex: 6,
      input_cost_per_token_above_200k_tokens_flex: 3
    })
    const { usd } = await only(written)
    expect(usd.service_tier).toEqual({
      flex: {
        input: 1,
        cached_input: 0.1,
        output: 6,
        audio: { input: 1.5 },
        // Its own step is three quarters of the standard one.
        above: { 200000: { input: 3, cached_input: 0.3, output: 11.25, audio: { input: 1.5 } } }
      }
    })
  })

  it("without a rate, with one of zero, or more than a hundredfold has no price", async () => {
    for (const tier of [
      { output_cost_per_audio_token_priority: 5 },
      { input_cost_per_token_priority: 0, output_cost_per_token_priority: 0 },
      { input_cost_per_token_priority: 201, output_cost_per_token_priority: 1_001 }
    ]) {
      const { usd } = await only(row("openai", { ...plain, ...tier }))
      expect(usd.service_tier).toBeUndefined()
    }
    expect(await only(row("openai", { ...plain, output_cost_per_token_priority: -1 }))).toBeNull()
  })
})

describe("a row of LiteLLM's list", () => {
  it("has the rates of sound, images, film and long caches, also of long input", async () => {
    const written = row("openai", {
      ...plain,
      cache_creation_input_token_cost: 2.5,
      cache_creation_input_token_cost_above_1hr: 4,
      cache_creation_input_token_cost_above_1hr_above_200k_tokens: 8,
      cache_creation_input_token_cost_above_12hr: 5,
      input_cost_per_audio_token: 32,
      cache_read_input_audio_token_cost: 0.4,
      output_cost_per_audio_token: 64,
      input_cost_per_image_token: 5,
      cache_read_input_image_token_cost: 0.5,
      input_cost_per_video_token: 3
    })
    const own = {
      input: 2,
      cached_input: 0.2,
      cache_write: 2.5,
      cache_write_1h: 4,
      cache_write_12h: 5,
      output: 10,
      audio: { input: 32, cached_input: 0.4, output: 64 },
      image: { input: 5, cached_input: 0.5 },
      video: { input: 3 }
    }
    expect(await only(written)).toEqual({
      usd: own,
      tiers: [{ above: 200_000, usd: { ...own, cache_write_1h: 8 } }]
    })
  })

  it("has long caches of long input, as much dearer as others where the row does not name them", async () => {
    const written = row("openai", {
      ...plain,
      cache_creation_input_token_cost: 2.5,
      cache_creation_input_token_cost_above_12hr: 5,
      input_cost_per_token_above_272k_tokens: 4,
      cache_creation_input_token_cost_above_272k_tokens: 5
    })
    expect((await only(written)).tiers).toMatchObject([{ usd: { cache_write: 5, cache_write_12h: 10 } }])
  })

  it("has images at the rates of text where the list says so, at any length of input", async () => {
    const written = row("xai", {
      ...plain,
      input_cost_per_image_token: 2,
      input_cost_per_token_above_200k_tokens: 4,
      output_cost_per_token_above_200k_tokens: 20
    })
    // xAI's long input begins at 200,000 tokens.
    expect(await only(written)).toEqual({
      usd: { input: 2, cached_input: 0.2, output: 10 },
      tiers: [{ above: 199_999, usd: { input: 4, cached_input: 0.2, output: 20 } }]
    })
  })

  it("has the factors of Claude's speed and place", async () => {
    const entry = (provider_specific_entry: unknown) => only(row("anthropic", plain, { provider_specific_entry }))
    expect((await entry({ fast: 2, us: 1.1 })).usd).toMatchObject({ speed: { fast: 2 }, inference_geo: { us: 1.1 } })
    for (const other of [{ fast: -1 }, { us: 1e9 }, { us: "1.1" }, "us", null]) {
      expect(Object.keys((await entry(other)).usd)).toEqual(["input", "cached_input", "output"])
    }
  })

  it("has its off-peak hours, by the dearest of their rates", async () => {
    const offPeak = (more: object) => ({
      off_peak_pricing: {
        input_cost_per_token: 1e-6,
        cache_read_input_token_cost: 1e-7,
        output_cost_per_token: 5e-6,
        windows: [
          { hours_utc: ["00:00-01:00", "10:00-00:00"], weekdays: [1, 5] },
          { hours_utc: "00:00-00:00", weekdays: [6, 7] }
        ],
        ...more
      }
    })
    const hours = async (more: object) => (await only(row("deepseek", plain, offPeak(more)))).usd.hours
    expect(await hours({})).toEqual([
      { factor: 0.5, utc: ["00:00-01:00", "10:00-00:00"], days: ["mon", "fri"] },
      { factor: 0.5, days: ["sat", "sun"] }
    ])
    expect((await hours({ output_cost_per_token: 6e-6 }))[0].factor).toBe(0.6)
    for (const wrong of [
      { weekday_timezone: "Asia/Shanghai" },
      { windows: [] },
      { windows: [{ hours_utc: "25:00-26:00" }] },
      { windows: [{ hours_utc: "10:00-12:00", weekdays: [0] }] },
      { windows: Array.from({ length: 17 }, () => ({ hours_utc: "10:00-12:00" })) },
      { input_cost_per_token: 3e-6 }
    ]) {
      expect(await hours(wrong)).toBeUndefined()
    }
  })

  it("counts Google's searches and maps by the query, or once an answer", async () => {
    const calls = {
      search_context_cost_per_query: { search_context_size_medium: 0.035 },
      google_maps_grounding_cost_per_query: 0.025
    }
    expect((await only(row("gemini", plain, calls))).usd.per_call).toEqual({
      web_search: { usd: 0.035, once: true },
      maps: { usd: 0.025, once: true }
    })
    const byQuery = await only(row("gemini", plain, { ...calls, web_search_billing_unit: "per_query" }))
    expect(byQuery.usd).toMatchObject({ per_search: 0.035, per_call: { maps: 0.025 } })
    const other = await only(row("openai", plain, { ...calls, input_cost_per_request: 0.005 }))
    expect(other.usd).toMatchObject({ per_search: 0.035, per_request: 0.005 })
  })

  it("of Perplexity's has a fee of the request, the dearest that a request may choose", async () => {
    const sizes = { search_context_size_low: 0.006, search_context_size_medium: 0.01, search_context_size_high: 0.014 }
    const { usd } = await only(row("perplexity", plain, { search_context_cost_per_query: sizes }))
    expect(usd).toEqual({ input: 2, cached_input: 0.2, output: 10, per_request: 0.014 })
  })

  it("of an image model is by tokens, as a tool's model needs it, or by the image", async () => {
    const image = { mode: "image_generation" }
    const rates = { input_cost_per_token: 5, input_cost_per_image_token: 8, output_cost_per_image_token: 30 }
    expect(await only(row("openai", rates, image), "gpt-image-2")).toEqual({
      usd: { input: 5, image: { input: 8, output: 30 } }
    })
    expect(await only(row("xai", {}, { ...image, output_cost_per_image: 0.07 }), "grok-imagine-image")).toEqual({
      usd: { per_image: 0.07 }
    })
    expect(await only(row("openai", { input_cost_per_token: 5 }, image))).toBeNull()
    expect(await only(row("xai", {}, { ...image, input_cost_per_image: 0.02 }), "grok-imagine-image")).toEqual({
      usd: { per_image: 0.02 }
    })
    // An image that is billed by tokens is not billed once more by itself.
    const drawing = { input_cost_per_token: 0.3, output_cost_per_token: 2.5, output_cost_per_image_token: 30 }
    expect(await only(row("gemini", drawing, { ...image, output_cost_per_image: 0.039 }))).toEqual({
      usd: { input: 0.3, output: 2.5, image: { output: 30 } }
    })
  })

  it("of images by quality and size is one of their model, unless that has tokens", async () => {
    const made = (litellm_provider: string, fields: object) => ({
      litellm_provider,
      mode: "image_generation",
      ...fields
    })
    const prices = await fromLitellm({
      "high/1024-x-1024/drawer": made("openai", { input_cost_per_image: 0.167, output_cost_per_pixel: 0 }),
      "low/1024-x-1536/drawer": made("openai", { input_cost_per_image: 0.016 }),
      "1024-x-1024/drawer": made("openai", { input_cost_per_image: 0.04 }),
      drawer: made("openai", { output_cost_per_image: 0.05 }),
      "azure/hd/1024-x-1024/dall-e-3": made("azure", { input_cost_per_pixel: 8.39233e-8, output_cost_per_token: 0 }),
      "azure/standard/1024-x-1024/dall-e-2": made("azure", { input_cost_per_pixel: 0 }),
      "high/1024-x-1024/gpt-image-2": made("openai", { input_cost_per_image: 0.2 }),
      "gpt-image-2": made("openai", { input_cost_per_token: 5e-6, output_cost_per_image_token: 3e-5 }),
      "1024-x-1024/50-steps/bedrock/amazon.nova-canvas-v1:0": made("bedrock", { input_cost_per_image: 0.06 }),
      ...Object.fromEntries(
        Array.from({ length: 65 }, (_, at) => [
          `low/1024-x-${100 + at}/many`,
          made("openai", { input_cost_per_image: 1 })
        ])
      )
    })
    expect(Object.fromEntries([...prices].map(([name, { usd }]) => [name, usd.per_image]))).toEqual({
      "openai/drawer": { "high/1024x1024": 0.167, "low/1024x1536": 0.016, "*/1024x1024": 0.04, "*": 0.05 },
      drawer: { "high/1024x1024": 0.167, "low/1024x1536": 0.016, "*/1024x1024": 0.04, "*": 0.05 },
      "azure/dall-e-3": { "hd/1024x1024": 0.088 },
      "openai/gpt-image-2": undefined,
      "gpt-image-2": undefined,
      "aws/1024-x-1024/50-steps/bedrock/amazon.nova-canvas-v1:0": 0.06
    })
  })
})
