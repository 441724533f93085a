import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"

const upstreams = {
  responses: fakeUpstream("openai-responses"),
  messages: fakeUpstream("anthropic-messages"),
  chat: fakeUpstream("openai-chat")
}
type Name = keyof typeof upstreams
const names = Object.keys(upstreams) as ReadonlyArray<Name>

let gateway: GatewayHere
let client: OpenAI
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-compact-"))
  const protocols = { responses: "openai-responses", messages: "anthropic-messages", chat: "openai-chat" }
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: Object.fromEntries(
        names.map((name) => [
          name,
          { protocol: protocols[name], base_url: `${upstreams[name].url}${name === "messages" ? "" : "/v1"}` }
        ])
      ),
      models: Object.fromEntries(names.map((name) => [name, { routes: [{ upstream: name, model: "m" }] }]))
    })
  )
  gateway = await startGateway({ folder })
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all(names.map((name) => upstreams[name].stop()))
})

const conversation: Array<OpenAI.Responses.ResponseInputItem> = [
  { role: "user", content: "My name is Ada. Look the weather up, please. play:text" },
  { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' },
  { type: "function_call_output", call_id: "call_1", output: "rain all day" },
  { role: "assistant", content: "It rains in Oslo." },
  { role: "user", content: [{ type: "input_text", text: "Thanks." }] }
]

describe.each(names)("a conversation of a model at %s", (name) => {
  it("is compacted to what the user said and a summary, which the next request goes on from", async () => {
    const asked = upstreams[name].asked
    const compacted = await client.responses.compact({ model: name, input: conversation, instructions: "Be brief." })
    const sent = JSON.stringify(asked.at(-1)?.body)
    for (const said of ["Be brief.", "Ada", "weather", "Oslo", "rain all day", "It rains"]) expect(sent).toContain(said)
    expect(asked.at(-1)?.body).not.toHaveProperty("tools")
    expect(compacted).toMatchObject({
      object: "response.compaction",
      usage: { input_tokens: expect.any(Number), total_tokens: expect.any(Number) },
      output: [
        { type: "message", role: "user", id: expect.stringMatching(/^msg_/) },
        { type: "message", role: "user", content: [{ type: "input_text", text: "Thanks." }] },
        { type: "compaction", id: expect.stringMatching(/^cmp_/), encrypted_content: expect.any(String) }
      ]
    })
    const input = [...compacted.output, { role: "user", content: "play:text" }]
    for (const model of names) {
      const next = await client.responses.create({ model, input: input as OpenAI.Responses.ResponseInput })
      expect(next.status).toBe("completed")
      const body = JSON.stringify(upstreams[model].asked.at(-1)?.body)
      expect(body).toContain("Summary of the conversation so far")
      expect(body).not.toContain("encrypted_content")
    }
  })
})

describe("POST /v1/responses/compact", () => {
  it("goes on from a stored response", async () => {
    const first = await client.responses.create({ model: "chat", input: "I am Grace. play:text" })
    const compacted = await client.responses.compact({ model: "chat", previous_response_id: first.id })
    expect(JSON.stringify(upstreams.chat.asked.at(-1)?.body)).toContain(first.output_text)
    expect(compacted.output.map(({ type }) => type)).toEqual(["message", "compaction"])
  })

  it("is a 400 where the model refuses to write a summary", async () => {
    const asked = client.responses.compact({ model: "sandbox-text", input: "[[sandbox: finish=refusal]]" })
    await expect(asked).rejects.toMatchObject({ status: 400, param: "input" })
  })

  it("refuses what is no conversation, and one that is broken", async () => {
    const compact = (body: object) => client.responses.compact(body as OpenAI.Responses.ResponseCompactParams)
    await expect(compact({ input: "Hello" })).rejects.toMatchObject({ status: 400, param: "model" })
    await expect(compact({ model: "chat" })).rejects.toMatchObject({ status: 400, param: "input" })
    await expect(compact({ model: "nobody", input: "Hello" })).rejects.toMatchObject({ status: 400, param: "model" })
    const orphan = [{ type: "function_call_output", call_id: "call_x", output: "?" }]
    await expect(compact({ model: "chat", input: orphan })).rejects.toMatchObject({ status: 400, param: "input" })
    await expect(compact({ model: "chat", previous_response_id: "resp_x" })).rejects.toMatchObject({
      status: 400,
      param: "previous_response_id"
    })
  })
})
