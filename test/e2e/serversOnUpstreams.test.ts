import { describe, expect, it } from "@effect/vitest"
import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"
import { obeyingWorld } from "./obeyingUpstreams.ts"

const { at, dice, fakes, seen } = obeyingWorld()

const all = ["chat", "messages", "responses", "gemini", "bedrock"] as const
const openai = () => new OpenAI({ baseURL: `${at().url}/v1`, apiKey: at().key, maxRetries: 0 })
const anthropic = () => new Anthropic({ baseURL: at().url, apiKey: at().key, maxRetries: 0 })
const order = 'Please [[call dice__roll {"sides":6}]]'
const both = 'Please [[call dice__roll {"sides":6}]] and [[call dice__cheat_now {}]]'
const registered = { type: "mcp" as const, server_label: "dice", require_approval: "never" as const }
const own = () => ({ ...registered, server_url: dice.url })
const beta = "mcp-client-2025-11-20"
const toolset = { type: "mcp_toolset" as const, mcp_server_name: "dice" }
const inMessage = (model: string, messages: Anthropic.Beta.BetaMessageParam[], url = `${at().url}/mcp/dice`) => ({
  model,
  max_tokens: 200,
  messages,
  mcp_servers: [{ type: "url" as const, name: "dice", url }],
  tools: [toolset],
  betas: [beta]
})
const user = (content: string) => ({ role: "user" as const, content })
const methods = () => seen.map(({ method }) => method)
/** The names of functions and calls in what an upstream got. */
const lastOf = (name: keyof typeof fakes): string => JSON.stringify(fakes[name].asked.at(-1)?.body)

describe.each(all)("a server's tools on %s", (model) => {
  it.each([true, false])("in responses, with the next turns (stream: %s)", async (stream) => {
    const client = openai().responses
    const create = (
      over: Pick<
        OpenAI.Responses.ResponseCreateParamsNonStreaming,
        "conversation" | "input" | "previous_response_id" | "store" | "tools"
      >
    ) => {
      const asked = { model, tools: [registered], ...over }
      return stream ? client.stream(asked).finalResponse() : client.create(asked)
    }
    const first = await create({ input: both })
    const [list, ...rest] = first.output.filter(({ type }) => type !== "reasoning")
    expect(list).toMatchObject({ type: "mcp_list_tools", tools: [{ name: "roll" }, { name: "cheat.now" }] })
    expect(rest).toMatchObject([
      { type: "mcp_call", name: "roll", output: "A 6", error: null, status: "completed" },
      { type: "mcp_call", name: "cheat.now", output: null, status: "failed" },
      { type: "message", content: [{ text: expect.stringContaining("You may not") }] }
    ])
    expect(methods()).toEqual(["tools/list", "tools/call", "tools/call"])
    const next = await create({ input: "And now?", previous_response_id: first.id })
    expect(next.output_text).toBe("You said: And now?")
    for (const words of ["dice__roll", "dice__cheat_now", "A 6", "You may not"]) expect(lastOf(model)).toContain(words)
    const unnamed = await create({ input: "And now?", previous_response_id: first.id, tools: [] })
    expect(unnamed.output_text).toBe("You said: And now?")
    expect(lastOf(model)).toContain("dice__cheat_now")
    const input = [user(both), ...first.output, user("And then?")] as OpenAI.Responses.ResponseInput
    const again = await create({ input, store: false })
    expect(again.output_text).toBe("You said: And then?")
    expect(lastOf(model)).toContain("dice__cheat_now")
    const { id } = await openai().conversations.create()
    await create({ input: order, conversation: id })
    const later = await create({ input: "And then?", conversation: id })
    expect(later.output_text).toBe("You said: And then?")
    expect(lastOf(model)).toContain("dice__roll")
  })

  it.each([true, false])("in messages, with the next turns (stream: %s)", async (stream) => {
    const { messages } = anthropic().beta
    const create = (asked: Anthropic.Beta.Messages.MessageCreateParamsNonStreaming) =>
      stream ? messages.stream(asked).finalMessage() : messages.create(asked)
    const first = await create(inMessage(model, [user(both)]))
    expect(first.content.filter(({ type }) => type !== "thinking")).toMatchObject([
      { type: "mcp_tool_use", name: "roll", server_name: "dice", input: { sides: 6 } },
      { type: "mcp_tool_result", is_error: false, content: [{ text: "A 6" }] },
      { type: "mcp_tool_use", name: "cheat.now" },
      { type: "mcp_tool_result", is_error: true },
      { type: "text", text: expect.stringContaining("You may not") }
    ])
    expect(methods()).toEqual(["tools/list", "tools/call", "tools/call"])
    const history = [user(both), { role: "assistant" as const, content: first.content }, user("And now?")]
    const next = await create(inMessage(model, history))
    expect(next.content.at(-1)).toMatchObject({ text: "You said: And now?" })
    for (const words of ["dice__roll", "dice__cheat_now", "A 6", "You may not"]) expect(lastOf(model)).toContain(words)
    const unnamed = await create({ model, max_tokens: 200, messages: history, betas: [beta] })
    expect(unnamed.content.at(-1)).toMatchObject({ text: "You said: And now?" })
    expect(lastOf(model)).toContain("dice__cheat_now")
  })
})

describe("an upstream that calls servers itself", () => {
  it("gets a response's own servers as they are", async () => {
    await openai().responses.create({ model: "openai", input: "Hi", tools: [own()] })
    expect(fakes.responses.asked.at(-1)?.body.tools).toEqual([own()])
    expect(seen).toEqual([])
  })

  it("gets a message's own servers as they are", async () => {
    await anthropic().beta.messages.create(inMessage("claude", [user("Hi")], dice.url))
    expect(fakes.messages.asked.at(-1)?.body).toMatchObject({
      mcp_servers: [{ type: "url", name: "dice", url: dice.url }],
      tools: [toolset]
    })
    expect(seen).toEqual([])
  })

  it("gets none of the configuration, beside which the others are called here too", async () => {
    const { output } = await openai().responses.create({
      model: "openai",
      input: order,
      tools: [registered, { ...own(), server_label: "cubes" }]
    })
    expect(output.map(({ type }) => type)).toEqual(["mcp_list_tools", "mcp_list_tools", "mcp_call", "message"])
    const sent = fakes.responses.asked.at(-1)?.body.tools
    expect(new Set(sent.map(({ type }: { type: string }) => type))).toEqual(new Set(["function"]))
    seen.length = 0
    const { content } = await anthropic().beta.messages.create(inMessage("claude", [user(order)]))
    expect(content.map(({ type }) => type)).toEqual(["mcp_tool_use", "mcp_tool_result", "text"])
    expect(methods()).toEqual(["tools/list", "tools/call"])
  })

  it("gets calls that were made here as calls of functions", async () => {
    const first = await openai().responses.create({ model: "openai", input: order, tools: [registered] })
    await openai().responses.create({ model: "openai", input: "And now?", previous_response_id: first.id })
    expect(lastOf("responses")).not.toContain("mcp_call")
    expect(lastOf("responses")).toContain('"function_call_output"')
    const { content } = await anthropic().beta.messages.create(inMessage("claude", [user(order)]))
    const messages = [user(order), { role: "assistant" as const, content }, user("And now?")]
    await anthropic().beta.messages.create({ model: "claude", max_tokens: 200, messages, betas: [beta] })
    expect(lastOf("messages")).not.toContain("mcp_tool_use")
    expect(lastOf("messages")).toContain('"tool_result"')
  })

  it("is the only route of its model that is asked with servers of the caller's", async () => {
    for (let n = 0; n < 3; n++) {
      await openai().responses.create({ model: "mixed", input: `Hi ${n}`, tools: [own()] })
      expect(fakes.responses.asked.at(-1)?.body.input).toBe(`Hi ${n}`)
    }
  })
})
