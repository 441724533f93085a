import { describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { request } from "../request.ts"
import { obeyingWorld } from "./obeyingUpstreams.ts"

const { at, dice, fakes, seen } = obeyingWorld()

const server = (over: object = {}) => ({ type: "mcp", server_label: "dice", require_approval: "never", ...over })
const asking = (model: string, tool: object, over: object = {}) => ({
  model,
  messages: [{ role: "user", content: 'Please [[call dice__roll {"sides":6}]]' }],
  tools: [tool],
  ...over
})
const post = async (body: object) => {
  const answer = await request(at(), "/v1/chat/completions", { body })
  return { status: answer.status, body: await answer.json() }
}
const methods = () => seen.map(({ method }) => method)

describe("a server's tools in a chat completion", () => {
  it.each(["chat", "messages", "responses", "gemini", "bedrock"])("are called on %s", async (model) => {
    const { body, status } = await post(asking(model, server()))
    expect([status, body.choices?.[0]?.message?.content ?? body]).toEqual([200, "The tool answered: A 6"])
    expect(body.choices[0]).toMatchObject({ finish_reason: "stop" })
    expect(body.choices[0].message).not.toHaveProperty("tool_calls")
    expect(body.usage.completion_tokens).toBeGreaterThan(8)
    expect(methods()).toEqual(["tools/list", "tools/call"])
  })

  it("are called in a stream, which tells no call", async () => {
    const client = new OpenAI({ baseURL: `${at().url}/v1`, apiKey: at().key, maxRetries: 0 })
    const asked: object = asking("messages", server({ server_url: dice.url }), { stream: true })
    const stream = client.chat.completions.stream(asked as OpenAI.ChatCompletionCreateParamsStreaming)
    const { choices } = await stream.finalChatCompletion()
    expect(choices[0]?.message).toMatchObject({ content: "The tool answered: A 6" })
    expect(choices[0]?.message.tool_calls ?? []).toEqual([])
    expect(methods()).toEqual(["tools/list", "tools/call"])
  })

  it("of the caller's own server go to an upstream of the dialect as they are", async () => {
    const own = server({ server_url: dice.url })
    await post(asking("chat", own))
    expect(fakes.chat.asked.at(-1)?.body.tools).toEqual([own])
    expect(seen).toEqual([])
  })

  it.each<[object, object, string]>([
    [server({ require_approval: undefined }), {}, "tools[0].require_approval"],
    [server({ require_approval: "always" }), {}, "tools[0].require_approval"],
    [server(), { n: 2 }, "n"],
    [server({ server_label: "nothing" }), {}, "tools[0].server_label"]
  ])("are refused with their field: %j %j", async (tool, over, param) => {
    expect(await post(asking("messages", tool, over))).toMatchObject({ status: 400, body: { error: { param } } })
    expect(seen).toEqual([])
  })
})
