import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { pixel } from "../../upstreams/conversations.ts"
import type { DialectName } from "../../upstreams/fakes/fakeUpstream.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import type { families } from "./callers.ts"
import type { World } from "./world.ts"
import { models, startWorld } from "./world.ts"
import { request } from "../../request.ts"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.dispose())

type Family = (typeof families)[number]

const send = async (family: Family, protocol: DialectName, fields: object, headers: Record<string, string> = {}) => {
  const base = family === "messages" ? { max_tokens: 4_000, messages: [user("play:text")] } : { input: "play:text" }
  const response = await request(world.gateway, `/v1/${family}`, {
    body: { model: models[protocol], ...base, ...fields },
    headers
  })
  return { response, body: await response.json() }
}
const user = (content: unknown) => ({ role: "user", content })
const cached = { cache_control: { type: "ephemeral" } }
const tool = { name: "f", input_schema: { type: "object" } }
const call = { type: "function", name: "f", parameters: { type: "object" } }
const patch = {
  type: "custom",
  name: "apply_patch",
  description: "Edits files.",
  format: { type: "grammar", syntax: "lark", definition: "start: /.+/" }
}
const image_url = `data:image/png;base64,${pixel}`
const text = { source: { type: "text", media_type: "text/plain", data: "a" }, type: "document" }

const webFetch = { type: "web_fetch_20250910", name: "web_fetch" }

/** Requests with a field that the upstream's dialect can't express. */
const lost: ReadonlyArray<readonly [Family, DialectName, object, string]> = [
  ["messages", "openai-responses", { thinking: { type: "enabled", budget_tokens: 2_000 } }, "thinking.budget_tokens"],
  ["messages", "openai-chat", { thinking: { type: "enabled", budget_tokens: 2_000 } }, "thinking.budget_tokens"],
  ["responses", "anthropic-messages", { input: [user([{ type: "input_image", image_url, detail: "low" }])] }, "detail"],
  ["messages", "openai-responses", { top_k: 5 }, "top_k"],
  [
    "messages",
    "openai-responses",
    { messages: [user([{ type: "text", text: "play:text", ...cached }])] },
    "cache_control"
  ],
  ["messages", "openai-responses", { system: [{ type: "text", text: "a", ...cached }] }, "cache_control"],
  ["messages", "openai-chat", { tools: [{ ...tool, ...cached }] }, "cache_control"],
  ["messages", "openai-chat", { tools: [{ ...tool, input_examples: [{}] }] }, "tools[].input_examples"],
  ["messages", "openai-chat", { context_management: { edits: [{ type: "x" }] } }, "context_management"],
  ["messages", "openai-chat", { messages: [user([{ ...text, citations: { enabled: true } }])] }, "citations"],
  ["responses", "anthropic-messages", { text: { verbosity: "low" } }, "text.verbosity"],
  ["responses", "openai-chat", { prompt_cache_key: "k" }, "prompt_cache_key"],
  ["responses", "anthropic-messages", { safety_identifier: "a", user: "b" }, "user"],
  [
    "messages",
    "openai-responses",
    {
      messages: [
        user("Hi"),
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: spoken.signature },
            { type: "text", text: "Hi" }
          ]
        },
        user("play:text")
      ]
    },
    "reasoning"
  ],
  ["responses", "anthropic-messages", { temperature: 1.5 }, "temperature"],
  ["responses", "anthropic-messages", { text: { format: { type: "json_object" } } }, "text.format"],
  ["responses", "anthropic-messages", { tools: [patch] }, "tools[].format"],
  ["responses", "anthropic-messages", { tools: [{ type: "image_generation" }, call] }, "tools.image_generation"],
  [
    "responses",
    "anthropic-messages",
    { tools: [{ type: "web_search", search_context_size: "high" }] },
    "search_context_size"
  ],
  ["responses", "anthropic-messages", { top_logprobs: 3 }, "top_logprobs"],
  ["responses", "anthropic-messages", { include: ["message.output_text.logprobs"] }, "include"],
  ["responses", "openai-chat", { service_tier: "priority" }, "service_tier"],
  ["responses", "openai-chat", { reasoning: { effort: "low", mode: "pro" } }, "reasoning.mode"],
  ["responses", "openai-chat", { tools: [patch] }, "tools[].format"],
  [
    "responses",
    "openai-chat",
    { input: [user("play:text"), { type: "compaction", encrypted_content: "c" }] },
    "input.compaction"
  ],
  [
    "messages",
    "openai-chat",
    {
      messages: [
        user([
          { type: "text", text: "play:text" },
          { type: "container_upload", file_id: "f" }
        ])
      ]
    },
    "content.container_upload"
  ],
  ["messages", "openai-chat", { tools: [webFetch, tool] }, "tools.web_fetch_20250910"],
  ["responses", "openai-chat", { tools: [{ type: "web_search" }, call] }, "tools.web_search"],
  ["responses", "openai-chat", { tomorrows_field: "a" }, "tomorrows_field"]
]

const noneOf = (types: string) =>
  `tools: this model's upstream runs none of them (${types}); leave them out, or ask a model that runs them`

/** Requests that can't be translated to the upstream's dialect. */
const impossible: ReadonlyArray<readonly [Family, DialectName, object, string]> = [
  [
    "messages",
    "openai-chat",
    { tools: [webFetch], tool_choice: { type: "tool", name: "web_fetch" } },
    "tools[0].type: this model's upstream does not run web_fetch_20250910"
  ],
  [
    "responses",
    "openai-chat",
    { tools: [call, { type: "file_search" }], tool_choice: { type: "file_search" } },
    "tool_choice.type: this model's upstream does not run file_search"
  ],
  [
    "responses",
    "openai-chat",
    {
      tools: [call, { type: "file_search" }],
      tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "file_search" }] }
    },
    "tool_choice.tools[0].type: this model's upstream does not run file_search"
  ],
  ["messages", "openai-chat", { tools: [webFetch] }, noneOf("web_fetch_20250910")],
  ["messages", "openai-responses", { tools: [webFetch], tool_choice: { type: "auto" } }, noneOf("web_fetch_20250910")],
  [
    "responses",
    "anthropic-messages",
    { tools: [{ type: "image_generation" }, { type: "file_search" }] },
    noneOf("image_generation, file_search")
  ],
  [
    "responses",
    "openai-chat",
    { tools: [{ type: "web_search" }] },
    "tools[0]: web search is not available for this model: its upstream has none and no search provider is configured"
  ]
]

describe("what an upstream's dialect can't say", () => {
  it.each(lost)("%s to %s: %j is told as %s", async (family, protocol, fields, name) => {
    const { response } = await send(family, protocol, fields)
    expect(response.status).toBe(200)
    expect(response.headers.get("x-gateway-adapted")).toBe(name)
  })

  it.each(lost)("%s to %s: %j is refused where nothing may be lost", async (family, protocol, fields, name) => {
    const before = world.fakes[protocol].asked.length
    const { response, body } = await send(family, protocol, fields, { "x-gateway-strict": "true" })
    expect(response.status).toBe(400)
    expect(body.error.message).toContain(name)
    if (family === "responses") expect(body.error.param).toBe(name)
    expect(world.fakes[protocol].asked).toHaveLength(before)
  })

  it.each(lost)("%s: %j, asked of %s's own kind, arrives", async (family, _, fields, name) => {
    const protocol = family === "messages" ? "anthropic-messages" : "openai-responses"
    // Not of the real service either.
    if (name === "tomorrows_field") return
    const { response } = await send(family, protocol, fields, { "x-gateway-strict": "true" })
    expect(response.status).toBe(200)
    expect(response.headers.get("x-gateway-adapted")).toBeNull()
    // Reasoning is always asked for encrypted, so that it can be replayed.
    const { include, ...rest } = fields as { include?: ReadonlyArray<string> }
    expect(world.asked(protocol).body).toMatchObject(rest)
    expect(world.asked(protocol).body.include ?? []).toEqual(expect.arrayContaining([...(include ?? [])]))
  })

  it.each(impossible)("%s to %s: %j is always refused", async (family, protocol, fields, message) => {
    const { response, body } = await send(family, protocol, fields)
    expect([response.status, body.error.message]).toEqual([400, message])
  })

  it.each(impossible)("%s: %j, refused by %s, is passed through", async (family, _, fields) => {
    const protocol = family === "messages" ? "anthropic-messages" : "openai-responses"
    expect((await send(family, protocol, fields)).response.status).toBe(200)
    expect(world.asked(protocol).body).toMatchObject(fields)
  })

  it("is listed whole", async () => {
    const fields = { top_k: 3, context_management: { edits: [1] }, system: [{ type: "text", text: "a", ...cached }] }
    const { response } = await send("messages", "openai-responses", fields)
    expect(response.headers.get("x-gateway-adapted")).toBe("cache_control, top_k, context_management")
  })

  it.each([1, 2])("is listed for a completion with answers, %i of them", async (n) => {
    const response = await request(world.gateway, "/v1/chat/completions", {
      body: { model: models["anthropic-messages"], messages: [user("play:text")], seed: 7, n }
    })
    expect(response.status).toBe(200)
    expect(response.headers.get("x-gateway-adapted")).toBe("seed")
    expect((await response.json()).choices).toHaveLength(n)
  })

  it("is nothing where what is asked says nothing", async () => {
    const fields = { context_management: null, container: null, mcp_servers: [], speed: null, tools: [] }
    const { response } = await send("messages", "openai-chat", fields, { "x-gateway-strict": "true" })
    expect(response.status).toBe(200)
    expect(response.headers.get("x-gateway-adapted")).toBeNull()
  })

  it("puts into words what its upstream does not enforce", async () => {
    for (const protocol of ["anthropic-messages", "openai-chat"] as const) {
      await send("responses", protocol, { tools: [patch] })
      expect(JSON.stringify(world.asked(protocol).body.tools)).toContain(
        "Edits files.\\n\\nThe input must match this lark grammar:\\nstart: /.+/"
      )
    }
  })
})
