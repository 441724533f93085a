import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Anthropic from "@anthropic-ai/sdk"
import { AnthropicVertex } from "@anthropic-ai/vertex-sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import { startCloud } from "../../upstreams/fakes/startCloud.ts"
import { vertexModel as name, vertexModels as models, vertexToken } from "../../upstreams/fakes/vertexClaude.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"

const vertex = await startCloud("vertex")

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-vertex-"))
  const upstreams = {
    up: {
      protocol: "anthropic-messages",
      provider: "vertex",
      base_url: vertex.url + models.replace(/\/models$/, ""),
      api_key: vertexToken
    }
  }
  const routes = [{ upstream: "up", model: name }]
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models: { sonnet: { routes } } }))
  gateway = await startGateway({ folder })
  const credentials = {
    type: "external_account",
    audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: `${vertex.url}/sts`,
    credential_source: { file: join(folder, "subject.token") }
  }
  writeFileSync(join(folder, "subject.token"), "subject")
  writeFileSync(join(folder, "workload.json"), JSON.stringify(credentials))
  process.env["GOOGLE_APPLICATION_CREDENTIALS"] = join(folder, "workload.json")
  process.env["GOOGLE_CLOUD_PROJECT"] = "house"
})
afterAll(async () => {
  delete process.env["GOOGLE_APPLICATION_CREDENTIALS"]
  delete process.env["GOOGLE_CLOUD_PROJECT"]
  await gateway.dispose()
  await vertex.stop()
})

/** The SDK finds its credentials itself: a workload identity whose tokens the fake gives out. */
const own = () =>
  new AnthropicVertex({ baseURL: `${vertex.url}/v1`, projectId: "house", region: "global", maxRetries: 0 })
const throughGateway = () => new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 })

const asked = {
  max_tokens: 100,
  system: "Be brief.",
  messages: [{ role: "user" as const, content: "Hi" }],
  tools: [{ name: "look", input_schema: { type: "object" as const, properties: { at: { type: "string" } } } }]
}
const last = async () => {
  const { body, path } = await vertex.last()
  return { path, body }
}

/** What the SDK leaves out and the gateway writes: `stream: false`, which is the same. */
const comparable = async () => {
  const { body, path } = await last()
  return { path, body: { ...body, stream: body.stream === true } }
}

describe("Claude at Vertex", () => {
  it("is asked as Anthropic's SDK for Vertex asks it, whole, streamed and for a count", async () => {
    const direct = own()
    const client = throughGateway()

    expect((await direct.messages.create({ model: name, ...asked })).content).toMatchObject([{ text: spoken.text }])
    const whole = await comparable()
    expect((await client.messages.create({ model: "sonnet", ...asked })).content).toMatchObject([{ text: spoken.text }])
    expect(await comparable()).toEqual(whole)

    expect(await direct.messages.stream({ model: name, ...asked }).finalText()).toBe(spoken.text)
    const streamed = await comparable()
    expect(await client.messages.stream({ model: "sonnet", ...asked }).finalText()).toBe(spoken.text)
    expect(await comparable()).toEqual(streamed)

    const { max_tokens: _, ...counted } = asked
    expect((await direct.messages.countTokens({ model: name, ...counted })).input_tokens).toBe(9)
    const count = await last()
    expect((await client.messages.countTokens({ model: "sonnet", ...counted })).input_tokens).toBe(9)
    expect(await last()).toEqual(count)
    expect((await vertex.last()).headers.get("anthropic-version")).toBeNull()
  })

  it("answers clients of OpenAI's families, and the usual version is the documented one", async () => {
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
    const chat = await client.chat.completions.create({ model: "sonnet", messages: asked.messages })
    expect(chat.choices[0]?.message.content).toBe(spoken.text)
    expect(await last()).toMatchObject({
      path: `${models}/${name}:rawPredict`,
      body: { anthropic_version: "vertex-2023-10-16" }
    })
    const stream = client.responses.stream({ model: "sonnet", input: "Hi" })
    expect((await stream.finalResponse()).output_text).toBe(spoken.text)
    expect((await last()).path).toBe(`${models}/${name}:streamRawPredict`)
  })
})
