import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import type { Asked } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const queries: Array<string | null> = []
const searxng = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => {
    queries.push(new URL(request.url).searchParams.get("q"))
    return Response.json({
      results: [
        { url: "https://other.example.net/", title: "Other", content: "Not allowed." },
        { url: "https://www.example.com/tower", title: "Tower", content: "The tower was finished in 1889." }
      ]
    })
  }
})

/** A model that searches while it has no result of a search, and then answers. */
const answer = ({ body }: Asked): Response => {
  const isFound = body.messages.some((message: { role: string }) => message.role === "tool")
  const calls = [
    { index: 0, id: "call_1", type: "function", function: { name: "web_search", arguments: '{"query":"tower"}' } }
  ]
  const deltas: ReadonlyArray<object> = isFound
    ? ["It was ", "finished in ", "1889 [", "[1]", "]."].map((content) => ({ content }))
    : [{ tool_calls: calls }]
  const finish_reason = isFound ? "stop" : "tool_calls"
  const usage = { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 }
  if (body.stream !== true) {
    const content = isFound ? "It was finished in 1889 [[1]]." : null
    const message = { role: "assistant", content, ...(isFound ? {} : { tool_calls: calls }) }
    return Response.json({ id: "c", object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage })
  }
  const chunks = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason }] },
    { choices: [], usage }
  ]
  const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")
  return new Response(`${text}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } })
}
const chat = fakeUpstream("openai-chat", { answer })

const start = (search: string) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-search-"))
  const upstream = `upstreams: { chat: { protocol: openai-chat, base_url: "${chat.url}/v1" } }`
  writeFileSync(join(folder, "gateway.yaml"), `${upstream}\nmodels: { house: chat }\n${search}`)
  return startGateway({ folder })
}

let gateway: GatewayHere
let without: GatewayHere
beforeAll(async () => {
  const search = `search: { provider: searxng, base_url: "http://127.0.0.1:${searxng.port}" }\n`
  ;[gateway, without] = await Promise.all([start(search), start("")])
})
afterAll(async () => {
  await Promise.all([gateway.dispose(), without.dispose(), chat.stop(), searxng.stop(true)])
})

const anthropic = (at = gateway) => new Anthropic({ baseURL: at.url, apiKey: at.key, maxRetries: 0 })
const openai = (at = gateway) => new OpenAI({ baseURL: `${at.url}/v1`, apiKey: at.key, maxRetries: 0 })

const message = {
  model: "house",
  max_tokens: 200,
  messages: [{ role: "user" as const, content: "When was the tower finished?" }],
  tools: [{ type: "web_search_20250305" as const, name: "web_search" as const, allowed_domains: ["example.com"] }]
}
const response = {
  model: "house",
  input: "When was the tower finished?",
  include: ["web_search_call.action.sources" as const],
  tools: [{ type: "web_search" as const, filters: { allowed_domains: ["example.com"] } }]
}

describe("a search that the gateway makes for a model without one", () => {
  it.each([true, false])("reads as a native one in messages (stream: %s)", async (stream) => {
    const answer = stream
      ? await anthropic().messages.stream(message).finalMessage()
      : await anthropic().messages.create(message)
    expect(answer.content).toMatchObject([
      { type: "server_tool_use", name: "web_search", input: { query: "tower" } },
      {
        type: "web_search_tool_result",
        content: [{ type: "web_search_result", url: "https://www.example.com/tower", title: "Tower" }]
      },
      {
        type: "text",
        text: "It was finished in 1889.",
        citations: [
          {
            type: "web_search_result_location",
            url: "https://www.example.com/tower",
            cited_text: "The tower was finished in 1889."
          }
        ]
      }
    ])
    expect(answer.content[1]).toHaveProperty("tool_use_id", (answer.content[0] as { id: string }).id)
    expect(answer).toMatchObject({
      stop_reason: "end_turn",
      usage: { input_tokens: 40, output_tokens: 16, server_tool_use: { web_search_requests: 1 } }
    })
    expect(queries.at(-1)).toBe("tower site:example.com")
  })

  it.each([true, false])("reads as a native one in responses (stream: %s)", async (stream) => {
    const answer = stream
      ? await openai().responses.stream(response).finalResponse()
      : await openai().responses.create(response)
    expect(answer.output).toMatchObject([
      {
        type: "web_search_call",
        status: "completed",
        action: { type: "search", query: "tower", sources: [{ type: "url", url: "https://www.example.com/tower" }] }
      },
      {
        type: "message",
        content: [
          {
            text: "It was finished in 1889.",
            annotations: [
              {
                type: "url_citation",
                url: "https://www.example.com/tower",
                title: "Tower",
                start_index: 0,
                end_index: 23
              }
            ]
          }
        ]
      }
    ])
    expect(answer.usage).toMatchObject({ input_tokens: 40, output_tokens: 16 })
  })

  it.each([true, false])("is an answer with annotations in chat completions (stream: %s)", async (stream) => {
    queries.length = 0
    const { completions } = openai().chat
    const params = {
      model: "house",
      messages: [{ role: "user" as const, content: "When was the tower finished?" }],
      web_search_options: { search_context_size: "low" as const }
    }
    const message = { content: "", annotations: [] as Array<unknown> }
    if (stream) {
      for await (const chunk of await completions.create({ ...params, stream })) {
        const delta = chunk.choices[0]?.delta as Partial<typeof message> | undefined
        message.content += delta?.content ?? ""
        message.annotations.push(...(delta?.annotations ?? []))
      }
    } else Object.assign(message, (await completions.create(params)).choices[0]!.message)
    expect(message).toMatchObject({
      content: "It was finished in 1889.",
      annotations: [{ type: "url_citation", url_citation: { url: "https://other.example.net/", title: "Other" } }]
    })
    expect(queries).toEqual(["tower"])
    expect(chat.asked.at(-1)?.body).not.toHaveProperty("web_search_options")
  })

  it("goes on in the next turn with what it found", async () => {
    const client = anthropic()
    const first = await client.messages.create(message)
    const before = queries.length
    const second = await client.messages.create({
      ...message,
      messages: [
        ...message.messages,
        { role: "assistant", content: first.content as Anthropic.ContentBlockParam[] },
        { role: "user", content: "Are you sure?" }
      ]
    })
    expect(queries).toHaveLength(before)
    expect(second.content).toMatchObject([{ type: "text", citations: [{ title: "Tower" }] }])
    const shown = chat.asked.at(-1)?.body.messages
    expect(shown.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"])
    expect(JSON.stringify(shown)).toContain("[[1]] Tower")
  })

  it("without a provider is refused where no other tool is left", async () => {
    const rejected = { status: 400, message: expect.stringContaining("web search is not available for this model") }
    await expect(anthropic(without).messages.create(message)).rejects.toMatchObject(rejected)
    await expect(openai(without).responses.create(response)).rejects.toMatchObject(rejected)
  })

  it("without a provider is left out and named beside other tools, and refused where nothing may be left out", async () => {
    const more = {
      ...message,
      tools: [...(message.tools ?? []), { name: "add", input_schema: { type: "object" as const } }]
    }
    const answered = await anthropic(without).messages.create(more).asResponse()
    expect([answered.status, answered.headers.get("x-gateway-adapted")]).toEqual([
      200,
      expect.stringContaining("tools")
    ])
    const strict = { headers: { "x-gateway-strict": "true" } }
    await expect(anthropic(without).messages.create(more, strict)).rejects.toMatchObject({ status: 400 })
    await expect(openai(without).responses.create(response, strict)).rejects.toMatchObject({ status: 400 })
  })
})
