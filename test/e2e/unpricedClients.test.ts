import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Anthropic, { PermissionDeniedError } from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI, { PermissionDeniedError as OpenAIPermissionDeniedError } from "openai"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

/** What has no price is refused as the official clients know it, whole and streamed. */

const upstreams = {
  r: fakeUpstream("openai-responses"),
  c: fakeUpstream("openai-chat"),
  m: fakeUpstream("anthropic-messages")
}
const price = { input: 1, output: 2 }
const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`
const config = {
  upstreams: {
    r: { protocol: "openai-responses", base_url: `${upstreams.r.url}/v1` },
    c: { protocol: "openai-chat", base_url: `${upstreams.c.url}/v1` },
    m: { protocol: "anthropic-messages", base_url: upstreams.m.url }
  },
  models: Object.fromEntries(Object.keys(upstreams).map((upstream) => [upstream, { routes: [{ upstream }], price }])),
  keys: [
    { name: "counted", account: "a", secret: secretOf("counted"), balance_usd: 100 },
    { name: "allowed", account: "a", secret: secretOf("allowed"), unpriced: "allow" }
  ]
}

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-clients-"))
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all(Object.values(upstreams).map((fake) => fake.stop()))
})
const calls = () => Object.values(upstreams).reduce((sum, { asked }) => sum + asked.length, 0)

const openai = (key: string) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secretOf(key), maxRetries: 0 })
const anthropic = (key: string) => new Anthropic({ baseURL: gateway.url, apiKey: secretOf(key), maxRetries: 0 })

type Send = (key: string, more: object, stream: boolean) => Promise<unknown>
const sends: Readonly<Record<"r" | "c" | "m", Send>> = {
  r: (key, more, stream) =>
    openai(key).responses.create({ model: "r", input: "Hello", max_output_tokens: 50, ...more, stream }),
  c: (key, more, stream) =>
    openai(key).chat.completions.create({
      model: "c",
      messages: [{ role: "user", content: "Hello" }],
      max_completion_tokens: 50,
      ...more,
      stream
    }),
  m: (key, more, stream) =>
    anthropic(key).messages.create({
      model: "m",
      messages: [{ role: "user", content: "Hello" }],
      max_tokens: 50,
      ...more,
      stream
    })
}

const sound = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }
const tool = (type: string, more: object = {}) => ({ tools: [{ type, ...more }] })
const refused: ReadonlyArray<readonly [at: "r" | "c" | "m", more: object, param: string, value: string]> = [
  ["r", { service_tier: "ultrafast" }, "service_tier", "ultrafast"],
  ["r", { service_tier: "flex" }, "service_tier", "flex"],
  ["r", tool("image_generation"), "tools[0]", "image_generation"],
  ["r", tool("code_interpreter", { container: { type: "auto" } }), "tools[0]", "code_interpreter"],
  ["r", tool("shell", { environment: { type: "container_auto" } }), "tools[0]", "shell"],
  ["r", tool("file_search", { vector_store_ids: ["vs_1"] }), "tools[0]", "file_search"],
  ["r", tool("x_search"), "tools[0]", "x_search"],
  ["r", tool("collections_search"), "tools[0]", "collections_search"],
  ["r", tool("web_search"), "tools[0]", "web_search"],
  ["r", { prompt_cache_options: { ttl: "12h" } }, "prompt_cache_options.ttl", "12h"],
  ["c", { service_tier: "priority" }, "service_tier", "priority"],
  ["c", { modalities: ["text", "audio"] }, "modalities", "audio"],
  ["c", { modalities: ["text", "image"] }, "modalities", "image"],
  ["c", { audio: { voice: "alloy", format: "wav" } }, "audio", "audio"],
  ["c", { messages: [{ role: "user", content: [sound] }] }, "messages[0].content[0]", "input_audio"],
  ["c", { web_search_options: {} }, "web_search_options", "web_search"],
  ["c", { tools: [{ google_maps: {} }] }, "tools[0]", "google_maps"],
  ["m", { service_tier: "priority" }, "service_tier", "priority"],
  ["m", { speed: "fast" }, "speed", "fast"],
  ["m", { inference_geo: "us" }, "inference_geo", "us"],
  ["m", tool("web_search_20250305", { name: "web_search" }), "tools[0]", "web_search_20250305"],
  ["m", tool("code_execution_20250825", { name: "code_execution" }), "tools[0]", "code_execution_20250825"],
  ["m", tool("advisor_20260301", { name: "advisor", model: "claude-opus-5" }), "tools[0]", "advisor_20260301"],
  ["m", { fallbacks: [{ model: "claude-opus-5" }] }, "fallbacks[0]", "claude-opus-5"]
]

const failure = (sending: Promise<unknown>): Promise<unknown> =>
  sending.then(
    () => undefined,
    (error: unknown) => error
  )

describe("what has no price", () => {
  it.each(refused.flatMap((one) => [false, true].map((stream) => [...one, stream ? "streamed" : "whole"] as const)))(
    "is refused at %s: %j, %s (%s, %s)",
    async (at, more, param, value, form) => {
      const before = calls()
      const stream = form === "streamed"
      const error = await failure(sends[at]("counted", more, stream))
      const message = `"${param}": "${value}" of model "${at}" has no price`
      if (at === "m") {
        expect(error).toBeInstanceOf(PermissionDeniedError)
        expect(error).toMatchObject({
          status: 403,
          type: "quota_exceeded",
          error: { type: "error", error: { type: "quota_exceeded", message } }
        })
      } else {
        expect(error).toBeInstanceOf(OpenAIPermissionDeniedError)
        expect(error).toMatchObject({
          status: 403,
          code: "permission_error",
          type: "permission_error",
          param,
          error: { message }
        })
      }
      expect(calls()).toBe(before)
      await sends[at]("allowed", more, stream)
      expect(calls()).toBe(before + 1)
    }
  )
})
