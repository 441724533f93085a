import type Anthropic from "@anthropic-ai/sdk"
import type OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { World } from "./world.ts"
import { startWorld } from "./world.ts"

/** Gemini's server of OpenAI's dialect: each call is signed, and a call that comes back without is a 400. */
let world: World
beforeAll(async () => {
  world = await startWorld({
    fake: { strict: false, answer: ({ body }) => (body.model === "gemini-3" ? answer(body) : undefined) },
    yaml: (urls) =>
      JSON.stringify({
        upstreams: { google: { protocol: "openai-chat", base_url: `${urls["openai-chat"]}/v1`, provider: "gemini" } },
        models: { gemini: { routes: [{ upstream: "google", model: "gemini-3" }] } }
      })
  })
})
afterAll(() => world.dispose())

const signature = (id: string) => `sig-of-${id}`

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
const answer = (body: any): Response => {
  // oxlint-disable-next-line typescript/no-explicit-any -- the same
  const calls: ReadonlyArray<any> = body.messages.flatMap((message: any) => message.tool_calls ?? [])
  const unsigned = calls.find((call) => call.extra_content?.google?.thought_signature !== signature(call.id))
  if (unsigned !== undefined) return Response.json({ error: { message: "missing thought_signature" } }, { status: 400 })
  const id = `call-${calls.length + 1}`
  const message =
    calls.length >= 2
      ? { role: "assistant", content: "Sunny." }
      : {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              index: 0,
              id,
              type: "function",
              function: { name: "get_weather", arguments: '{"city":"Paris"}' },
              extra_content: { google: { thought_signature: signature(id) } }
            }
          ]
        }
  const finish_reason = calls.length >= 2 ? "stop" : "tool_calls"
  const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }
  const head = { id: "chatcmpl-1", created: 1, model: body.model }
  if (body.stream !== true) {
    return Response.json({ ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage })
  }
  const chunk = (choice: object) =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, finish_reason: null, ...choice }] })}\n\n`
  return new Response(
    `${chunk({ delta: { role: "assistant" } })}${chunk({ delta: message })}${chunk({ delta: {}, finish_reason })}data: [DONE]\n\n`,
    { headers: { "content-type": "text/event-stream" } }
  )
}

const parameters = { type: "object", properties: { city: { type: "string" } } } as const
const name = "get_weather"

describe("a server that signs its tool calls gets the signatures back", () => {
  it.each([false, true])("from Anthropic's client, streamed: %s", async (stream) => {
    const messages: Array<Anthropic.MessageParam> = [{ role: "user", content: "Weather?" }]
    for (;;) {
      const asked = {
        model: "gemini",
        max_tokens: 100,
        messages,
        tools: [{ name, input_schema: parameters }]
      }
      const { content } = stream
        ? await world.anthropic.messages.stream(asked).finalMessage()
        : await world.anthropic.messages.create(asked)
      const calls = content.flatMap((block) => (block.type === "tool_use" ? [block] : []))
      if (calls.length === 0) {
        expect(content).toMatchObject([{ type: "text", text: "Sunny." }])
        return
      }
      messages.push(
        { role: "assistant", content },
        {
          role: "user",
          content: calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: "sunny" }))
        }
      )
    }
  })

  it.each([false, true])("from a client of responses that keeps nothing here, streamed: %s", async (stream) => {
    const input: Array<OpenAI.Responses.ResponseInputItem> = [{ role: "user", content: "Weather?" }]
    for (;;) {
      const tools: Array<OpenAI.Responses.FunctionTool> = [{ type: "function", name, parameters, strict: false }]
      const asked = { model: "gemini", store: false, input, tools }
      const { output, output_text } = stream
        ? await world.openai.responses.stream(asked).finalResponse()
        : await world.openai.responses.create(asked)
      const calls = output.flatMap((item) => (item.type === "function_call" ? [item] : []))
      if (calls.length === 0) {
        expect(output_text).toBe("Sunny.")
        return
      }
      for (const { arguments: text, call_id } of calls) {
        input.push(
          { type: "function_call", call_id, name, arguments: text },
          { type: "function_call_output", call_id, output: "sunny" }
        )
      }
    }
  })

  it.each([false, true])(
    "from a client of its own dialect that drops what it does not know, streamed: %s",
    async (stream) => {
      const messages: Array<object> = [{ role: "user", content: "Weather?" }]
      for (;;) {
        const tools = [{ type: "function", function: { name, parameters } }]
        const asked = { model: "gemini", messages, tools } as never
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
    }
  )

  it("and a stand-in where they were made elsewhere", async () => {
    await world.anthropic.messages
      .create({
        model: "gemini",
        max_tokens: 100,
        messages: [
          { role: "user", content: "Weather?" },
          { role: "assistant", content: [{ type: "tool_use", id: "toolu_elsewhere", name, input: {} }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_elsewhere", content: "sunny" }] }
        ]
      })
      .catch(() => {})
    expect(world.asked("openai-chat").body.messages[1].tool_calls[0].extra_content.google.thought_signature).toBe(
      "skip_thought_signature_validator"
    )
  })
})
