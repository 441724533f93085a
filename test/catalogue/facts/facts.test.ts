import { describe, expect, it } from "@effect/vitest"
import type { ModelEntry } from "../../../src/catalogue/Catalogue.ts"
import { builtInFacts } from "../../../src/catalogue/facts/builtInFacts.ts"
import { modelFacts } from "../../../src/catalogue/facts/modelFacts.ts"
import { routeFacts } from "../../../src/catalogue/facts/routeFacts.ts"
import { fetchedList } from "../../../src/catalogue/prices/fetched/FetchedList.ts"
import { fromLitellm } from "../../../src/catalogue/prices/fetched/litellm.ts"
import { servedModel } from "../../../src/catalogue/servedModel.ts"
import type { ModelFacts } from "../../../src/contract/records/ModelFacts.ts"

const row = (litellm_provider: string, more: object = {}) => ({
  litellm_provider,
  mode: "chat",
  input_cost_per_token: 1e-6,
  output_cost_per_token: 2e-6,
  ...more
})

const fetched = async (list: Record<string, object>) => {
  const prices = Object.fromEntries(await fromLitellm(list))
  return fetchedList({ prices, held: {} }, { source: "here", fetchedAtMs: 0 })
}

describe("the facts of LiteLLM's list", () => {
  it("are those that a row has; a window is in none", async () => {
    const list = await fetched({
      "gpt-5": row("openai", {
        max_input_tokens: 272_000,
        max_output_tokens: 128_000,
        supported_modalities: ["text", "image", "smell"],
        supported_output_modalities: ["text"],
        supports_pdf_input: true,
        supports_function_calling: true,
        supports_reasoning: true,
        supports_minimal_reasoning_effort: true,
        supports_none_reasoning_effort: false,
        supports_response_schema: true,
        supports_prompt_caching: true,
        deprecation_date: "2026-12-11"
      }),
      "gemini/levels": row("gemini", { supports_vision: false, reasoning_effort_levels: ["high", "low"] }),
      "xai/odd": row("xai", { max_input_tokens: "many", max_output_tokens: 0, deprecation_date: "soon" })
    })
    expect(list.factsOf("openai/gpt-5")).toEqual({
      max_input_tokens: 272_000,
      max_output_tokens: 128_000,
      inputs: ["text", "image", "file"],
      outputs: ["text"],
      tools: true,
      thinking: true,
      efforts: ["minimal", "low", "medium", "high"],
      structured_output: true,
      caching: true,
      retires: "2026-12-11"
    })
    expect(list.factsOf("google/levels")).toEqual({ inputs: ["text"], efforts: ["low", "high"] })
    expect(list.factsOf("x-ai/odd")).toBeUndefined()
    expect(list.factsOf("constructor")).toBeUndefined()
  })
})

describe("the facts of a route", () => {
  const at = (
    model: string,
    provider: string | undefined,
    told?: ModelFacts,
    list?: Awaited<ReturnType<typeof fetched>>
  ) => routeFacts({ upstream: "up", model }, provider, told, { fetched: list, bundled: undefined })

  it("are the fetched list's before the built-in ones, and its provider's own where a list has none", async () => {
    const list = await fetched({
      "gpt-5": row("openai", { max_input_tokens: 300_000, deprecation_date: "2027-05-05" })
    })
    const told = { max_input_tokens: 7, structured_output: false, released: "2025-08-07" }
    expect(at("gpt-5", "openai", told, list).facts).toMatchObject({
      context_tokens: 400_000,
      max_input_tokens: 300_000,
      structured_output: true,
      released: "2025-08-07",
      retires: "2027-05-05"
    })
  })

  it("bound holds if they are of exactly this provider, or of its own list", () => {
    expect(at("gpt-5", "openai").bounding).toMatchObject({ max_input_tokens: 272_000 })
    expect(at("gpt-5", undefined)).toMatchObject({ facts: { max_input_tokens: 272_000 }, bounding: {} })
    expect(at("gpt-5", "azure")).toMatchObject({ facts: { max_input_tokens: 272_000 }, bounding: {} })
    expect(at("gpt-5", undefined, { context_tokens: 32_768 })).toEqual({
      facts: expect.objectContaining({ context_tokens: 32_768, inputs: ["text", "image", "file"] }),
      bounding: { context_tokens: 32_768 }
    })
  })

  it("have the day of a snapshot's release, and no other model's retirement", () => {
    expect(at("gpt-5-2025-08-07", "openai").facts).toMatchObject({ released: "2025-08-07", retires: "2026-12-11" })
    expect(at("claude-opus-4-5-20251101", "anthropic").facts).toMatchObject({ released: "2025-11-01" })
    expect(at("claude-sonnet-4-5", "anthropic").facts.retires).toBe("2026-11-30")
    expect(at("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "aws").facts).toMatchObject({
      context_tokens: 200_000,
      released: "2025-09-29"
    })
    expect(at("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "aws").facts.retires).toBeUndefined()
    expect(at("gpt-4o-2024-99-99", "openai").facts.released).toBeUndefined()
  })
})

describe("the built-in facts", () => {
  it.each<[string, string, ModelFacts]>([
    ["openai", "gpt-5-pro", { context_tokens: 400_000, efforts: ["high"] }],
    ["openai", "gpt-5.4", { context_tokens: 1_050_000, thinking: true }],
    ["openai", "gpt-6.1-sol", { context_tokens: 1_050_000, max_input_tokens: 922_000 }],
    ["openai", "gpt-4.1-mini", { context_tokens: 1_047_576, thinking: false, retires: "2027-01-14" }],
    ["openai", "o3", { context_tokens: 200_000, efforts: ["low", "medium", "high"] }],
    ["anthropic", "claude-haiku-4-5", { context_tokens: 200_000, thinking: true, structured_output: true }],
    ["anthropic", "claude-opus-5-5", { context_tokens: 1_000_000, efforts: ["low", "medium", "high", "xhigh", "max"] }],
    ["google", "gemini-2.5-pro", { context_tokens: 1_048_576, max_output_tokens: 65_536, retires: "2026-12-01" }],
    ["deepseek", "deepseek-v4-pro", { context_tokens: 1_000_000, inputs: ["text"] }],
    ["x-ai", "grok-4.20-non-reasoning", { thinking: false }],
    ["zai", "glm-4.6", { context_tokens: 200_000 }]
  ])("of %s know %s", (provider, model, facts) => {
    expect(builtInFacts(model, provider)).toMatchObject(facts)
  })

  it.each([
    "gpt-4o-realtime-preview",
    "gpt-image-1",
    "gemini-2.5-flash-image",
    "gemini-2.5-pro-preview-tts",
    "qwen3",
    "gpt-5-chat-latest"
  ])("have no window of %s", (model) => {
    expect(builtInFacts(model, undefined)?.context_tokens).toBeUndefined()
  })
})

describe("the facts of a model", () => {
  it("are those that hold on each route, and its entry's first", () => {
    const routes = [
      {
        context_tokens: 400_000,
        max_input_tokens: 272_000,
        inputs: ["text", "image"],
        thinking: true,
        retires: "2027-01-01"
      },
      { context_tokens: 200_000, inputs: ["text", "file"], thinking: false, tools: true, retires: "2026-12-01" }
    ] as const
    expect(modelFacts({}, routes)).toEqual({
      context_tokens: 200_000,
      inputs: ["text"],
      thinking: false,
      tools: true,
      retires: "2026-12-01"
    })
    expect(modelFacts({ context_tokens: 9, inputs: ["text"] }, routes)).toMatchObject({
      context_tokens: 9,
      inputs: ["text"]
    })
    expect(modelFacts({}, [])).toEqual({})
  })
})

describe("what facts bound", () => {
  const model = (
    more: Partial<ModelEntry> = {},
    bounding: ModelFacts = { max_output_tokens: 65_536, max_input_tokens: 1_048_576 }
  ) =>
    servedModel({
      id: "gemini-2.5-pro",
      kind: "text",
      routes: [{ upstream: "google", model: "gemini-2.5-pro", facts: bounding, bounding }],
      contextTokens: undefined,
      ownedBy: "google",
      ...more
    })

  it("is the output of a translated request, unless more is refused or configured", () => {
    expect(model().routes[0]?.outputLimit).toBe(65_536)
    expect(model({ strict: true }).routes[0]?.outputLimit).toBeUndefined()
    expect(model({ maxOutputTokens: 100_000 }).routes[0]?.outputLimit).toBe(100_000)
    expect(model({ strict: true }).facts.max_output_tokens).toBe(65_536)
  })

  it("is the longest input of a round, and no request's context", () => {
    expect(model()).toMatchObject({ longestInput: 1_048_576, contextTokens: undefined })
    expect(model({}, {}).longestInput).toBeUndefined()
    expect(model({}, { context_tokens: 100_000 }).longestInput).toBe(100_000)
  })
})
