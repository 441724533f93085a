import { afterAll, beforeAll, expect, it } from "vitest"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { allow, guardedGateway, hideAddresses, secret, startHook } from "./startGuarded.ts"

const hook = startHook()

/** A server whose tool tells the address of the one who is asked for. */
const looked: Array<string> = []
const people = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (asked) => {
    const { id, method, params } = await asked.json()
    const result = (value: object) =>
      Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...value } })
    const inputSchema = { type: "object", properties: { who: { type: "string" } } }
    if (method === "tools/list") return result({ tools: [{ name: "chief_of", inputSchema }] })
    looked.push(params.arguments.who)
    return result({ content: [{ type: "text", text: "The chief is bob@example.com" }] })
  }
})

/** A model that asks for the chief of the first address that it reads, and then says both. */
const model = fakeUpstream("openai-chat", {
  answer: ({ body }) => {
    const texts: ReadonlyArray<string> = body.messages.map(({ content }: { content: unknown }) =>
      JSON.stringify(content)
    )
    const addresses = texts.join(" ").match(/<EMAIL_\d+>|[a-z]+@example\.com/g) ?? ["nobody"]
    const results = body.messages.filter(({ role }: { role: string }) => role === "tool")
    const call = { name: "people__chief_of", arguments: JSON.stringify({ who: addresses[0] }) }
    const message =
      results.length === 0
        ? { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function", function: call }] }
        : { role: "assistant", content: `${addresses[0]} asks ${addresses.at(-1)}` }
    const finish_reason = results.length === 0 ? "tool_calls" : "stop"
    const usage = { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 }
    if (body.stream !== true)
      return Response.json({
        id: "c",
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason }],
        usage
      })
    const tool_calls = message.tool_calls?.map((one) => ({ index: 0, ...one }))
    const delta = { content: message.content, ...(tool_calls && { tool_calls }) }
    const chunks = [{ choices: [{ index: 0, delta, finish_reason }] }, { choices: [], usage }]
    const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")
    return new Response(`${text}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } })
  }
})

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await guardedGateway({
    guardrails: {
      pii: { url: hook.url, secret, mode: "redact", on: ["input"] },
      strict: { url: hook.url, secret, mode: "block", on: ["input"] }
    },
    mcp: { servers: { people: { url: `${people.url.origin}/mcp` } } },
    upstreams: { chat: { protocol: "openai-chat", base_url: `${model.url}/v1` } },
    models: {
      house: { routes: [{ upstream: "chat" }], guardrails: ["pii"] },
      strict: { routes: [{ upstream: "chat" }], guardrails: ["strict"] }
    }
  })
})
afterAll(async () => {
  await Promise.all([gateway.dispose(), hook.stop(), people.stop(true), model.stop()])
})

const ask = async (more: object = {}) => {
  looked.length = 0
  model.asked.length = 0
  const tools = [{ type: "mcp", server_label: "people", require_approval: "never" }]
  const body = { model: "house", input: "Who is the chief of ann@example.com?", tools, ...more }
  const answer = await request(gateway, "/v1/responses", { body })
  return { status: answer.status, text: await answer.text(), seen: JSON.stringify(model.asked.map((one) => one.body)) }
}

it.each([false, true])(
  "a tool gets placeholders, the model its result without the words, the client all, streamed: %s",
  async (stream) => {
    hook.answers(hideAddresses)
    const { seen, text } = await ask({ stream })
    expect(looked).toEqual(["<EMAIL_1>"])
    expect(seen).toContain("The chief is <EMAIL_2>")
    expect(seen).not.toContain("@example.com")
    expect(text).toContain("ann@example.com asks bob@example.com")
    expect(text).not.toContain("<EMAIL_2>")
  }
)

it("a result that is blocked reaches neither the model nor the client, and the answer goes on", async () => {
  hook.answers(({ texts }) =>
    texts.some(({ text }) => text.includes("bob@"))
      ? Response.json({ verdict: "block", message: "No bob@example.com" })
      : allow()
  )
  const { seen, status, text } = await ask({ model: "strict" })
  expect(status).toBe(200)
  expect(seen).toContain("A guardrail withheld the result of this call.")
  expect(`${seen}${text}`).not.toContain("bob@")
})

it("one placeholder for two words is no verdict", async () => {
  hook.answers((asked) => hideAddresses({ ...asked, placeholders: {} }))
  const { seen, text } = await ask()
  expect(seen).toContain("A guardrail withheld the result of this call.")
  expect(`${seen}${text}`).not.toContain("bob@")
})

it("a call that the client approves with its own words shows the model placeholders", async () => {
  hook.answers(hideAddresses)
  const tools = [{ type: "mcp", server_label: "people", require_approval: "always" }]
  const first = JSON.parse((await ask({ tools })).text)
  const asked = first.output.find(({ type }: { type: string }) => type === "mcp_approval_request")
  expect(JSON.parse(asked.arguments)).toEqual({ who: "ann@example.com" })
  const input = [{ type: "mcp_approval_response", approval_request_id: asked.id, approve: true }]
  const { seen, text } = await ask({ tools, input, previous_response_id: first.id })
  expect(looked).toEqual(["ann@example.com"])
  expect(seen).toContain("The chief is <EMAIL_2>")
  expect(seen).not.toContain("@example.com")
  expect(text).toContain("ann@example.com asks bob@example.com")
})
