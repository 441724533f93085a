import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, expect, it } from "@effect/vitest"
import { anthropic } from "../../upstreams/fakes/anthropic.ts"
import { converseAnswer } from "../../upstreams/fakes/converse.ts"
import { request } from "../../request.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"

/** Places of Claude that signed none of the thinking in the history. */
let seen: Array<string> = []
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (asked) => {
    const text = await asked.text()
    seen.push(text)
    const isConverse = asked.url.endsWith("/converse")
    if (/"(?:redacted_)?thinking","|"reasoningContent"/.test(text)) {
      const words = "messages.1.content.0: Invalid `signature` in `thinking` block"
      return isConverse
        ? Response.json(
            { message: `The model returned the following errors: ${words}` },
            { status: 400, headers: { "x-amzn-errortype": "ValidationException" } }
          )
        : Response.json(anthropic.error(400, words), { status: 400 })
    }
    return Response.json(
      isConverse
        ? converseAnswer(text.includes("toolResult") ? "text" : "reasoning-tools")
        : anthropic.answer("text", "claude-opus-4-5")
    )
  }
})

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-unsigned-thinking-"))
  const at = `http://127.0.0.1:${server.port}`
  const messages = { protocol: "anthropic-messages", base_url: at, api_key: "key" }
  const upstreams = {
    invoke: { ...messages, provider: "bedrock" },
    vertex: { ...messages, base_url: `${at}/v1/projects/p/locations/l/publishers/anthropic`, provider: "vertex" },
    mantle: { ...messages, provider: "mantle" },
    own: { ...messages, provider: "anthropic" },
    converse: { protocol: "bedrock-converse", base_url: at, api_key: "key", provider: "bedrock" }
  }
  const models = Object.fromEntries(
    Object.keys(upstreams).map((upstream) => [
      upstream,
      { routes: [{ upstream, model: "anthropic.claude-opus-4-5-20251101-v1:0" }] }
    ])
  )
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models }))
  gateway = await startGateway({ folder })
})
beforeEach(() => {
  seen = []
})
afterAll(async () => {
  await gateway.dispose()
  await server.stop(true)
})

/** A turn of calls under way, with thinking that another provider has signed. */
const loop = {
  max_tokens: 4_000,
  thinking: { type: "enabled", budget_tokens: 2_000 },
  tools: [{ name: "look", input_schema: { type: "object", properties: {} } }],
  messages: [
    { role: "user", content: "Look" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "so", signature: "c29tZWJvZHkgZWxzZQ==" },
        { type: "tool_use", id: "toolu_1", name: "look", input: {} }
      ]
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "A tree" }] }
  ]
}

const ask = async (model: string, headers = {}) => {
  const answer = await request(gateway, "/v1/messages", { body: { ...loop, model }, headers })
  return { status: answer.status, text: await answer.text(), adapted: answer.headers.get("x-gateway-adapted") }
}

it.each(["invoke", "vertex", "mantle"])(
  "%s: thinking that the place did not sign is left out once it is refused, and the request is asked again",
  async (model) => {
    const { adapted, status } = await ask(model)
    expect(status).toBe(200)
    expect(adapted).toContain("reasoning")
    expect(seen).toHaveLength(2)
    const [, again = ""] = seen
    expect(again).toContain("toolu_1")
    expect(again).not.toContain("thinking")
  }
)

it("a strict request, and one to the dialect's own provider, get the refusal", async () => {
  expect(await ask("own")).toMatchObject({ status: 400, text: expect.stringContaining("Invalid `signature`") })
  expect(seen).toHaveLength(1)
})

it("a translated request is asked again, too", async () => {
  const { max_tokens, messages: turns, thinking } = loop
  const asked = { model: "converse", max_tokens, thinking, tools: [{ ...loop.tools[0], name: "get_weather" }] }
  const first = await request(gateway, "/v1/messages", { body: { ...asked, messages: turns.slice(0, 1) } })
  const { content } = await first.json()
  expect(content).toMatchObject([{ type: "thinking" }, { type: "tool_use" }])
  const result = { type: "tool_result", tool_use_id: content[1].id, content: "Sunny" }
  const messages = [turns[0], { role: "assistant", content }, { role: "user", content: [result] }]
  // It is the place's own, but the history may have changed before it.
  const answer = await request(gateway, "/v1/messages", { body: { ...asked, messages } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get("x-gateway-adapted")).toContain("reasoning")
  expect(seen).toHaveLength(3)
  expect(seen[1]).toContain("reasoningContent")
  expect(seen[2]).toContain("toolResult")
  expect(seen[2]).not.toMatch(/reasoningContent|budget_tokens/)
})
