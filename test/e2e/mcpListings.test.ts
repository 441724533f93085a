import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@effect/vitest"
import Anthropic from "@anthropic-ai/sdk"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { startCallingModel, startDice } from "./callingModel.ts"

type Asked = Anthropic.Beta.Messages.MessageCreateParamsNonStreaming
type Toolset = Anthropic.Beta.Messages.BetaMCPToolset
type Message = Asked["messages"][number]

const dice = startDice()
const chat = startCallingModel()
const { seen } = dice

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await chat.gateway({ GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8" })
})
beforeEach(() => {
  chat.want("dice__roll")
  seen.length = 0
})
afterAll(() => Promise.all([gateway.dispose(), chat.stop(), dice.stop()]))

const beta = "mcp-client-2026-09-15"
const inline = "inline-tools-2026-09-15"
const toolset = (over: object = {}): Toolset => ({ type: "mcp_toolset", mcp_server_name: "dice", ...over })
const asking = (over: object = {}): Asked => ({
  model: "house",
  max_tokens: 100,
  messages: [{ role: "user", content: "Roll a die" }],
  mcp_servers: [{ type: "url", name: "dice", url: dice.url }],
  tools: [toolset()],
  betas: [beta, inline],
  ...over
})
const anthropic = () => new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 })
const create = (over: Partial<Asked> = {}) => anthropic().beta.messages.create(asking(over))
const post = async (over: object, betas = `${beta},${inline}`) => {
  const { betas: _, ...body } = asking(over)
  const answer = await request(gateway, "/v1/messages", { body, headers: { "anthropic-beta": betas } })
  return { status: answer.status, body: await answer.json() }
}
const schema = { type: "object", properties: { sides: { type: "integer" } } }
const roll = { name: "roll", description: "Rolls a die", input_schema: schema }
const listing = {
  type: "mcp_tool_listing" as const,
  mcp_server_name: "dice",
  tools: [roll, { name: "cheat.now", input_schema: schema }]
}
const methods = () => seen.map(({ method }) => method)
const changing = (...content: ReadonlyArray<object>) =>
  [
    { role: "user", content: [{ type: "text", text: "Roll a die" }] },
    { role: "system", content },
    { role: "user", content: "Now" }
  ] as Array<Message>
const tool = { type: "mcp_tool_reference", server_name: "dice", name: "roll" }
const all = { type: "mcp_toolset_reference", server_name: "dice" }
const removal = (of: object) => ({ type: "tool_removal", tool: of })
const addition = (of: object) => ({ type: "tool_addition", tool: of })

describe("the list of a server that a message names", () => {
  it.each([true, false])("is shown before the first call (stream: %s)", async (stream) => {
    const { content } = stream ? await anthropic().beta.messages.stream(asking()).finalMessage() : await create()
    expect(content[0]).toEqual(listing)
    expect(content.map(({ type }) => type)).toEqual(["mcp_tool_listing", "mcp_tool_use", "mcp_tool_result", "text"])
  })

  it("is streamed whole, in its own block", async () => {
    const stream = await anthropic().beta.messages.create({ ...asking(), stream: true })
    const events: Array<unknown> = []
    for await (const event of stream) events.push(event)
    expect(events.slice(1, 3)).toEqual([
      { type: "content_block_start", index: 0, content_block: listing },
      { type: "content_block_stop", index: 0 }
    ])
    expect(events[3]).toMatchObject({ index: 1, content_block: { type: "mcp_tool_use" } })
  })

  it("is not shown under an earlier beta", async () => {
    const { content } = await create({ betas: ["mcp-client-2025-11-20"] })
    expect(content[0]).toMatchObject({ type: "mcp_tool_use" })
  })

  it("sent back is used in place of the server's, also where its calls are counted", async () => {
    const first = await create()
    seen.length = 0
    const messages: Array<Message> = [
      { role: "user", content: "Roll a die" },
      { role: "assistant", content: first.content },
      { role: "user", content: "And now?" }
    ]
    const { content } = await create({ messages })
    expect(content.map(({ type }) => type)).toEqual(["text"])
    expect(chat.asked.at(-1)?.body.tools.map((one: { function: { name: string } }) => one.function.name)).toEqual([
      "dice__roll",
      "dice__cheat_now"
    ])
    const { max_tokens: _, ...counted } = asking({ messages })
    expect((await anthropic().beta.messages.countTokens(counted)).input_tokens).toBeGreaterThan(0)
    expect(methods()).toEqual([])
  })

  it("is the thread's in its next turn", async () => {
    const betas = `${beta},message-threads-2026-08-12`
    const first = await post({ thread: { type: "create" } }, betas)
    expect(first.body.content[0]).toEqual(listing)
    seen.length = 0
    const thread = { type: "continue", previous_message_id: first.body.id }
    const next = await post({ thread, tools: undefined }, betas)
    expect(next.body.content.map(({ type }: { type: string }) => type)).toEqual(["text"])
    expect(methods()).toEqual([])
  })

  it("is in the answer of an async message", async () => {
    const accepted = await post({ async: true })
    const task = async () => (await request(gateway, `/v1/tasks/${accepted.body.id}`, {})).json()
    await expect.poll(async () => (await task()).status, { timeout: 10_000 }).toBe("success")
    expect(JSON.stringify(await task())).toContain("mcp_tool_listing")
  })

  it("pinned in its toolset is the only one, with the toolset's choices", async () => {
    const { content } = await create({
      tools: [toolset({ tools: listing.tools, configs: { "cheat.now": { enabled: false } } })]
    })
    expect(content.map(({ type }) => type)).toEqual(["mcp_tool_use", "mcp_tool_result", "text"])
    expect(chat.offered()).toEqual(["dice__roll"])
    expect(methods().at(-1)).toBe("tools/call")
    // The form of the protocol is known of the server by then, or found with a list before the call.
    seen.length = 0
    await create({ tools: [toolset({ tools: [roll] })] })
    expect(methods()).toEqual(["tools/call"])
  })
})

describe("changes of servers' tools in a conversation", () => {
  it.each<[string, ReadonlyArray<object>, ReadonlyArray<string>]>([
    ["a tool is removed", [removal(tool)], ["dice__cheat_now"]],
    ["all are removed, and one added", [removal(all), addition(tool)], ["dice__roll"]],
    ["one is removed, and all added", [removal(tool), addition(all)], ["dice__roll", "dice__cheat_now"]]
  ])("hold where %s", async (_, changes, names) => {
    chat.want(...names)
    const { content } = await create({ messages: changing(...changes) })
    expect(chat.offered()).toEqual(names)
    expect(content[0]).toEqual(listing)
  })

  it("show a deferred tool that they add", async () => {
    const search = { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" }
    const messages = changing(addition(tool))
    const tools = [toolset({ default_config: { defer_loading: true } }), search] as NonNullable<Asked["tools"]>
    await create({ messages, tools })
    expect(chat.offered()).toContain("dice__roll")
    expect(chat.offered()).not.toContain("dice__cheat_now")
  })

  const own = (name: string) => ({ type: "tool_definition", definition: { name, input_schema: schema } })
  const found = "tool_reference_unresolved"
  it.each<[string, object, string, string]>([
    ["a tool that its server lacks", { messages: changing(removal({ ...tool, name: "cut" })) }, "tool.name", found],
    ["a tool of no server", { messages: changing(addition({ ...tool, server_name: "x" })) }, "tool.server_name", found],
    ["no server's tools", { messages: changing(removal({ ...all, server_name: "x" })) }, "tool.server_name", found],
    [
      "a server, without any",
      { messages: changing(removal(all)), mcp_servers: undefined, tools: undefined },
      "tool.server_name",
      found
    ],
    ["no tool", { messages: changing(removal({ type: "tool_reference", name: "x" })) }, "tool.name", found],
    [
      "a list of no server",
      {
        messages: [
          { role: "user", content: "a" },
          { role: "assistant", content: [{ ...listing, mcp_server_name: "x" }] },
          { role: "user", content: "b" }
        ]
      },
      "mcp_server_name",
      found
    ],
    ["a server's tool by value", { messages: changing(addition(own("dice_roll"))) }, "name", "tool_name_conflict"],
    [
      "the name of another kind",
      {
        messages: changing(addition(own("web_search"))),
        tools: [toolset(), { type: "web_search_20250305", name: "web_search" }]
      },
      "definition.name",
      "tool_name_conflict"
    ]
  ])("are refused with a code where one names %s", async (_, over, param, code) => {
    const { body, status } = await post(over)
    expect({ status, ...body.error }).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      message: expect.stringMatching(new RegExp(`^messages\\[1\\]\\.content\\[0\\]\\.\\S*${param}: `)),
      details: { error_code: code }
    })
  })

  it("by the SDK's own errors", async () => {
    const failed = create({ messages: changing(removal({ ...tool, name: "cut" })) })
    await expect(failed).rejects.toMatchObject({ status: 400, errorCode: "tool_reference_unresolved" })
  })

  it.each<[object, string, string?]>([
    [{ tools: [toolset({ tools: [roll] })] }, "tools[0].tools", "mcp-client-2025-11-20"],
    [{ messages: changing(removal(tool)) }, "messages[1].content[0].tool.type", "mcp-client-2025-11-20"],
    [{ tools: [toolset({ tools: {} })] }, "tools[0].tools"],
    [{ tools: [toolset({ tools: [1] })] }, "tools[0].tools[0]"],
    [{ tools: [toolset({ tools: [{ ...roll, name: "" }] })] }, "tools[0].tools[0].name"],
    [{ tools: [toolset({ tools: [roll, roll] })] }, "tools[0].tools[1].name"],
    [{ tools: [toolset({ tools: [{ ...roll, description: 1 }] })] }, "tools[0].tools[0].description"],
    [{ tools: [toolset({ tools: [{ ...roll, input_schema: "x" }] })] }, "tools[0].tools[0].input_schema"],
    [
      { messages: changing(addition({ type: "tool_definition", definition: toolset() })) },
      "messages[1].content[0].tool.definition.type"
    ],
    [{ messages: changing(addition({ type: "mcp_other", server_name: "dice" })) }, "messages[1].content[0].tool.type"]
  ])("and lists are refused with their field: %j %s", async (over, param, betas) => {
    const { body, status } = await post(over, betas)
    expect(status).toBe(400)
    expect(body.error.message.split(": ")[0]).toBe(param)
    expect(seen).toEqual([])
  })
})

describe("counts of messages that name servers", () => {
  it("are requests of the key's limits: beyond them no server is asked", async () => {
    const secret = "counting-key-0123456789abcdef"
    const limited = await chat.gateway(
      { GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8" },
      { keys: [{ name: "counting", secret, limits: { requests_per_minute: 2 } }] }
    )
    try {
      const { max_tokens: _, ...counted } = asking()
      const { messages } = new Anthropic({ baseURL: limited.url, apiKey: secret, maxRetries: 0 }).beta
      for (const _ of [1, 2]) await messages.countTokens(counted)
      await expect(messages.countTokens(counted)).rejects.toMatchObject({ status: 429 })
      expect(methods()).toEqual(["tools/list", "tools/list"])
    } finally {
      await limited.dispose()
    }
  })
})
