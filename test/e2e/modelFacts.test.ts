import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { missingMembers } from "../catalogue/facts/promisedMembers.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

const adminKey = "admin-key-0123456789abcdefghijklmnop"
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const listing = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => Response.json({ data: [{ id: "local-32k", max_model_len: 32_768, created: 1_790_000_000 }] })
})

const config = {
  upstreams: {
    openai: { provider: "openai", api_key: "k" },
    anthropic: { provider: "anthropic", api_key: "k" },
    vllm: { protocol: "openai-chat", base_url: `${listing.url}v1`, list_models: true, unpriced: "allow" },
    kling: { provider: "kling", api_key: "k" }
  },
  models: {
    "gpt-5": "openai",
    "gpt-4o-2024-08-06": "openai",
    fast: { alias: "gpt-5" },
    "claude-opus-5-5": "anthropic",
    narrow: {
      context: 50_000,
      max_output_tokens: 9_000,
      facts: { inputs: ["text", "image"], thinking: false, released: "2026-01-02", retires: day(20) },
      routes: [{ upstream: "openai", model: "gpt-5" }]
    },
    either: {
      routes: [
        { upstream: "anthropic", model: "claude-sonnet-5" },
        { upstream: "openai", model: "gpt-5.1" }
      ]
    },
    later: { facts: { retires: day(40) }, routes: [{ upstream: "openai", model: "gpt-6-sol" }] },
    house: "sandbox"
  }
}

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-facts-"))
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
  gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey } })
})
afterAll(async () => {
  await gateway.dispose()
  await listing.stop(true)
})

const openai = () => new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
const anthropic = () => new Anthropic({ apiKey: gateway.key, baseURL: gateway.url, maxRetries: 0 })
const get = async (path: string, headers = {}) => (await request(gateway, path, { headers })).json()

describe("the clients' own types", () => {
  it("have every member that OpenAI's promise", async () => {
    const models = await Array.fromAsync(openai().models.list())
    expect(models.length).toBeGreaterThan(8)
    for (const model of models) {
      expect(missingMembers("openai", "Model", model)).toEqual([])
      expect(await openai().models.retrieve(model.id)).toEqual(model)
    }
  })

  it("have every member that Anthropic's promise", async () => {
    const models = await Array.fromAsync(anthropic().models.list())
    for (const model of models) {
      expect(missingMembers("@anthropic-ai/sdk", "ModelInfo", model)).toEqual([])
      expect(await anthropic().models.retrieve(model.id)).toEqual(model)
    }
    expect(models.find(({ id }) => id === "claude-opus-5-5")?.capabilities).not.toBeNull()
  })
})

describe("what is known of a model", () => {
  it("is told as OpenRouter tells it", async () => {
    const one = await get("/v1/models/gpt-5")
    expect(one).toMatchObject({
      object: "model",
      type: "model",
      owned_by: "openai",
      name: "gpt-5",
      context_length: 400_000,
      max_context_length: 400_000,
      max_completion_tokens: 128_000,
      top_provider: { context_length: 400_000, max_completion_tokens: 128_000, is_moderated: false },
      architecture: {
        modality: "text+image+file->text",
        input_modalities: ["text", "image", "file"],
        output_modalities: ["text"]
      },
      pricing: {
        prompt: "0.00000125",
        completion: "0.00001",
        input_cache_read: "0.000000125",
        request: "0",
        web_search: "0.01"
      },
      reasoning_efforts: ["minimal", "low", "medium", "high"],
      prompt_caching: true,
      shutdown_date: "2026-12-11",
      expiration_date: "2026-12-11",
      // Its client's parser refuses an object without these.
      canonical_slug: "gpt-5",
      links: { details: "/v1/models/gpt-5" },
      default_parameters: null,
      per_request_limits: null,
      supported_voices: null
    })
    expect(one.supported_parameters).toEqual(
      expect.arrayContaining(["max_tokens", "tools", "structured_outputs", "reasoning"])
    )
    expect(one).not.toHaveProperty("capabilities")
    expect(await get("/v1/models/fast")).toMatchObject({ context_length: 400_000 })
  })

  it("is told as Anthropic tells it, by the headers of its clients", async () => {
    const headers = { "anthropic-version": "2023-06-01" }
    expect(await get("/v1/models/claude-opus-5-5", headers)).toMatchObject({
      max_input_tokens: 1_000_000,
      max_tokens: 128_000,
      line: "opus",
      lifecycle: "active",
      retires_at: null,
      capabilities: {
        image_input: { supported: true },
        pdf_input: { supported: true },
        structured_outputs: { supported: true },
        effort: { supported: true, xhigh: { supported: true } },
        thinking: { supported: true, types: { adaptive: { supported: true }, enabled: { supported: false } } },
        batch: { supported: false }
      }
    })
    expect(await get("/v1/models/gpt-5", headers)).toMatchObject({
      max_input_tokens: 272_000,
      line: null,
      lifecycle: "deprecated",
      retires_at: "2026-12-11T00:00:00Z"
    })
    expect(await get("/v1/models/local-32k", headers)).toMatchObject({
      max_input_tokens: 32_768,
      max_tokens: null,
      capabilities: null
    })
  })

  it("is the configuration's, then the lists', then its upstream's own list's, and null where none knows it", async () => {
    expect(await get("/v1/models/narrow")).toMatchObject({
      created: Date.parse("2026-01-02") / 1_000,
      context_length: 50_000,
      max_completion_tokens: 9_000,
      architecture: { input_modalities: ["text", "image"] },
      shutdown_date: day(20)
    })
    // A server's own list says when it started, which is no release.
    expect(await get("/v1/models/local-32k")).toMatchObject({
      created: 0,
      context_length: 32_768,
      max_completion_tokens: null,
      architecture: { modality: "text->text" },
      pricing: null,
      supported_parameters: ["max_tokens", "max_completion_tokens"],
      reasoning_efforts: null,
      prompt_caching: null,
      shutdown_date: null
    })
    expect(await get("/v1/models/gpt-4o-2024-08-06")).toMatchObject({ created: Date.parse("2024-08-06") / 1_000 })
  })

  it("holds on each of its routes", async () => {
    expect(await get("/v1/models/either")).toMatchObject({
      context_length: 400_000,
      max_completion_tokens: 128_000,
      reasoning_efforts: ["low", "medium", "high"]
    })
  })

  it("is the sandbox's own, also under another name", async () => {
    for (const id of ["sandbox-text", "house"]) {
      expect(await get(`/v1/models/${id}`)).toMatchObject({
        architecture: { modality: "text+image+file->text" },
        pricing: { prompt: "0", completion: "0" },
        prompt_caching: false
      })
    }
    expect(await get("/v1/models/sandbox-text")).toMatchObject({ context_length: 128_000 })
    expect(await get("/v1/models/sandbox-embed")).toMatchObject({ architecture: { modality: "text->embeddings" } })
    expect(await get("/v1/models/sandbox-video")).toMatchObject({
      architecture: { modality: "text+image+audio+video->video" }
    })
  })
})

describe("the operator's view", () => {
  it("has the facts that the lists know", async () => {
    const { data } = await (await request(gateway, "/admin/v1/models", { key: adminKey })).json()
    const gpt = data.find(({ id }: { readonly id: string }) => id === "gpt-5")
    expect(gpt).toMatchObject({
      context_tokens: 400_000,
      max_output_tokens: 128_000,
      facts: { inputs: ["text", "image", "file"], thinking: true, retires: "2026-12-11" }
    })
  })

  it("tells once of each model that retires within 30 days", async () => {
    const { data } = await (await request(gateway, "/admin/v1/attention", { key: adminKey })).json()
    const told = data.filter(({ message }: { readonly message: string }) => message.includes("retires on"))
    expect(told).toContainEqual(
      expect.objectContaining({
        what: "model",
        id: "narrow",
        level: "warning",
        message: `narrow (openai/gpt-5) retires on ${day(20)}`,
        due_at: `${day(20)}T00:00:00.000Z`
      })
    )
    const ids = told.map(({ id }: { readonly id: string | null }) => id)
    expect(ids).not.toContain("later")
    expect(ids).not.toContain("fast")
    expect(new Set(ids).size).toBe(ids.length)
  })
})
