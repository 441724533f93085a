import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@effect/vitest"
import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"
import type { ResponseCreateParamsNonStreaming } from "openai/resources/responses/responses"
import type { GatewayHere } from "../gatewayHere.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { startCallingModel, startDice } from "./callingModel.ts"

const dice = startDice()
const plain = startCallingModel()

/** A model that looks for a tool, calls it, and answers. */
const looking = fakeUpstream("openai-chat", {
  answer: ({ body }) => {
    const names = body.tools?.map((tool: { function: { name: string } }) => tool.function.name) ?? []
    const results = body.messages.filter(({ role }: { role: string }) => role === "tool").length
    const call = (name: string, args: string) => ({
      role: "assistant",
      content: null,
      tool_calls: [{ id: `call_${results}`, type: "function", function: { name, arguments: args } }]
    })
    const message = names.includes("dice__roll")
      ? results < 2
        ? call("dice__roll", '{"sides":6}')
        : { role: "assistant", content: "Six" }
      : names.includes("tool_search")
        ? call("tool_search", '{"query":"roll"}')
        : { role: "assistant", content: "No tool" }
    const finish_reason = message.content === null ? "tool_calls" : "stop"
    const usage = { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 }
    return Response.json({ id: "c", object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage })
  }
})
const offered = () =>
  looking.asked.map(({ body }) => body.tools?.map((tool: { function: { name: string } }) => tool.function.name))

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await plain.gateway(
    { GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8" },
    {
      upstreams: { looking: { protocol: "openai-chat", base_url: `${looking.url}/v1` } },
      models: { house: "looking" }
    }
  )
})
beforeEach(() => {
  looking.asked.length = 0
})
afterAll(async () => {
  await Promise.all([gateway.dispose(), plain.stop(), looking.stop(), dice.stop()])
})

const server = {
  type: "mcp" as const,
  server_label: "dice",
  server_url: dice.url,
  require_approval: "never" as const,
  defer_loading: true
}
const create = (asking: Partial<ResponseCreateParamsNonStreaming>) => {
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
  const body = { model: "house", input: "Roll a die", tools: [server, { type: "tool_search" as const }], ...asking }
  return openai.responses.create({ ...body, stream: false }).withResponse()
}
const both = ["dice__roll", "dice__cheat_now"]

describe("tools that are deferred", () => {
  it("are hidden until the model finds them, and shown in later turns once they were called", async () => {
    const { data, response } = await create({ max_tool_calls: 1 })
    expect(data.output.map(({ type }) => type)).toEqual(["mcp_list_tools", "mcp_call", "message"])
    expect(offered()).toEqual([["tool_search"], ["tool_search", "dice__roll"], undefined])
    expect(response.headers.get("x-gateway-adapted")).toBeNull()
    looking.asked.length = 0
    await create({ previous_response_id: data.id, input: "Again" })
    expect(offered()[0]).toEqual(["dice__roll", "tool_search"])
  })

  it("are shown at once if they are chosen, or nothing searches for them here", async () => {
    await create({ tool_choice: { type: "mcp", server_label: "dice", name: "roll" } })
    expect(offered()[0]).toEqual(["tool_search", "dice__roll"])
    for (const tools of [[server], [server, { type: "tool_search" as const, execution: "client" as const }]]) {
      looking.asked.length = 0
      await create({ tools })
      expect(offered()[0]).toEqual(expect.arrayContaining(both))
    }
  })

  it("are hidden in messages too", async () => {
    const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 })
    const { content } = await anthropic.beta.messages.create({
      model: "house",
      max_tokens: 100,
      messages: [{ role: "user", content: "Roll a die" }],
      mcp_servers: [{ type: "url", name: "dice", url: dice.url }],
      tools: [
        { type: "mcp_toolset", mcp_server_name: "dice", default_config: { defer_loading: true } },
        { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" }
      ],
      betas: ["mcp-client-2025-11-20"]
    })
    expect(content.map(({ type }) => type)).toEqual(["mcp_tool_use", "mcp_tool_result", "text"])
    expect(offered().slice(0, 2)).toEqual([["tool_search"], ["tool_search", "dice__roll"]])
  })
})
