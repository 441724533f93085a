import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { azureKey } from "../../upstreams/fakes/azure.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import { startCloud } from "../../upstreams/fakes/startCloud.ts"
import { vertexModel, vertexModels, vertexToken } from "../../upstreams/fakes/vertexClaude.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { callTurns, expectWhole, images, loopByChat, loopByMessages, loopByResponses, timesIn } from "./loops.ts"

const [azure, vertex] = await Promise.all([startCloud("azure"), startCloud("vertex")])

let gateway: GatewayHere
let anthropic: Anthropic
let openai: OpenAI
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-loops-"))
  const gpt = { provider: "azure", base_url: `${azure.url}/openai/v1`, api_key: azureKey }
  const upstreams = {
    responses: { ...gpt, protocol: "openai-responses" },
    chat: { ...gpt, protocol: "openai-chat" },
    vertex: {
      protocol: "anthropic-messages",
      provider: "vertex",
      base_url: vertex.url + vertexModels.replace(/\/models$/, ""),
      api_key: vertexToken
    }
  }
  const models = {
    "gpt-by-responses": { routes: [{ upstream: "responses", model: "house-gpt" }] },
    "gpt-by-chat": { routes: [{ upstream: "chat", model: "house-gpt" }] },
    claude: { routes: [{ upstream: "vertex", model: vertexModel }] }
  }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models }))
  gateway = await startGateway({ folder })
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 })
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([azure.stop(), vertex.stop()])
})

const byOpenai = { responses: loopByResponses, chat: loopByChat } as const
const cases = (["gpt-by-responses", "gpt-by-chat"] as const).flatMap((model) =>
  (["responses", "chat"] as const).map((family) => ({ model, family }))
)

describe("a loop of twenty turns with tools, images and thinking", () => {
  it.each(cases)("on $model at Azure, by $family", async ({ family, model }) => {
    await byOpenai[family](openai, model)
    const { body, by, path } = await azure.last()
    const sent = JSON.stringify(body)
    expect([by, path]).toEqual(["api-key", `/openai/v1/${model === "gpt-by-chat" ? "chat/completions" : "responses"}`])
    expectWhole(sent, images[family], model === "gpt-by-chat" ? /"tool_call_id":"(\w+)"/g : /"call_id":"(\w+)"/g)
    // Chat at Azure has no place for opaque reasoning; callers of chat get it as `reasoning_details`.
    const signed = model === "gpt-by-responses" ? callTurns : 0
    expect(timesIn(sent, spoken.encrypted)).toBe(signed)
  })

  it.each([
    ["messages", () => loopByMessages(anthropic, "claude")],
    ["responses", () => loopByResponses(openai, "claude")],
    ["chat", () => loopByChat(openai, "claude")]
  ] as const)("on Claude at Vertex, by %s", async (family, loop) => {
    await loop()
    const { body, path } = await vertex.last()
    const sent = JSON.stringify(body)
    expect(path).toMatch(new RegExp(`^${vertexModels}/${vertexModel}:`))
    expectWhole(sent, images[family], /"tool_use_id":"(\w+)"/g)
    expect(timesIn(sent, spoken.signature)).toBe(callTurns)
  })
})
