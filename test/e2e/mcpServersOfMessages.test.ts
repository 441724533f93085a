import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@effect/vitest"
import Anthropic from "@anthropic-ai/sdk"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { startCallingModel, startDice } from "./callingModel.ts"

type Asked = Anthropic.Beta.Messages.MessageCreateParamsNonStreaming
type Toolset = Anthropic.Beta.Messages.BetaMCPToolset

const dice = startDice()
const chat = startCallingModel()
const { seen } = dice

let gateway: GatewayHere
let guarded: GatewayHere
beforeAll(async () => {
  ;[gateway, guarded] = await Promise.all([chat.gateway({ GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8" }), chat.gateway({})])
})
beforeEach(() => {
  chat.want("dice__roll")
  seen.length = 0
})
afterAll(async () => {
  await Promise.all([gateway.dispose(), guarded.dispose(), chat.stop(), dice.stop()])
})

const beta = "mcp-client-2025-11-20"
const olderBeta = "mcp-client-2025-04-04"
const server = (over: object = {}) => ({ type: "url" as const, name: "dice", url: dice.url, ...over })
const toolset = (over: object = {}): Toolset => ({ type: "mcp_toolset", mcp_server_name: "dice", ...over })
const asking = (over: object = {}): Asked => ({
  model: "house",
  max_tokens: 100,
  messages: [{ role: "user", content: "Roll a die" }],
  mcp_servers: [server()],
  tools: [toolset()],
  betas: [beta],
  ...over
})
const anthropic = () => new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 })
const create = (over: Partial<Asked> = {}) => anthropic().beta.messages.create(asking(over))
const post = async (
  body: object,
  { at = gateway, betas = beta, headers = {} }: { at?: GatewayHere; betas?: string; headers?: object } = {}
) => {
  const { betas: _, ...sent } = asking(body)
  const answer = await request(at, "/v1/messages", { body: sent, headers: { "anthropic-beta": betas, ...headers } })
  return { status: answer.status, body: await answer.json() }
}
const refusal = async (...asked: Parameters<typeof post>) => {
  const { body, status } = await post(...asked)
  return { status, ...body.error }
}
describe("tools of MCP servers that a message names, on an upstream that runs none", () => {
  it.each([true, false])("are listed, called and answered from (stream: %s)", async (stream) => {
    const asked = asking({ mcp_servers: [server({ authorization_token: "own-secret" })] })
    const answer = stream ? await anthropic().beta.messages.stream(asked).finalMessage() : await create(asked)
    const [use, result, text] = answer.content
    expect(use).toEqual({
      type: "mcp_tool_use",
      id: expect.stringMatching(/^mcptoolu_/),
      name: "roll",
      server_name: "dice",
      input: { sides: 6 }
    })
    expect(result).toEqual({
      type: "mcp_tool_result",
      tool_use_id: use?.type === "mcp_tool_use" ? use.id : "",
      is_error: false,
      content: [{ type: "text", text: "A 6" }]
    })
    expect(text).toMatchObject({ type: "text", text: "It said: A 6" })
    expect(answer.stop_reason).toBe("end_turn")
    expect(answer.usage).toMatchObject({ input_tokens: 40, output_tokens: 16 })
    expect(seen.map(({ method }) => method)).toEqual(["tools/list", "tools/call"])
    for (const { headers } of seen) {
      expect(headers.get("authorization")).toBe("Bearer own-secret")
      expect([...headers.values()].join(" ")).not.toContain(gateway.key)
    }
    expect(JSON.stringify([answer, chat.asked.at(-1)?.body])).not.toContain("own-secret")
    expect(gateway.output()).not.toContain("own-secret")
    expect(chat.offered()).toEqual(["dice__roll", "dice__cheat_now"])
  })

  it("are streamed in order: a call by deltas, its result whole", async () => {
    const stream = await anthropic().beta.messages.create({ ...asking(), stream: true })
    const events: Array<string> = []
    for await (const event of stream) {
      switch (event.type) {
        case "content_block_start":
          events.push(`start ${event.content_block.type}`)
          if (event.content_block.type === "mcp_tool_use") expect(event.content_block.input).toEqual({})
          if (event.content_block.type === "mcp_tool_result") {
            expect(event.content_block.content).toEqual([{ type: "text", text: "A 6" }])
          }
          break
        case "content_block_delta":
          events.push(event.delta.type)
          break
        case "message_delta":
          expect(event.usage).toMatchObject({ input_tokens: 40, output_tokens: 16 })
          expect(event.delta.stop_reason).toBe("end_turn")
          break
        case "content_block_stop":
          events.push("stop")
      }
    }
    expect(events).toEqual([
      "start mcp_tool_use",
      "input_json_delta",
      "stop",
      "start mcp_tool_result",
      "stop",
      "start text",
      "text_delta",
      "text_delta",
      "stop"
    ])
  })

  it("fail in a result with is_error, which the model reads", async () => {
    chat.want("dice__roll", "dice__cheat_now")
    const { content } = await create()
    expect(content.filter(({ type }) => type === "mcp_tool_result")).toMatchObject([
      { is_error: false },
      { is_error: true, content: [{ text: "You may not" }] }
    ])
    expect(content.at(-1)).toMatchObject({ type: "text", text: "It said: Error: You may not" })
  })

  it.each<[string, Partial<Asked>, ReadonlyArray<string>]>([
    ["a toolset's configs", { tools: [toolset({ configs: { roll: { enabled: false } } })] }, ["dice__cheat_now"]],
    [
      "a toolset's default",
      { tools: [toolset({ default_config: { enabled: false }, configs: { roll: { enabled: true } } })] },
      ["dice__roll"]
    ],
    [
      "a server's own configuration",
      {
        betas: [olderBeta],
        tools: [],
        mcp_servers: [server({ tool_configuration: { enabled: true, allowed_tools: ["roll"] } })],
        tool_choice: { type: "any" }
      },
      ["dice__roll"]
    ]
  ])("are those that %s allows", async (_, over, names) => {
    chat.want(...names)
    await create(over)
    expect(chat.offered()).toEqual(names)
  })

  it("are none of a server that is off, which is not asked", async () => {
    chat.want("own")
    const own = { name: "own", input_schema: { type: "object" as const } }
    const off = [server({ tool_configuration: { enabled: false } })]
    const { content } = await create({ betas: [olderBeta], mcp_servers: off, tools: [own] })
    expect(content).toMatchObject([{ type: "tool_use", name: "own" }])
    expect(seen).toEqual([])
  })

  it("go on in the next turn, whose blocks are sent back", async () => {
    const first = await create()
    const answer = await create({
      messages: [
        { role: "user", content: "Roll a die" },
        { role: "assistant", content: first.content },
        { role: "user", content: "And now?" }
      ]
    })
    expect(answer.content.at(-1)).toMatchObject({ text: "It said: A 6" })
    const shown = chat.asked.at(-1)?.body.messages
    expect(shown.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"])
    expect(shown[1].tool_calls[0].function.name).toBe("dice__roll")
  })

  it("go on in a thread, whose next turn names the servers again", async () => {
    const betas = `${beta},message-threads-2026-08-12`
    const first = await post({ thread: { type: "create" } }, { betas })
    expect(first).toMatchObject({ status: 200 })
    const thread = { type: "continue", previous_message_id: first.body.id }
    const unnamed = await post({ thread, tools: undefined, mcp_servers: undefined }, { betas })
    expect(unnamed).toMatchObject({ status: 400 })
    expect(unnamed.body.error.message).toContain("tools[0].mcp_server_name")
    const next = await post({ thread, tools: undefined }, { betas })
    expect(next.body.content.at(-1)).toMatchObject({ text: "It said: A 6" })
    expect(chat.offered()).toEqual(["dice__roll", "dice__cheat_now"])
  })

  it("leave the caller's own calls to the caller", async () => {
    chat.want("own", "dice__roll")
    const own = { name: "own", input_schema: { type: "object" as const } }
    const { content, stop_reason } = await create({ tools: [toolset(), own] })
    expect(stop_reason).toBe("tool_use")
    expect(content.map(({ type }) => type)).toEqual(["tool_use", "mcp_tool_use", "mcp_tool_result"])
  })
})

describe("a server of a message that can't be used", () => {
  it.each([
    [new Response("", { status: 401 }), "Invalid authorization token for MCP server 'dice'. Please check your token"],
    [new Response("<html>"), "Error retrieving tool list from MCP server 'dice'"],
    [new Response("", { status: 302, headers: { location: "http://169.254.169.254/" } }), "Error retrieving tool list"]
  ])("is a 400 before anything is answered", async (answer, message) => {
    dice.breakBy(answer)
    const asked = chat.asked.length
    for (const stream of [false, true]) {
      expect(await refusal({ stream })).toMatchObject({
        status: 400,
        type: "invalid_request_error",
        message: expect.stringContaining(message)
      })
    }
    dice.breakBy(undefined)
    expect(chat.asked).toHaveLength(asked)
  })

  it("may not be at a private address", async () => {
    expect(await refusal({}, { at: guarded })).toMatchObject({ status: 400, type: "invalid_request_error" })
    expect(seen).toEqual([])
  })

  it.each<[object, string, string?]>([
    [{}, "mcp_servers", ""],
    [{ mcp_servers: {} }, "mcp_servers"],
    [{ mcp_servers: [1] }, "mcp_servers[0]"],
    [{ mcp_servers: [server({ type: "stdio" })] }, "mcp_servers[0].type"],
    [{ mcp_servers: [server({ name: "" })] }, "mcp_servers[0].name"],
    [{ mcp_servers: [server({ url: undefined })] }, "mcp_servers[0].url"],
    [{ mcp_servers: [server({ authorization_token: "a b" })] }, "mcp_servers[0].authorization_token"],
    [{ mcp_servers: [server({ tool_configuration: {} })] }, "mcp_servers[0].tool_configuration"],
    [{ mcp_servers: [server(), server()] }, "mcp_servers[1].name"],
    [{ mcp_servers: Array.from({ length: 17 }, (_, index) => server({ name: `s${index}` })) }, "mcp_servers"],
    [{ tools: [] }, "mcp_servers[0].name"],
    [{ tools: [toolset(), toolset()] }, "tools[1].mcp_server_name"],
    [{ tools: [toolset({ mcp_server_name: "other" })] }, "tools[0].mcp_server_name"],
    [{ mcp_servers: undefined }, "tools[0].mcp_server_name"],
    [{ tools: [toolset({ tools: [] })] }, "tools[0].tools"],
    [{ tools: [toolset({ default_config: { enabled: 1 } })] }, "tools[0].default_config.enabled"],
    [{ tools: [toolset({ configs: { roll: { defer_loading: "x" } } })] }, "tools[0].configs.roll.defer_loading"],
    [{}, "tools[0].type", olderBeta],
    [
      { tools: [], mcp_servers: [server({ tool_configuration: { allowed_tools: "roll" } })] },
      "mcp_servers[0].tool_configuration.allowed_tools",
      olderBeta
    ],
    [{ tool_choice: { type: "tool", name: "mcp_toolset" } }, "tool_choice.name"],
    [{ async: true, tools: [] }, "mcp_servers[0].name"]
  ])("is refused with its field: %j %s", async (body, param, betas = beta) => {
    const refused = await refusal(body, { betas })
    expect(refused).toMatchObject({ status: 400, type: "invalid_request_error" })
    expect(refused.message.split(": ")[0]).toBe(param)
    expect(seen).toEqual([])
  })

  it("can't be named in a line of a batch", async () => {
    const { betas: _, ...params } = asking()
    const { batches } = anthropic().beta.messages
    const { id } = await batches.create({ requests: [{ custom_id: "a", params }], betas: [beta] })
    await expect.poll(async () => (await batches.retrieve(id)).processing_status, { timeout: 10_000 }).toBe("ended")
    const results = []
    for await (const { result } of await batches.results(id)) results.push(result)
    expect(results).toMatchObject([{ type: "errored", error: { error: { type: "invalid_request_error" } } }])
    expect(JSON.stringify(results)).toContain("mcp_servers[0]: servers can't be named in a line of a batch")
    expect(seen).toEqual([])
  })
})
