import type Anthropic from "@anthropic-ai/sdk"
import type OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { World } from "./world.ts"
import { startWorld } from "./world.ts"

/** OpenRouter: a call that comes back without the reasoning in front of it, or with another's, is a 400. */
let world: World
beforeAll(async () => {
  world = await startWorld({
    fake: { strict: false, answer: ({ body }) => answer(body) },
    yaml: (urls) =>
      JSON.stringify({
        upstreams: {
          router: { protocol: "openai-chat", base_url: `${urls["openai-chat"]}/v1`, provider: "openrouter" }
        },
        models: {
          claude: { routes: [{ upstream: "router", model: "anthropic/claude" }] },
          gpt: { routes: [{ upstream: "router", model: "openai/gpt" }] }
        }
      })
  })
})
afterAll(() => world.dispose())

const details = (turn: number) => [
  {
    type: "reasoning.text",
    text: "Hm, let me see.",
    signature: `sig-${turn}`,
    format: "anthropic-claude-v1",
    index: 0
  },
  { type: "reasoning.summary", summary: "Hm.", format: "openai-responses-v1", index: 1 },
  { type: "reasoning.encrypted", data: `secret-${turn}`, id: "rs_1", format: "openai-responses-v1", index: 2 }
]

/** The same as a stream has it: texts in pieces, and the signature last. */
const pieces = (turn: number): ReadonlyArray<object> => {
  const [thought, ...others] = details(turn)
  const { signature, text: _, ...rest } = { signature: "", text: "", ...thought }
  return [
    { ...rest, text: "Hm, ", signature: null },
    { ...rest, text: "let me see." },
    { ...rest, signature },
    ...others
  ]
}

const name = "get_weather"

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
const answer = (body: any): Response => {
  // oxlint-disable-next-line typescript/no-explicit-any -- the same
  const turns: ReadonlyArray<any> = body.messages.filter((message: any) => message.tool_calls?.length > 0)
  const isChanged = turns.some((message, at) => !Bun.deepEquals(message.reasoning_details, details(at + 1)))
  if (isChanged) return Response.json({ error: { message: "reasoning_details: not as they were" } }, { status: 400 })
  const turn = turns.length + 1
  const isOver = turn > 2
  const calls = ["a", "b"].map((letter, index) => ({
    index,
    id: `call-${turn}-${letter}`,
    type: "function",
    function: { name, arguments: '{"city":"Paris"}' }
  }))
  const finish_reason = isOver ? "stop" : "tool_calls"
  const head = { id: "gen-1", created: 1, model: body.model }
  if (body.stream !== true) {
    const message = {
      role: "assistant",
      content: isOver ? "Sunny." : null,
      reasoning: "Hm, let me see.",
      reasoning_details: details(turn),
      ...(isOver ? {} : { tool_calls: calls })
    }
    return Response.json({ ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason }] })
  }
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const chunks = [
    chunk({ role: "assistant", content: "" }),
    ...pieces(turn).map((detail) => chunk({ reasoning: "Hm", reasoning_details: [detail] })),
    ...(isOver ? [chunk({ content: "Sunny." })] : calls.map((call) => chunk({ tool_calls: [call] }))),
    chunk({}, finish_reason)
  ]
  return new Response(`${chunks.join("")}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } })
}

const parameters = { type: "object", properties: { city: { type: "string" } } } as const
const tool = { name, input_schema: parameters }

describe("reasoning_details come back unchanged with their calls", () => {
  it.each([false, true])("from Anthropic's client, streamed: %s", async (stream) => {
    // One client returns the thinking, the other nothing of it.
    for (const isReturned of [true, false]) {
      const messages: Array<Anthropic.MessageParam> = [{ role: "user", content: "Weather?" }]
      for (;;) {
        const asked = { model: "claude", max_tokens: 100, messages, tools: [tool] }
        const { content } = stream
          ? await world.anthropic.messages.stream(asked).finalMessage()
          : await world.anthropic.messages.create(asked)
        const calls = content.flatMap((block) => (block.type === "tool_use" ? [block] : []))
        if (calls.length === 0) {
          expect(content.at(-1)).toMatchObject({ type: "text", text: "Sunny." })
          break
        }
        messages.push(
          { role: "assistant", content: isReturned ? content : calls },
          {
            role: "user",
            content: calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: "sunny" }))
          }
        )
      }
    }
  })

  it.each([false, true])("from a client of responses that keeps nothing here, streamed: %s", async (stream) => {
    const input: Array<OpenAI.Responses.ResponseInputItem> = [{ role: "user", content: "Weather?" }]
    for (;;) {
      const tools: Array<OpenAI.Responses.FunctionTool> = [{ type: "function", name, parameters, strict: false }]
      const asked = { model: "gpt", store: false, input, tools }
      const { output, output_text } = stream
        ? await world.openai.responses.stream(asked).finalResponse()
        : await world.openai.responses.create(asked)
      const calls = output.flatMap((item) => (item.type === "function_call" ? [item] : []))
      if (calls.length === 0) {
        expect(output_text).toBe("Sunny.")
        return
      }
      input.push(
        ...calls.map(({ arguments: text, call_id }) => ({
          type: "function_call" as const,
          call_id,
          name,
          arguments: text
        }))
      )
      input.push(...calls.map(({ call_id }) => ({ type: "function_call_output" as const, call_id, output: "sunny" })))
    }
  })

  it.each([false, true])("from a client of its own dialect that drops them, streamed: %s", async (stream) => {
    const messages: Array<object> = [{ role: "user", content: "Weather?" }]
    for (;;) {
      const tools = [{ type: "function", function: { name, parameters } }]
      const asked = { model: "claude", messages, tools } as never
      const completion = stream
        ? await world.openai.chat.completions.stream(asked).finalChatCompletion()
        : await world.openai.chat.completions.create(asked)
      const { content, tool_calls: calls = [] } = completion.choices[0]!.message
      if (calls.length === 0) {
        expect(content).toBe("Sunny.")
        return
      }
      const plain = calls.map((call) => ({
        id: call.id,
        type: "function",
        function: { name, arguments: "function" in call ? call.function.arguments : "" }
      }))
      messages.push(
        { role: "assistant", content: null, tool_calls: plain },
        ...plain.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "sunny" }))
      )
    }
  })

  it("and not to another model", async () => {
    const messages = [
      { role: "user" as const, content: "Weather?" },
      { role: "assistant" as const, content: [{ type: "tool_use" as const, id: "call-1-a", name, input: {} }] },
      {
        role: "user" as const,
        content: [{ type: "tool_result" as const, tool_use_id: "call-1-a", content: "sunny" }]
      }
    ]
    const sent = async (model: string) => {
      await world.anthropic.messages.create({ model, max_tokens: 100, messages }).catch(() => {})
      return world.asked("openai-chat").body.messages[1].reasoning_details
    }
    await world.anthropic.messages.create({
      model: "claude",
      max_tokens: 100,
      messages: messages.slice(0, 1),
      tools: [tool]
    })
    expect(await sent("claude")).toEqual(details(1))
    expect(await sent("gpt")).toBeUndefined()
  })
})
