import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it, onTestFinished } from "@effect/vitest"
import { request } from "../request.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import type { Asked, DialectName } from "../upstreams/fakes/fakeUpstream.ts"
import { adminKey } from "./adminClient.ts"
import { expectNowhere, tasksWithRequests } from "./nowhere.ts"
import { startGateway } from "./process.ts"

/** Planted in every field in which a caller entrusts something. No form of well-known keys, which are always redacted. */
const planted = {
  authorization: "planted-authorization-7Qx2",
  header: "planted-header-value-7Qx2",
  user: "planted-user-7Qx2",
  password: "planted-password-7Qx2",
  path: "planted-path-of-server-7Qx2",
  query: "planted-query-of-server-7Qx2",
  domain: "planted-domain-secret-7Qx2",
  token: "planted-authorization-token-7Qx2",
  server: "planted-token-in-address-7Qx2",
  signature: "planted-signature-of-image-7Qx2",
  toolset: "planted-token-of-toolset-7Qx2"
} as const
type Planted = keyof typeof planted

const ofResponses: ReadonlyArray<Planted> = ["authorization", "header", "user", "password", "path", "query", "domain"]
const tools = [
  {
    type: "mcp",
    server_label: "crm",
    server_url: `https://${planted.user}:${planted.password}@crm.example.com/${planted.path}?key=${planted.query}`,
    authorization: planted.authorization,
    headers: { "X-Tenant": planted.header },
    require_approval: "never"
  },
  {
    type: "shell",
    environment: {
      type: "container_auto",
      network_policy: {
        type: "allowlist",
        allowed_domains: ["crm.example.com"],
        domain_secrets: [{ domain: "crm.example.com", name: "KEY", value: planted.domain }]
      }
    }
  }
]
const ofMessages: ReadonlyArray<Planted> = ["token", "server"]
const crm = `https://crm.example.com/sse?key=${planted.server}`
const mcpServers = [{ type: "url", name: "crm", url: crm, authorization_token: planted.token }]

/** Stands still until it is told to go on. Repeats the tools in its answers, and everything in its errors. */
let gate = Promise.withResolvers<void>()
const upstreamOf = (dialect: DialectName, answer: (asked: Asked) => Response) =>
  fakeUpstream(dialect, {
    answer: (asked) => {
      if (asked.text.includes("slowly")) return gate.promise.then(() => answer(asked))
      if (asked.text.includes("refused")) {
        const message = `tools[0]: ${JSON.stringify(asked.body)}`.replaceAll('"', "'")
        return Response.json({ error: { type: "invalid_request_error", message } }, { status: 400 })
      }
      return answer(asked)
    }
  })
const answerOf = ({ body }: Asked) => ({
  id: "resp_upstream",
  object: "response",
  created_at: 1,
  status: "completed",
  model: body.model,
  output: [
    {
      id: "msg_1",
      type: "message",
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", text: "Hello", annotations: [], logprobs: [] }]
    }
  ],
  tools: body.tools,
  usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 }
})
const responses = upstreamOf("openai-responses", (asked) => {
  const response = answerOf(asked)
  if (asked.body.stream !== true) return Response.json(response)
  const event = (type: string, sequence_number: number, of: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, response: of })}\n\n`
  const text =
    event("response.created", 0, { ...response, status: "in_progress", output: [] }) +
    event("response.completed", 1, response)
  return new Response(text, { headers: { "content-type": "text/event-stream" } })
})
const messages = upstreamOf("anthropic-messages", ({ body }) =>
  Response.json({
    id: `msg_${crypto.randomUUID()}`,
    type: "message",
    role: "assistant",
    model: body.model,
    content: [{ type: "text", text: "Hello" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 1 }
  })
)
const videos = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    if (request.method === "GET")
      return Response.json({ id: "v", status: "failed", error: { code: "x", message: "x" } })
    videosAsked.push(await request.text())
    await gate.promise
    return Response.json({ id: `v-${videosAsked.length}` })
  }
})
const videosAsked: Array<string> = []
afterAll(async () => {
  gate.resolve()
  await Promise.all([responses.stop(), messages.stop(), videos.stop(true)])
})

const configured = () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-entrusted-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: {
        responses: { protocol: "openai-responses", base_url: `${responses.url}/v1`, provider: "openai" },
        messages: { protocol: "anthropic-messages", base_url: messages.url, provider: "anthropic" },
        videos: { protocol: "ark-video", base_url: `${videos.url.origin}/api/v3`, api_key: "k" }
      },
      models: {
        responses: "responses",
        messages: "messages",
        video: { routes: [{ upstream: "videos", model: "m" }] }
      },
      accounts: { default: { record: { bodies: "on" } } }
    })
  )
  return folder
}

describeOnEach("what a caller entrusts", ({ name }) => {
  it("reaches its server, also after a kill, and lies nowhere in the clear", async () => {
    gate = Promise.withResolvers<void>()
    for (const one of [responses, messages]) one.asked.length = 0
    videosAsked.length = 0
    const folder = configured()
    const secret = "master-planted-secret-0123456789-abcdef"
    const env = {
      GATEWAY_ADMIN_KEY: adminKey,
      GATEWAY_LOG: "debug",
      GATEWAY_SECRET: secret,
      ...(await gatewayEnv("entrusted"))
    }
    const first = await startGateway({ folder, env })
    const printed: Array<string> = []
    const answers: Array<string> = []
    let gateway = first
    // Also where something fails: its database is used again.
    onTestFinished(() => gateway.dispose())
    const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
      const answer = await request(gateway, path, { body, headers })
      const text = await answer.text()
      answers.push(text)
      return { status: answer.status, text }
    }
    const response = (input: string, more: object = {}) => ({ model: "responses", input, tools, ...more })
    const message = (content: string, more: object = {}) => ({
      model: "messages",
      max_tokens: 9,
      messages: [{ role: "user", content }],
      mcp_servers: mcpServers,
      ...more
    })
    const beta = { "anthropic-beta": "mcp-client-2025-11-20" }

    // Answered at once: stored, streamed, kept for a key, refused.
    const stored = await post("/v1/responses", response("at once"), { "idempotency-key": "stored" })
    expect(stored.status, stored.text).toBe(200)
    expect(JSON.parse(stored.text).tools).toMatchObject([
      { type: "mcp", server_url: "https://crm.example.com/[redacted]", authorization: "[redacted]" },
      { type: "shell" }
    ])
    expect((await post("/v1/responses", response("at once", { stream: true }))).status).toBe(200)
    expect((await post("/v1/responses", response("refused"))).status).toBe(400)
    expect((await post("/v1/messages", message("at once"), beta)).status).toBe(200)
    // A thread keeps its tools without their secrets: they come with the tools again.
    const threaded = { "anthropic-beta": "mcp-client-2025-11-20,message-threads-2026-08-12" }
    const toolset = [{ type: "mcp_toolset", mcp_server_name: "crm", access_token: planted.toolset }]
    const asked = () => messages.asked.at(-1)?.body.tools
    const begun = await post(
      "/v1/messages",
      message("at once", { thread: { type: "create" }, tools: toolset }),
      threaded
    )
    expect(begun.status, begun.text).toBe(200)
    const goesOn = (more: object) => {
      const thread = { type: "continue", previous_message_id: String(JSON.parse(begun.text).id) }
      return post("/v1/messages", message("and on", { thread, ...more }), threaded)
    }
    const other = await goesOn({ tools: [{ ...toolset[0], mcp_server_name: "other" }] })
    expect(other.status).toBe(400)
    expect((await goesOn({ tools: toolset })).status).toBe(200)
    expect(asked()).toEqual(toolset)
    expect((await post("/v1/messages", message("refused"), beta)).status).toBe(400)

    // Fetched later: whole, streamed, and a video.
    const keyed = { "idempotency-key": "background" }
    const background = await post("/v1/responses", response("slowly", { background: true }), keyed)
    const streamed = await request(gateway, "/v1/responses", {
      body: response("slowly too", { background: true, stream: true })
    })
    const asynchronous = await post("/v1/messages", message("slowly", { async: true }), { ...beta, ...keyed })
    const video = await post("/api/v3/contents/generations/tasks", {
      model: "video",
      content: [
        { type: "text", text: "slowly" },
        { type: "image_url", image_url: { url: `https://files.example.com/a.png?sig=${planted.signature}` } }
      ]
    })
    expect([background.status, streamed.status, asynchronous.status, video.status]).toEqual([200, 200, 200, 200])
    await streamed.body?.cancel()
    const slow = () =>
      [responses, messages].map(({ asked }) => asked.filter(({ text }) => text.includes("slowly")).length)
    await expect.poll(slow).toEqual([2, 1])
    await expect.poll(() => videosAsked.length).toBe(1)
    await expectNowhere(planted, { folder, engine: name, env }, [...answers, first.output()])

    // It dies in the middle of all of them.
    first.signal("SIGKILL")
    await first.exited
    printed.push(first.output())
    await expectNowhere(planted, { folder, engine: name, env }, printed)
    gateway = await startGateway({ folder, env })
    await expect.poll(slow).toEqual([4, 2])
    gate.resolve()
    const ids = [background, asynchronous].map(({ text }) => String(JSON.parse(text).id))
    const statusOf = async (path: string) => (await (await request(gateway, path)).json()).status
    await expect.poll(() => statusOf(`/v1/responses/${ids[0]}`), { timeout: 20_000 }).toBe("completed")
    await expect.poll(() => statusOf(`/v1/tasks/${ids[1]}`), { timeout: 20_000 }).toBe("success")
    answers.push(await (await request(gateway, `/v1/responses/${ids[0]}`)).text())

    // Each server got all of its own, before and after the kill.
    for (const { text } of responses.asked) for (const one of ofResponses) expect(text).toContain(planted[one])
    for (const { text } of messages.asked) for (const one of ofMessages) expect(text).toContain(planted[one])
    expect(videosAsked[0]).toContain(planted.signature)

    // Recorded bodies, rows and pages.
    await expect
      .poll(async () => {
        const { data } = await (await request(gateway, "/admin/v1/requests?limit=100", { key: adminKey })).json()
        const all = data.map(({ request_id }: { request_id: string }) =>
          request(gateway, `/admin/v1/requests/${request_id}`, { key: adminKey }).then((one) => one.text())
        )
        return (await Promise.all(all)).join("\n")
      })
      .toContain("[redacted]")
    await expectNowhere(planted, { folder, engine: name, env }, [...printed, ...answers, gateway.output()])
    const left = await tasksWithRequests({ folder, engine: name, env })
    expect(left).toEqual([])
  })
})
