import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runCommand } from "../command.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { request } from "../../request.ts"
import { anthropic, block, chat, families, item, openai, part, rows, search, text } from "./openRows.ts"
import type { Family } from "./openRows.ts"

let gateway: GatewayHere
let confined: string

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-open-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams:
  chat: { protocol: openai-chat, base_url: "${chat.url}/v1" }
  anthropic: { protocol: anthropic-messages, base_url: "${anthropic.url}" }
  openai: { protocol: openai-responses, base_url: "${openai.url}/v1" }
models:
  chat: chat
  messages: { routes: [{ upstream: anthropic, model: claude-haiku-4-5 }] }
  responses: { routes: [{ upstream: openai, model: gpt-5.1 }] }
  mixed-messages: { routes: [{ upstream: chat }, { upstream: openai }, { upstream: anthropic }] }
  mixed-chat: { routes: [{ upstream: anthropic }, { upstream: openai }, { upstream: chat }] }
  mixed-responses: { routes: [{ upstream: anthropic }, { upstream: chat }, { upstream: openai }] }
  small-messages: { routes: [{ upstream: anthropic }], context: 1000 }
  small-chat: { routes: [{ upstream: chat }], context: 1000 }
`
  )
  gateway = await startGateway({ folder })
  await runCommand(folder, ["accounts", "create", "confined", "--search-allow", "example.com"])
  const made = await runCommand(folder, ["keys", "create", "k", "--account", "confined", "--json"])
  confined = made.json<{ secret: string }>().secret
})

afterAll(async () => {
  await gateway.dispose()
  await Promise.all([chat, anthropic, openai].map((fake) => fake.stop()))
})

const asked = () => [chat, anthropic, openai].reduce((sum, fake) => sum + fake.asked.length, 0)

const send = async (family: Family, model: string, fields: object, key = gateway.key) => {
  const { hello, path } = families[family]
  const response = await request(gateway, path, { body: { model, ...hello, ...fields }, key })
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever came
  const body: any = await response.json()
  return { status: response.status, body, message: String(body.error?.message ?? ""), headers: response.headers }
}

const cases = rows.map(([family, fields, param, own]) => ({ family, fields, param, own, says: JSON.stringify(fields) }))

describe("what the gateway does not understand", () => {
  it.each(cases)("is refused where it would have to translate: $family $says", async ({ family, fields, param }) => {
    const before = asked()
    for (const model of [family === "chat" ? "messages" : "chat", "sandbox-text"]) {
      const { message, status } = await send(family, model, fields)
      expect([status, message]).toEqual([400, expect.stringContaining(param)])
    }
    expect(asked()).toBe(before)
  })

  it.each(cases.filter(({ own }) => own === undefined))(
    "goes to an upstream of its dialect as it came: $family $says",
    async ({ family, fields }) => {
      const { native } = families[family]
      for (const model of [family, `mixed-${family}`]) {
        const { headers, message, status } = await send(family, model, fields)
        expect([status, message]).toEqual([200, ""])
        expect(headers.get("x-gateway-adapted")).toBeNull()
        const sent = JSON.parse(JSON.stringify(fields))
        expect(native.asked.at(-1)?.body).toMatchObject(sent)
      }
    }
  )

  it.each(cases.filter(({ own }) => own === "own"))(
    "is refused there too where it is the gateway's own: $family $says",
    async ({ family, fields, param }) => {
      const before = asked()
      const { message, status } = await send(family, family, fields)
      expect([status, message]).toEqual([400, expect.stringContaining(param)])
      expect(asked()).toBe(before)
    }
  )

  it("is no rule for budgets under interleaved thinking", async () => {
    const body = {
      model: "chat",
      max_tokens: 2_000,
      messages: text,
      thinking: { type: "enabled", budget_tokens: 5_000 }
    }
    const ask = (beta: string) => request(gateway, "/v1/messages", { body, headers: { "anthropic-beta": beta } })
    expect((await ask("a,interleaved-thinking-2025-05-14")).status).toBe(200)
    expect((await ask("a")).status).toBe(400)
  })

  it.each([
    ["messages", block({ type: "fallback", words: "word ".repeat(2_000) })],
    ["chat", part({ type: "input_scent", words: "word ".repeat(2_000) })]
  ] as const)("counts by its bytes: %s", async (family, long) => {
    const { message, status } = await send(family, `small-${family}`, long)
    expect([status, message]).toEqual([400, expect.stringContaining("context")])
  })

  it("counts by its bytes, but for what is heard or seen", async () => {
    const data = "A".repeat(12_000)
    for (const media of [
      part({ type: "input_audio", input_audio: { data, format: "wav" } }),
      part({ type: "video_url", video_url: { url: `data:video/mp4;base64,${data}` } })
    ]) {
      expect((await send("chat", "small-chat", media)).status).toBe(200)
    }
  })

  it.each([
    ["messages", { tools: [{ type: "browser_toolset_20260801" }] }, "tools[0].type"],
    ["messages", block({ type: "tool_addition", tool: search }), "messages[0].content[0].tool.type"],
    ["responses", { tools: [{ type: "hologram" }] }, "tools[0].type"],
    ["responses", item({ type: "program" }), "input[0].type"],
    ["chat", { tools: [{ type: "hologram" }] }, "tools[0].type"],
    ["chat", { web_search_options: { search_context_size: "huge" } }, "web_search_options"],
    ["chat", part({ type: "input_page", page: "https://a.example" }), "messages[0].content[0].type"]
  ] as const)("is refused to an account whose searches are confined: %s %j", async (family, fields, param) => {
    const before = asked()
    const { message, status } = await send(family, family, fields, confined)
    expect([status, message]).toEqual([400, expect.stringContaining(param)])
    expect(asked()).toBe(before)
  })

  it("reaches its upstream from such an account too where it can't search", async () => {
    const { status } = await send(
      "messages",
      "messages",
      { thinking: { type: "adaptive", display: "sideways" } },
      confined
    )
    expect(status).toBe(200)
    expect(anthropic.asked.at(-1)?.body.thinking).toEqual({ type: "adaptive", display: "sideways" })
  })

  it("is not even asked for where a known tool would reach the web past the account's domains", async () => {
    const own = { type: "function", name: "f", parameters: { type: "object" } }
    const fields = { tools: [{ type: "web_fetch" }, own] }
    const { headers, status } = await send("responses", "responses", fields, confined)
    expect(status).toBe(200)
    expect(headers.get("x-gateway-adapted")).toContain("tools.web_fetch")
    expect(JSON.stringify(openai.asked.at(-1)?.body)).not.toContain("web_fetch")
  })

  it.each([
    ["plugins", [{ id: "web" }]],
    ["enable_search", true],
    ["search_parameters", { mode: "on" }]
  ])("is left out where an unknown field may reach the web past them: %s", async (param, value) => {
    const { headers, status } = await send("chat", "chat", { [param]: value }, confined)
    expect(status).toBe(200)
    expect(headers.get("x-gateway-adapted")).toBe(param)
    expect(chat.asked.at(-1)?.body).not.toHaveProperty(param)
    await send("chat", "chat", { [param]: value })
    expect(chat.asked.at(-1)?.body).toHaveProperty(param)
  })

  it("stays where it only samples or thinks", async () => {
    const fields = { top_k: 5, chat_template_kwargs: { enable_thinking: false } }
    const { headers, status } = await send("chat", "chat", fields, confined)
    expect([status, headers.get("x-gateway-adapted")]).toEqual([200, null])
    expect(chat.asked.at(-1)?.body).toMatchObject(fields)
  })

  it("is kept with its response, and replayed to the upstream that knows it", async () => {
    const first = await send("responses", "responses", item({ type: "program", id: "prog_1", code: "1 + 1" }))
    const next = await send("responses", "responses", { previous_response_id: first.body.id })
    expect(next.status).toBe(200)
    expect(openai.asked.at(-1)?.body.input).toContainEqual({ type: "program", id: "prog_1", code: "1 + 1" })
  })
})
