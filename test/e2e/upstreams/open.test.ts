import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"
import { runCommand } from "../command.ts"
import { startGateway } from "../process.ts"
import type { GatewayProcess } from "../process.ts"

const chat = fakeUpstream("openai-chat")
const anthropic = fakeUpstream("anthropic-messages")
const openai = fakeUpstream("openai-responses")

let gateway: GatewayProcess
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

const text = "play:text"
const families = {
  messages: { path: "/v1/messages", native: anthropic, hello: { max_tokens: 100, messages: text } },
  responses: { path: "/v1/responses", native: openai, hello: { input: text } },
  chat: { path: "/v1/chat/completions", native: chat, hello: { messages: [{ role: "user", content: text }] } }
} as const
type Family = keyof typeof families

const send = async (family: Family, model: string, fields: object, key = gateway.key) => {
  const { hello, path } = families[family]
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, ...hello, ...fields })
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever came
  const body: any = await response.json()
  return { status: response.status, body, message: String(body.error?.message ?? ""), headers: response.headers }
}

const block = (block: object) => ({ messages: [{ role: "user", content: [block, { type: "text", text }] }] })
const part = (part: object) => ({ messages: [{ role: "user", content: [part, { type: "text", text }] }] })
const item = (item: object) => ({ input: [item, { role: "user", content: text }] })
const weather = { name: "get_weather", input_schema: { type: "object" } }
const called = { type: "function", function: { name: "f" } }
const fn = { type: "function", name: "f", parameters: {} }
const search = { type: "web_search_20250305", name: "web_search" }

/** Fields that break a rule, and the parameter in the error. `own`: checked by the gateway; otherwise by an upstream of the dialect. */
type Row = readonly [family: Family, fields: object, param: string, own?: "own"]

const rows: ReadonlyArray<Row> = [
  ["messages", { thinking: { type: "adaptive", display: "sideways" } }, "thinking.display"],
  ["messages", { thinking: { type: "dreaming" } }, "thinking.type"],
  ["messages", { thinking: { type: "enabled", budget_tokens: 5_000 } }, "`max_tokens` must be greater"],
  ["messages", { tools: [{ type: "browser_toolset_20260801" }] }, "tools[0].type"],
  ["messages", { tools: [{ type: "computer_toolset_20260801", name: "computer" }] }, "tools[0].type"],
  ["messages", { tools: [weather, weather] }, "tools[1].name"],
  ["messages", { tools: [{ ...search, max_uses: 99 }] }, "tools[0].max_uses"],
  ["messages", { tools: [{ ...search, allowed_domains: ["a.com"], blocked_domains: ["b.com"] }] }, "tools[0].blocked"],
  ["messages", { tools: [weather], tool_choice: { type: "some" } }, "tool_choice.type"],
  ["messages", { tools: [weather], tool_choice: { type: "tool", name: "other" } }, "tool_choice.name"],
  ["messages", { output_config: { effort: "ultra" } }, "output_config.effort"],
  ["messages", { output_config: { format: { type: "yaml" } } }, "output_config.format.type"],
  ["messages", { system: [{ type: "image" }] }, "system[0]"],
  ["messages", { temperature: 1.5 }, "temperature"],
  ["messages", { top_k: -1 }, "top_k"],
  ["messages", { messages: [{ role: "developer", content: text }] }, "messages[0].role"],
  ...["advisor_tool_result", "mcp_tool_listing", "fallback"].map((type): Row => [
    "messages",
    block({ type, anything: { deep: 1 } }),
    "messages[0].content[0].type"
  ]),
  ...["tool_addition", "tool_removal"].flatMap((type): ReadonlyArray<Row> => [
    [
      "messages",
      block({ type, tool: { type: "mcp_tool_reference", server_name: "s", name: "n" } }),
      "messages[0].content[0].tool.type"
    ],
    ["messages", block({ type, tool: { type: "tool_reference", name: "n" } }), "messages[0].content[0].tool.name"]
  ]),
  ["messages", block({ type: "image", source: { type: "hologram" } }), "messages[0].content[0].source.type"],
  ["messages", block({ type: "text" }), "messages[0].content[0].text"],
  ["messages", block({ type: "tool_result", tool_use_id: "t" }), "messages[0].content[0].tool_use_id"],
  ["messages", { max_tokens: 200_000 }, "max_tokens"],
  ["messages", { max_tokens: 0 }, "max_tokens", "own"],
  ["messages", { messages: [] }, "messages"],
  ["messages", { messages: [{ role: "user" }] }, "messages[0].content", "own"],
  ["messages", { stream: "yes" }, "stream", "own"],
  ["messages", { async: 1 }, "async", "own"],
  ["responses", { tools: [{ type: "hologram" }] }, "tools[0].type"],
  ["responses", { tools: [{ type: "function" }] }, "tools[0].name"],
  ["responses", { tools: [fn], tool_choice: { type: "some" } }, "tool_choice.type"],
  ["responses", { tools: [fn], tool_choice: { type: "function", name: "g" } }, "tool_choice.name"],
  ["responses", { tool_choice: "perhaps" }, "tool_choice"],
  ["responses", { reasoning: { effort: "ultra" } }, "reasoning.effort"],
  ["responses", { reasoning: { summary: "long" } }, "reasoning.summary"],
  ["responses", { text: { format: { type: "yaml" } } }, "text.format.type"],
  ["responses", { text: { verbosity: "ultra" } }, "text.verbosity"],
  ["responses", { temperature: 3 }, "temperature"],
  ...["program", "program_output", "configuration_update", "compaction_trigger"].map((type): Row => [
    "responses",
    item({ type, id: "x_1", anything: { deep: 1 } }),
    "input[0].type"
  ]),
  ["responses", item({ role: "user", content: [{ type: "input_video" }] }), "input[0].content[0].type"],
  ["responses", item({ role: "user", content: [{ type: "input_image" }] }), "input[0].content[0].image_url"],
  ["responses", item({ type: "function_call_output", call_id: "c", output: "x" }), "No tool call found"],
  ["responses", { input: undefined }, "input"],
  ["responses", { input: [] }, "input"],
  ["responses", { max_output_tokens: 0 }, "max_output_tokens", "own"],
  ["responses", { stream: "yes" }, "stream", "own"],
  ["responses", { store: "no" }, "store", "own"],
  ["responses", { metadata: { a: 1 } }, "metadata", "own"],
  ["responses", { background: true, store: false }, "store", "own"],
  ["chat", { tools: [{ type: "hologram" }] }, "tools[0].type"],
  ["chat", { tools: [{ type: "function" }] }, "tools[0].function"],
  ["chat", { tools: [called, called] }, "tools[1].function.name"],
  ["chat", { tools: [called], tool_choice: "perhaps" }, "tool_choice"],
  ["chat", { tools: [called], tool_choice: { type: "function", function: { name: "g" } } }, "tool_choice"],
  ["chat", { tool_choice: "required" }, "tool_choice"],
  ["chat", { tools: [called], functions: [{ name: "g" }] }, "functions"],
  ["chat", { functions: "all" }, "functions"],
  ["chat", { functions: [{ name: "g" }], function_call: "perhaps" }, "function_call"],
  ["chat", { response_format: { type: "yaml" } }, "response_format.type"],
  ["chat", { response_format: { type: "json_schema" } }, "response_format.json_schema"],
  ["chat", { reasoning_effort: "ultra" }, "reasoning_effort"],
  ["chat", { verbosity: "ultra" }, "verbosity"],
  ["chat", { temperature: 3 }, "temperature"],
  ["chat", { top_p: 2 }, "top_p"],
  ["chat", { frequency_penalty: 9 }, "frequency_penalty"],
  ["chat", { seed: "x" }, "seed"],
  ["chat", { stop: 5 }, "stop"],
  ["chat", { n: 20 }, "n"],
  ["chat", { top_logprobs: 99 }, "top_logprobs"],
  ["chat", { logit_bias: { a: "b" } }, "logit_bias"],
  ["chat", { modalities: "audio" }, "modalities"],
  ["chat", { metadata: { a: 1 } }, "metadata"],
  ["chat", { web_search_options: { search_context_size: "huge" } }, "web_search_options.search_context_size"],
  ["chat", { messages: [{ role: "narrator", content: text }] }, "messages[0].role"],
  ["chat", { messages: [{ role: "user", content: 5 }] }, "messages[0].content"],
  ["chat", { messages: [{ role: "user" }] }, "messages[0].content"],
  ["chat", part({ type: "video_url", video_url: { url: "https://a.example/a.mp4" } }), "messages[0].content[0].type"],
  ["chat", part({ type: "image_url" }), "messages[0].content[0].image_url"],
  ["chat", part({ type: "image_url", image_url: { url: "a.png" } }), "messages[0].content[0].image_url.url"],
  ["chat", part({ type: "text" }), "messages[0].content[0].text"],
  ["chat", { messages: [{ role: "tool", tool_call_id: "c", content: text }] }, "messages[0].tool_call_id"],
  [
    "chat",
    { messages: [{ role: "assistant", tool_calls: [{ type: "mcp", id: "c" }] }] },
    "messages[0].tool_calls[0].type"
  ],
  ["chat", { messages: [{ role: "assistant", tool_calls: [{ id: "c", ...called }] }] }, "messages[0].tool_calls[0]"],
  ["chat", { messages: [] }, "messages", "own"],
  ["chat", { tools: "all" }, "tools", "own"],
  ["chat", { max_tokens: 0 }, "max_tokens", "own"],
  ["chat", { max_completion_tokens: 0 }, "max_completion_tokens", "own"],
  ["chat", { n: 0 }, "n", "own"],
  ["chat", { n: 200 }, "n", "own"],
  ["chat", { stream: "yes" }, "stream", "own"],
  ["chat", { stream_options: { include_usage: "yes" } }, "stream_options.include_usage", "own"],
  ["responses", { previous_response_id: "resp_unknown" }, "Previous response", "own"]
]

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
    const ask = (beta: string) =>
      fetch(`${gateway.url}/v1/messages`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.key}`, "anthropic-beta": beta },
        body: JSON.stringify(body)
      })
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
    const { headers, status } = await send("responses", "responses", { tools: [{ type: "web_fetch" }] }, confined)
    expect(status).toBe(200)
    expect(headers.get("x-gateway-adapted")).toContain("tools.web_fetch")
    expect(JSON.stringify(openai.asked.at(-1)?.body)).not.toContain("web_fetch")
  })

  it.each([
    ["plugins", [{ id: "web" }]],
    ["enable_search", true],
    ["search_parameters", { mode: "on" }]
  ])("is left out where a field that nobody knows may reach the web past them: %s", async (param, value) => {
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
