import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"

const secret = "mine-key-0123456789-0123456789-0123"
const bodies: Array<unknown> = []
const upstream = fakeUpstream("openai-responses", {
  answer: ({ body }) => {
    bodies.push(body)
    const content = [{ type: "output_text", text: `${bodies.length}`, annotations: [] }]
    // Gives the same id each time.
    const message = { type: "message", id: "msg_up", role: "assistant", status: "completed", content }
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
    const response = { id: "resp_up", object: "response", created_at: 1, status: "completed", model: "gpt-5.1" }
    return Response.json({ ...response, conversation: null, output: [message], usage })
  }
})
afterAll(() => upstream.stop())

describe("a conversation at an upstream of the same dialect", () => {
  let gateway: GatewayHere
  let client: OpenAI
  beforeAll(async () => {
    const upstreams = { own: { protocol: "openai-responses", base_url: `${upstream.url}/v1`, api_key: "x" } }
    const folder = mkdtempSync(join(tmpdir(), "gateway-conversations-"))
    writeFileSync(
      join(folder, "gateway.yaml"),
      JSON.stringify({
        upstreams,
        models: { m: "own" },
        keys: [{ name: "mine", account: "mine", secret }],
        unpriced: "allow"
      })
    )
    gateway = await startGateway({ folder })
    client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 })
  })
  afterAll(() => gateway.dispose())

  it("goes there as input, without its id", async () => {
    const { id } = await client.conversations.create({ items: [{ role: "user", content: "zero" }] })
    const first = await client.responses.create({ model: "m", input: "one", conversation: id })
    expect(first).toMatchObject({ conversation: { id }, output_text: "1" })
    await client.responses.create({ model: "m", input: "two", conversation: { id } })
    expect(bodies.map((body) => JSON.stringify(body))).toEqual([
      expect.not.stringContaining("conv_"),
      expect.not.stringContaining("conv_")
    ])
    expect(bodies[1]).toMatchObject({
      input: [{ content: "zero" }, { content: [{ text: "one" }] }, { id: "msg_up" }, { content: [{ text: "two" }] }]
    })
    const { data } = await client.conversations.items.list(id, { order: "asc" })
    expect(data.map((item) => item.type === "message" && item.role)).toEqual([
      "user",
      "user",
      "assistant",
      "user",
      "assistant"
    ])
    expect(new Set(data.map((item) => item.id)).size).toBe(5)
  })

  it("of the upstream's own goes there by its id", async () => {
    await client.responses.create({ model: "m", input: "one", conversation: "conv_theirs" })
    expect(bodies.at(-1)).toMatchObject({ conversation: "conv_theirs" })
  })
})
