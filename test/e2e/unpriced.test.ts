import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { connect } from "../responses/socket/connect.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { arkKey, fakeArk } from "../upstreams/fakes/ark.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

const chat = fakeUpstream("openai-chat")
const messages = fakeUpstream("anthropic-messages")
const responses = fakeUpstream("openai-responses")
const other = fakeUpstream("openai-responses")
const ark = fakeArk()
const fakes = [chat, messages, responses, other]
afterAll(() => Promise.all([...fakes, ark].map((fake) => fake.stop())))
const calls = () => fakes.reduce((sum, { asked }) => sum + asked.length, 0)

const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`
const plain = { input: 1, output: 2 }
const config = {
  upstreams: {
    chat: { protocol: "openai-chat", base_url: `${chat.url}/v1` },
    messages: { protocol: "anthropic-messages", base_url: messages.url },
    responses: { protocol: "openai-responses", base_url: `${responses.url}/v1`, provider: "openai" },
    ark: { protocol: "ark-video", base_url: ark.baseUrl, api_key: arkKey },
    other: { protocol: "openai-responses", base_url: `${other.url}/v1` }
  },
  models: {
    c: { routes: [{ upstream: "chat" }], price: plain },
    m: { routes: [{ upstream: "messages" }], price: plain },
    r: { routes: [{ upstream: "responses" }], price: plain },
    calling: {
      routes: [{ upstream: "responses" }],
      price: {
        ...plain,
        per_search: 0,
        per_call: { image_generation: 0.2, code_interpreter: { usd: 0.03, once: true } }
      }
    },
    v: { routes: [{ upstream: "ark" }], price: { per_second: 0.01 } },
    "v-searching": { routes: [{ upstream: "ark" }], price: { per_second: 0.01, per_search: 0.01 } },
    either: {
      routes: [
        { upstream: "responses", price: plain },
        { upstream: "other", price: { ...plain, per_call: { image_generation: 0.2 } } }
      ]
    }
  },
  keys: [
    { name: "rich", account: "rich", secret: secretOf("rich"), balance_usd: 100 },
    { name: "budgeted", account: "open", secret: secretOf("budgeted"), budgets: [{ usd: 100, per: "day" }] },
    { name: "counted", account: "open", secret: secretOf("counted"), budgets: [{ requests: 100_000, per: "day" }] },
    { name: "free", account: "open", secret: secretOf("free") },
    { name: "allowed", account: "rich", secret: secretOf("allowed"), unpriced: "allow" }
  ]
}

const user = [{ role: "user", content: "Hello" }]
const bodies = {
  "/v1/responses": { model: "r", input: "Hello", max_output_tokens: 50 },
  "/v1/messages": { model: "m", messages: user, max_tokens: 50 },
  "/v1/chat/completions": { model: "c", messages: user, max_tokens: 50 }
} as const
type Path = keyof typeof bodies

const fn = { type: "function", name: "look", parameters: { type: "object", properties: {} } }
const own = { name: "look", input_schema: { type: "object", properties: {} } }
const sound = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }
const marked = { type: "input_text", text: "Hello", prompt_cache_breakpoint: { mode: "explicit", ttl: "12h" } }
const hosted = { type: "shell", environment: { type: "container_auto" } }

/** What a body asks for beside tokens: the field and the value of its refusal. */
const refused: ReadonlyArray<readonly [Path, object, string, string]> = [
  ["/v1/responses", { service_tier: "ultrafast" }, "service_tier", "ultrafast"],
  ["/v1/responses", { service_tier: "Flex" }, "service_tier", "Flex"],
  ["/v1/responses", { tools: [fn, { type: "image_generation" }] }, "tools[1]", "image_generation"],
  [
    "/v1/responses",
    { tools: [{ type: "code_interpreter", container: { type: "auto" } }] },
    "tools[0]",
    "code_interpreter"
  ],
  ["/v1/responses", { tools: [hosted] }, "tools[0]", "shell"],
  ["/v1/responses", { tools: [{ type: "file_search", vector_store_ids: [] }] }, "tools[0]", "file_search"],
  ["/v1/responses", { tools: [{ type: "x_search" }] }, "tools[0]", "x_search"],
  ["/v1/responses", { tools: [{ type: "collections_search" }] }, "tools[0]", "collections_search"],
  ["/v1/responses", { tools: [{ type: "web_search_preview" }] }, "tools[0]", "web_search_preview"],
  ["/v1/responses", { prompt_cache_options: { ttl: "12h" } }, "prompt_cache_options.ttl", "12h"],
  [
    "/v1/responses",
    { input: [{ role: "user", content: [marked] }] },
    "input[0].content[0].prompt_cache_breakpoint.ttl",
    "12h"
  ],
  ["/v1/responses", { input: [{ role: "user", content: [sound] }] }, "input[0].content[0]", "input_audio"],
  [
    "/v1/responses",
    { input: [{ type: "additional_tools", role: "developer", tools: [{ type: "image_generation" }] }, ...user] },
    "input[0].tools[0]",
    "image_generation"
  ],
  ["/v1/messages", { service_tier: "priority" }, "service_tier", "priority"],
  ["/v1/messages", { speed: "fast" }, "speed", "fast"],
  ["/v1/messages", { inference_geo: "us" }, "inference_geo", "us"],
  [
    "/v1/messages",
    { tools: [own, { type: "web_search_20250305", name: "web_search" }] },
    "tools[1]",
    "web_search_20250305"
  ],
  ["/v1/messages", { tools: [{ type: "code_execution_20250825" }] }, "tools[0]", "code_execution_20250825"],
  ["/v1/messages", { tools: [{ type: "advisor_20260301", model: "claude-opus-5" }] }, "tools[0]", "advisor_20260301"],
  ["/v1/messages", { fallbacks: [{ model: "claude-opus-5" }] }, "fallbacks[0]", "claude-opus-5"],
  ["/v1/messages", { fallbacks: "default" }, "fallbacks", "default"],
  ["/v1/chat/completions", { service_tier: "priority" }, "service_tier", "priority"],
  ["/v1/chat/completions", { modalities: ["text", "audio"] }, "modalities", "audio"],
  ["/v1/chat/completions", { modalities: ["image", "text"] }, "modalities", "image"],
  ["/v1/chat/completions", { audio: { voice: "alloy", format: "wav" } }, "audio", "audio"],
  ["/v1/chat/completions", { messages: [{ role: "user", content: [sound] }] }, "messages[0].content[0]", "input_audio"],
  ["/v1/chat/completions", { web_search_options: {} }, "web_search_options", "web_search"],
  ["/v1/chat/completions", { plugins: [{ id: "web" }] }, "plugins[0]", "web_search"],
  ["/v1/chat/completions", { search_parameters: { mode: "on" } }, "search_parameters", "web_search"],
  ["/v1/chat/completions", { enable_search: true }, "enable_search", "web_search"],
  ["/v1/chat/completions", { models: ["dear/model"] }, "models[0]", "dear/model"],
  ["/v1/chat/completions", { tools: [{ google_maps: {} }] }, "tools[0]", "google_maps"],
  ["/v1/chat/completions", { tools: [{ type: "openrouter:web_search" }] }, "tools[0]", "openrouter:web_search"]
]

/** What clients send by default, or has no price of its own. */
const passed: ReadonlyArray<readonly [Path, object]> = [
  ["/v1/responses", { service_tier: "auto" }],
  ["/v1/responses", { service_tier: "default", prompt_cache_options: { ttl: "30m" } }],
  [
    "/v1/responses",
    { service_tier: null, tools: [fn, { type: "mcp", server_label: "a", server_url: "https://a.dev" }] }
  ],
  ["/v1/responses", { tools: [{ type: "shell" }, { type: "shell", environment: { type: "local" } }] }],
  ["/v1/responses", { tools: [{ type: "local_shell" }, { type: "apply_patch" }, { type: "computer" }] }],
  ["/v1/messages", { service_tier: "standard_only", speed: "standard", inference_geo: "global" }],
  ["/v1/messages", { tools: [own, { type: "web_fetch_20250910", name: "web_fetch" }] }],
  ["/v1/messages", { tools: [{ type: "bash_20250124", name: "bash" }] }],
  [
    "/v1/messages",
    {
      tools: [
        { type: "web_fetch_20260209", name: "web_fetch" },
        { type: "code_execution_20260120", name: "code_execution" }
      ]
    }
  ],
  ["/v1/chat/completions", { modalities: ["text"], service_tier: "standard" }],
  ["/v1/chat/completions", { search_parameters: { mode: "off" }, enable_search: false }]
]

describeOnEach("where money is counted", ({ name }) => {
  let gateway: GatewayHere
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-unpriced-"))
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
    gateway = await startGateway({ folder, env: await gatewayEnv(`unpriced-${name}`) })
  })
  afterAll(() => gateway.dispose())

  const post = (path: string, body: object, key = "rich") => request(gateway, path, { body, key: secretOf(key) })
  const messageOf = (param: string, value: string, model: string) =>
    `"${param}": "${value}" of model "${model}" has no price`
  const refusal = async (response: Response) => {
    const { error } = (await response.json()) as { error: { message: string; param?: string | null } }
    return { status: response.status, param: error.param, message: error.message }
  }

  it.each(refused)("%s refuses %j before anything is sent", async (path, more, param, value) => {
    const body = { ...bodies[path], ...more }
    const before = calls()
    const expected = {
      status: 403,
      // Anthropic's errors name no field.
      param: path === "/v1/messages" ? undefined : param,
      message: messageOf(param, value, body.model)
    }
    expect(await refusal(await post(path, body))).toEqual(expected)
    expect(await refusal(await post(path, { ...body, stream: true }, "budgeted"))).toEqual(expected)
    // A quote has the form of its own endpoint.
    expect(await refusal(await post("/v1/quote", { endpoint: path, body }))).toMatchObject({
      status: 403,
      message: expected.message
    })
    expect(calls()).toBe(before)
    for (const key of ["free", "counted", "allowed"]) expect((await post(path, body, key)).status).toBe(200)
    expect(calls()).toBe(before + 3)
  })

  it.each(passed)("%s takes %j", async (path, more) => {
    expect((await post(path, { ...bodies[path], ...more })).status).toBe(200)
  })

  it("refuses what runs later, and what comes by a socket", async () => {
    const tools = [{ type: "image_generation" }]
    const background = await post("/v1/responses", { ...bodies["/v1/responses"], tools, background: true })
    expect(await refusal(background)).toMatchObject({ status: 403, param: "tools[0]" })
    const async = await post("/v1/messages", { ...bodies["/v1/messages"], speed: "fast", async: true })
    expect(await refusal(async)).toMatchObject({ status: 403, message: messageOf("speed", "fast", "m") })
    const socket = await connect(gateway.url, secretOf("rich"))
    socket.send({ type: "response.create", ...bodies["/v1/responses"], tools })
    expect(JSON.stringify(await socket.next())).toContain('\\"tools[0]\\"')
    socket.ws.close()
  })

  it("refuses the tools of a conversation that goes on", async () => {
    const tools = { type: "additional_tools", role: "developer", tools: [{ type: "image_generation" }] }
    const first = await post("/v1/responses", { ...bodies["/v1/responses"], input: [tools, ...user] }, "allowed")
    const { id } = (await first.json()) as { id: string }
    const next = await post("/v1/responses", { ...bodies["/v1/responses"], previous_response_id: id })
    expect(await refusal(next)).toMatchObject({ status: 403, param: "input.tools[0]" })
  })

  it("takes a tool that has a price, for the calls of the answer", async () => {
    const tools = [{ type: "image_generation" }, { type: "web_search" }]
    expect((await post("/v1/responses", { ...bodies["/v1/responses"], model: "calling", tools })).status).toBe(200)
    const files = [...tools, { type: "file_search" }]
    const without = await post("/v1/responses", { ...bodies["/v1/responses"], model: "calling", tools: files })
    expect(await refusal(without)).toMatchObject({ status: 403, param: "tools[2]" })
  })

  it("refuses the search of a video", async () => {
    const body = { content: [{ type: "text", text: "a cat" }], duration: 5, tools: [{ type: "web_search" }] }
    const path = "/api/v3/contents/generations/tasks"
    const message = messageOf("tools[0]", "web_search", "v")
    for (const [at, sent] of [
      [path, { ...body, model: "v" }],
      ["/v1/quote", { endpoint: path, body: { ...body, model: "v" } }]
    ] as const) {
      expect(await refusal(await post(at, sent))).toMatchObject({ status: 403, message })
    }
    expect((await post(path, { ...body, model: "v-searching" })).status).toBe(200)
    expect((await post(path, { ...body, model: "v", tools: [] })).status).toBe(200)
    expect((await post(path, { ...body, model: "v" }, "free")).status).toBe(200)
  })

  it("goes to the route that has the price", async () => {
    const body = { ...bodies["/v1/responses"], model: "either" }
    const upstreamOf = async (more: object) =>
      (await post("/v1/responses", { ...body, ...more })).headers.get("x-gateway-upstream")
    expect(await upstreamOf({})).toBe("responses")
    expect(await upstreamOf({ tools: [{ type: "image_generation" }] })).toBe("other")
    expect(await refusal(await post("/v1/responses", { ...body, speed: "fast" }))).toMatchObject({
      status: 403,
      param: "speed"
    })
  })

  it("takes what a translation leaves out, and refuses what it carries", async () => {
    const body = { ...bodies["/v1/responses"], model: "c", tools: [fn, { type: "image_generation" }] }
    const answer = await post("/v1/responses", body)
    expect([answer.status, answer.headers.get("x-gateway-adapted")]).toEqual([200, "tools.image_generation"])
    const tier = { model: "r", messages: user, service_tier: "priority" }
    expect(await refusal(await post("/v1/chat/completions", tier))).toMatchObject({
      status: 403,
      param: "service_tier"
    })
  })
})
