import { AuthenticationError, AzureOpenAI, OpenAI } from "openai"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.dispose())

const model = "sandbox-text"
const messages: Array<OpenAI.ChatCompletionMessageParam> = [{ role: "user", content: "Hello!" }]

describe("a client of Azure's OpenAI", () => {
  it("is served at paths of deployments, by its own header", async () => {
    const azure = new AzureOpenAI({ endpoint: gateway.url, apiKey: gateway.key, apiVersion: "2024-10-21" })
    const answer = await azure.chat.completions.create({ model, messages })
    expect(answer.choices[0]?.message.content).toBeTruthy()
    let streamed = ""
    for await (const chunk of await azure.chat.completions.create({ model, messages, stream: true }))
      streamed += chunk.choices[0]?.delta.content ?? ""
    expect(streamed).not.toBe("")
    const wrong = new AzureOpenAI({ endpoint: gateway.url, apiKey: "wrong", apiVersion: "2024-10-21", maxRetries: 0 })
    await expect(wrong.chat.completions.create({ model, messages })).rejects.toThrow(AuthenticationError)
  })

  it("is served at its newer paths", async () => {
    const client = new OpenAI({ baseURL: `${gateway.url}/openai/v1`, apiKey: gateway.key })
    expect((await client.responses.create({ model, input: "Hello!" })).output_text).not.toBe("")
    // The sandbox has no embeddings; the endpoint says so of the model.
    await expect(client.embeddings.create({ model: "none", input: "Hello!" })).rejects.toThrow('model name "none"')
  })
})

it.each([
  ["/api/v3/chat/completions", { messages }, 200, "choices"],
  ["/api/v3/responses", { input: "Hello!" }, 200, "output"],
  ["/api/v3/embeddings", { model: "none", input: "Hello!" }, 404, 'model name \\"none\\"']
])("Ark's client is served at %s", async (path, body, status, says) => {
  const response = await request(gateway, path, { body: { model, ...body } })
  expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(says)])
})
