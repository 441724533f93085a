import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import OpenAI6 from "openai-6"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.dispose())

const model = "sandbox-text"

const tools = ["get_weather", "get_time"].map((name) => ({
  type: "function" as const,
  name,
  description: name,
  strict: true,
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false
  }
}))

describe.each([
  ["openai 7", OpenAI],
  // Version 6 has the same methods; its types differ where nothing here looks.
  ["openai 6", OpenAI6 as unknown as typeof OpenAI]
])("%s", (_, Client) => {
  const connect = (options: { apiKey?: string } = {}) =>
    new Client({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0, ...options })

  it("creates, reads back, lists the input and deletes", async () => {
    const client = connect()
    const created = await client.responses.create({ model, input: "Hello!", metadata: { team: "a" } })
    expect(created.status).toBe("completed")
    expect(created.output_text).toContain("Hello!")
    expect(created.usage?.total_tokens).toBe(created.usage!.input_tokens + created.usage!.output_tokens)
    expect(created.metadata).toEqual({ team: "a" })
    expect(created._request_id).toMatch(/^req_/)

    const read = await client.responses.retrieve(created.id)
    expect(read.output).toEqual(created.output)
    const items = await client.responses.inputItems.list(created.id)
    expect(items.data).toMatchObject([{ role: "user", content: [{ type: "input_text", text: "Hello!" }] }])
    await client.responses.delete(created.id)
    await expect(client.responses.retrieve(created.id)).rejects.toMatchObject({ status: 404 })
  })

  it("streams what it would have answered", async () => {
    const client = connect()
    const stream = client.responses.stream({ model, input: "Hello!" })
    const deltas: Array<string> = []
    stream.on("response.output_text.delta", (event) => deltas.push(event.delta))
    const final = await stream.finalResponse()
    expect(final.status).toBe("completed")
    expect(deltas.length).toBeGreaterThan(1)
    expect((await client.responses.create({ model, input: "Hello!" })).output_text).toBe(deltas.join(""))
    const read = await client.responses.retrieve(final.id)
    expect(read.output_text).toBe(deltas.join(""))
    expect(final.output).toMatchObject(read.output)
  })

  it("replays a stored response as the stream it was", async () => {
    const client = connect()
    const created = await client.responses.create({ model, input: "Hello!" })
    const types: Array<string> = []
    for await (const event of await client.responses.retrieve(created.id, { stream: true })) types.push(event.type)
    expect(types[0]).toBe("response.created")
    expect(types).toContain("response.output_text.delta")
    expect(types.at(-1)).toBe("response.completed")
    const rest = await client.responses.retrieve(created.id, { stream: true, starting_after: types.length - 2 })
    for await (const event of rest) expect(event.type).toBe("response.completed")
  })

  it("runs a loop of two parallel tool calls, streamed, on previous_response_id", async () => {
    const client = connect()
    const first = await client.responses.stream({ model, tools, input: "Weather and time in Paris?" }).finalResponse()
    const calls = first.output.filter((item) => item.type === "function_call")
    expect(calls.map((call) => call.name)).toEqual(["get_weather", "get_time"])
    const outputs = calls.map((call) => {
      expect(JSON.parse(call.arguments)).toHaveProperty("city")
      return { type: "function_call_output" as const, call_id: call.call_id, output: `${call.name}: fine` }
    })
    const second = await client.responses.create({ model, tools, previous_response_id: first.id, input: outputs })
    expect(second.output_text).toContain("get_weather: fine")
    expect(second.output_text).toContain("get_time: fine")
    expect(second.previous_response_id).toBe(first.id)
  })

  it("runs the same loop with the items sent back by the client", async () => {
    const client = connect()
    const input: Array<OpenAI.Responses.ResponseInputItem> = [{ role: "user", content: "Weather in Paris?" }]
    const first = await client.responses.create({ model, tools, input, store: false })
    for (const item of first.output) {
      input.push(item as OpenAI.Responses.ResponseInputItem)
      if (item.type === "function_call") {
        input.push({ type: "function_call_output", call_id: item.call_id, output: "sunny" })
      }
    }
    const second = await client.responses.create({ model, tools, input, store: false })
    expect(second.output_text).toContain("sunny")
  })

  it("reasons, and takes its own reasoning back", async () => {
    const client = connect()
    const request: Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "input" | "stream"> = {
      model,
      reasoning: { effort: "low", summary: "auto" },
      include: ["reasoning.encrypted_content"],
      store: false
    }
    const first = await client.responses.stream({ ...request, input: "Why is the sky blue?" }).finalResponse()
    const [reasoning, message] = first.output
    expect(reasoning).toMatchObject({ type: "reasoning", summary: [{ type: "summary_text" }] })
    expect(reasoning).toHaveProperty("encrypted_content", expect.any(String))
    expect(message?.type).toBe("message")
    expect(first.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0)
    const second = await client.responses.create({
      ...request,
      input: [
        { role: "user", content: "Why is the sky blue?" },
        ...(first.output as Array<OpenAI.Responses.ResponseInputItem>),
        { role: "user", content: "And at night?" }
      ]
    })
    expect(second.status).toBe("completed")
  })

  it("searches the web with sources and citations, and remembers it", async () => {
    const client = connect()
    const first = await client.responses
      .stream({
        model,
        tools: [{ type: "web_search", search_context_size: "low" }],
        include: ["web_search_call.action.sources"],
        input: "Search for the history of bridges"
      })
      .finalResponse()
    const [search, message] = first.output
    expect(search).toMatchObject({
      type: "web_search_call",
      status: "completed",
      action: { type: "search", sources: [{ type: "url", url: expect.stringContaining("https://") }] }
    })
    const part = message?.type === "message" ? message.content[0] : undefined
    const citation = part?.type === "output_text" ? part.annotations[0] : undefined
    expect(citation).toMatchObject({ type: "url_citation", url: expect.stringContaining("https://") })
    const second = await client.responses.create({ model, previous_response_id: first.id, input: "Thanks!" })
    expect(second.output_text).toContain("Thanks!")
  })

  it("ends a response that reached its limit as incomplete, which can be continued", async () => {
    const client = connect()
    const request = { model, input: "[[sandbox: tokens=500]] Tell me all.", max_output_tokens: 16 }
    const cut = await client.responses.create(request)
    expect(cut.status).toBe("incomplete")
    expect(cut.incomplete_details?.reason).toBe("max_output_tokens")
    expect(cut.output.at(-1)).toHaveProperty("status", "incomplete")
    let last = ""
    for await (const event of await client.responses.create({ ...request, stream: true })) last = event.type
    expect(last).toBe("response.incomplete")
    const next = await client.responses.create({ model, previous_response_id: cut.id, input: "Go on" })
    expect(next.status).toBe("completed")
  })

  it("throws each failure as the class of its status", async () => {
    const client = connect()
    const invalid = client.responses.create({ model, input: "a", temperature: 3 })
    await expect(invalid).rejects.toBeInstanceOf(Client.BadRequestError)
    await expect(invalid).rejects.toMatchObject({ code: "invalid_params", param: "temperature" })
    const unauthorized = connect({ apiKey: "nobody" }).responses.create({ model, input: "a" })
    await expect(unauthorized).rejects.toBeInstanceOf(Client.AuthenticationError)
    await expect(unauthorized).rejects.toMatchObject({ code: "auth_invalid" })
    await expect(client.responses.retrieve("resp_unknown")).rejects.toBeInstanceOf(Client.NotFoundError)
    const limited = client.responses.create({ model, input: "[[sandbox: error=429]] hi" })
    await expect(limited).rejects.toBeInstanceOf(Client.RateLimitError)
    const broken = client.responses.create({ model, input: "[[sandbox: error=500]] hi", stream: true })
    await expect(broken).rejects.toBeInstanceOf(Client.InternalServerError)
    await expect(client.responses.cancel("resp_unknown")).rejects.toBeInstanceOf(Client.NotFoundError)
    const { id } = await client.responses.create({ model, input: "a" })
    await expect(client.responses.cancel(id)).rejects.toBeInstanceOf(Client.BadRequestError)
  })

  it("throws a failure in the middle of a stream with its message", async () => {
    const client = connect()
    const input = "[[sandbox: cut=5]] Hello there, tell me a story."
    await expect(client.responses.stream({ model, input }).finalResponse()).rejects.toThrow(/./)
    const seen: Array<string> = []
    let responseId = ""
    const failure = await (async () => {
      try {
        for await (const event of await client.responses.create({ model, input, stream: true })) {
          seen.push(event.type)
          if (event.type === "response.created") responseId = event.response.id
        }
        return undefined
      } catch (error) {
        return error
      }
    })()
    expect(seen).toContain("response.output_text.delta")
    expect(failure).toBeInstanceOf(Client.APIError)
    expect(failure).toMatchObject({ code: "server_error" })
    const stored = await client.responses.retrieve(responseId)
    expect(stored.status).toBe("failed")
    await expect(
      client.responses.create({ model, input: "go on", previous_response_id: responseId })
    ).rejects.toMatchObject({ status: 400, param: "previous_response_id" })
  })

  it("counts input tokens", async () => {
    const counted = await connect().responses.inputTokens.count({ model, input: "Hello, how are you?" })
    expect(counted.input_tokens).toBeGreaterThan(3)
  })

  it("lists models", async () => {
    const client = connect()
    const models: Array<string> = []
    for await (const entry of client.models.list()) models.push(entry.id)
    expect(models).toContain(model)
    expect(await client.models.retrieve(model)).toMatchObject({ id: model, object: "model" })
    await expect(client.models.retrieve("nothing")).rejects.toMatchObject({ status: 404 })
  })
})
