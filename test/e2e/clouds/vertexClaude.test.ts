import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Anthropic from "@anthropic-ai/sdk"
import { AnthropicVertex } from "@anthropic-ai/vertex-sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { startGateway } from "../process.ts"
import type { GatewayProcess } from "../process.ts"

interface Seen {
  readonly path: string
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

const message = {
  id: "msg_vrtx_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5-20250929",
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 9, output_tokens: 2 }
}
const frames = [
  { type: "message_start", message: { ...message, content: [], stop_reason: null } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: "message_stop" }
]

/** Vertex, as Anthropic's SDK for it calls it: the model in the path alone, the version in the body. */
const seen: Array<Seen> = []
const models = "/v1/projects/house/locations/global/publishers/anthropic/models"
const vertex = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const path = new URL(request.url).pathname
    if (path === "/sts") return Response.json({ access_token: "ya29.token-0123456789", expires_in: 3_600 })
    const body = (await request.json()) as Record<string, unknown>
    const refused = (code: number, text: string) =>
      Response.json({ error: { code, message: text, status: "INVALID_ARGUMENT" } }, { status: code })
    if (request.headers.get("authorization") !== "Bearer ya29.token-0123456789") return refused(401, "no token")
    if (typeof body["anthropic_version"] !== "string") return refused(400, "anthropic_version: Field required")
    seen.push({ path, headers: request.headers, body })
    if (path === `${models}/count-tokens:rawPredict` && typeof body["model"] === "string") {
      return Response.json({ input_tokens: 9 })
    }
    const [, verb] = /\/claude-sonnet-4-5@20250929:(\w+)$/.exec(path) ?? []
    if (body["model"] !== undefined) return refused(400, "model: Extra inputs are not permitted")
    if (verb === "rawPredict" && body["stream"] !== true) return Response.json(message)
    if (verb !== "streamRawPredict" || body["stream"] !== true) return refused(404, "no such model")
    const text = frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join("")
    return new Response(text, { headers: { "content-type": "text/event-stream" } })
  }
})
const base = `http://127.0.0.1:${vertex.port}`

let gateway: GatewayProcess
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-vertex-"))
  const upstreams = {
    up: {
      protocol: "anthropic-messages",
      provider: "vertex",
      base_url: base + models.replace(/\/models$/, ""),
      api_key: "ya29.token-0123456789"
    }
  }
  const routes = [{ upstream: "up", model: "claude-sonnet-4-5@20250929" }]
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models: { sonnet: { routes } } }))
  gateway = await startGateway({ folder })
  const credentials = {
    type: "external_account",
    audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: `${base}/sts`,
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
  await vertex.stop(true)
})

/** The SDK finds its credentials itself: a workload identity whose tokens the fake gives out. */
const own = () => new AnthropicVertex({ baseURL: `${base}/v1`, projectId: "house", region: "global", maxRetries: 0 })
const throughGateway = () => new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 })

const asked = {
  max_tokens: 100,
  system: "Be brief.",
  messages: [{ role: "user" as const, content: "Hi" }],
  tools: [{ name: "look", input_schema: { type: "object" as const, properties: { at: { type: "string" } } } }]
}
const name = "claude-sonnet-4-5@20250929"
const last = (): Pick<Seen, "path" | "body"> => {
  const { body, path } = seen.at(-1) ?? { body: {}, path: "" }
  return { path, body }
}

/** What the SDK leaves out and the gateway writes: `stream: false`, which is the same. */
const comparable = ({ body, path }: ReturnType<typeof last>) => ({
  path,
  body: { ...body, stream: body["stream"] === true }
})

describe("Claude at Vertex", () => {
  it("is asked as Anthropic's SDK for Vertex asks it, whole, streamed and for a count", async () => {
    const direct = own()
    const client = throughGateway()

    expect((await direct.messages.create({ model: name, ...asked })).content).toEqual(message.content)
    const whole = comparable(last())
    expect((await client.messages.create({ model: "sonnet", ...asked })).content).toEqual(message.content)
    expect(comparable(last())).toEqual(whole)

    expect(await direct.messages.stream({ model: name, ...asked }).finalText()).toBe("Hello")
    const streamed = comparable(last())
    expect(await client.messages.stream({ model: "sonnet", ...asked }).finalText()).toBe("Hello")
    expect(comparable(last())).toEqual(streamed)

    const { max_tokens: _, ...counted } = asked
    expect((await direct.messages.countTokens({ model: name, ...counted })).input_tokens).toBe(9)
    const count = last()
    expect((await client.messages.countTokens({ model: "sonnet", ...counted })).input_tokens).toBe(9)
    expect(last()).toEqual(count)
    expect(seen.at(-1)?.headers.get("anthropic-version")).toBeNull()
  })

  it("answers clients of OpenAI's families, and the usual version is the documented one", async () => {
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
    const chat = await client.chat.completions.create({ model: "sonnet", messages: asked.messages })
    expect(chat.choices[0]?.message.content).toBe("Hello")
    expect(last()).toMatchObject({
      path: `${models}/${name}:rawPredict`,
      body: { anthropic_version: "vertex-2023-10-16" }
    })
    const stream = client.responses.stream({ model: "sonnet", input: "Hi" })
    expect((await stream.finalResponse()).output_text).toBe("Hello")
    expect(last().path).toBe(`${models}/${name}:streamRawPredict`)
  })
})
