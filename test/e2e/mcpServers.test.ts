import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import type { Asked } from "../upstreams/fakes/fakeUpstream.ts"

interface Seen {
  readonly method: string
  readonly headers: Headers
}

/** A server of the newest revision with two tools. `broken` makes it fail. */
const seen: Array<Seen> = []
let broken: Response | undefined
const dice = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (asked) => {
    const { id, method, params } = await asked.json()
    seen.push({ method, headers: asked.headers })
    if (broken !== undefined) return broken.clone()
    const result = (value: object) =>
      Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...value } })
    if (method === "tools/list") {
      const schema = { type: "object", properties: { sides: { type: "integer" } } }
      return result({
        tools: [
          { name: "roll", description: "Rolls a die", inputSchema: schema, annotations: { readOnlyHint: true } },
          { name: "cheat.now", inputSchema: schema }
        ]
      })
    }
    if (params.name === "cheat.now") return result({ content: [{ type: "text", text: "You may not" }], isError: true })
    return result({ content: [{ type: "text", text: `A ${params.arguments.sides}` }] })
  }
})

/** The names that the model calls in its first round. */
let wanted: ReadonlyArray<string> = ["dice__roll"]
const answer = ({ body }: Asked): Response => {
  const results = body.messages.filter(({ role }: { role: string }) => role === "tool")
  const isFirst = results.length === 0
  const calls = wanted.map((name, index) => ({
    index,
    id: `call_${index}`,
    type: "function",
    function: { name, arguments: `{"sides":${index + 6}}` }
  }))
  const last = results.at(-1)?.content
  const usage = { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 }
  const finish_reason = isFirst ? "tool_calls" : "stop"
  if (body.stream !== true) {
    const message = {
      role: "assistant",
      content: isFirst ? null : `It said: ${last}`,
      ...(isFirst && { tool_calls: calls })
    }
    return Response.json({ id: "c", object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage })
  }
  const deltas = isFirst ? [{ tool_calls: calls }] : [{ content: "It said: " }, { content: String(last) }]
  const chunks = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason }] },
    { choices: [], usage }
  ]
  const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")
  return new Response(`${text}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } })
}
const chat = fakeUpstream("openai-chat", { answer })

let gateway: GatewayHere
let guarded: GatewayHere
beforeAll(async () => {
  const start = (env: Record<string, string>) => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-mcp-"))
    const upstream = `upstreams: { chat: { protocol: openai-chat, base_url: "${chat.url}/v1" } }`
    writeFileSync(join(folder, "gateway.yaml"), `${upstream}\nmodels: { house: chat }\n`)
    return startGateway({ folder, env })
  }
  ;[gateway, guarded] = await Promise.all([start({ GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8" }), start({})])
})
beforeEach(() => {
  wanted = ["dice__roll"]
})
afterAll(async () => {
  await Promise.all([gateway.dispose(), guarded.dispose(), chat.stop(), dice.stop(true)])
})

const server = (over: object = {}) => ({
  type: "mcp" as const,
  server_label: "dice",
  server_url: `http://127.0.0.1:${dice.port}/mcp`,
  require_approval: "never" as const,
  ...over
})
/** The names of the tools that the model was offered in its first round. */
const offered = (): ReadonlyArray<string> =>
  chat.asked.at(-2)?.body.tools.map((tool: { function: { name: string } }) => tool.function.name)

const asking = (over: object = {}, more: object = {}) => ({
  model: "house",
  input: "Roll a die",
  tools: [server(over)],
  ...more
})
const openai = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
const post = (
  body: object,
  { at = gateway, headers = {} }: { at?: GatewayHere; headers?: Record<string, string> } = {}
) => request(at, "/v1/responses", { body, headers })
const refusal = async (body: object, more: Parameters<typeof post>[1] = {}) => {
  const answer = await post(body, more)
  return { status: answer.status, ...(await answer.json()).error }
}

describe("tools of a caller's MCP server, on an upstream that runs none", () => {
  it.each([true, false])("are listed, called and answered from (stream: %s)", async (stream) => {
    seen.length = 0
    const asked = asking({ authorization: "own-secret", headers: { "X-Team": "a" } })
    const answer = stream
      ? await openai().responses.stream(asked).finalResponse()
      : await openai().responses.create(asked)
    expect(answer.output).toMatchObject([
      {
        type: "mcp_list_tools",
        server_label: "dice",
        tools: [
          { name: "roll", description: "Rolls a die", annotations: { read_only: true } },
          { name: "cheat.now", annotations: { read_only: false } }
        ]
      },
      {
        type: "mcp_call",
        server_label: "dice",
        name: "roll",
        arguments: '{"sides":6}',
        output: "A 6",
        error: null,
        status: "completed"
      },
      { type: "message", content: [{ text: "It said: A 6" }] }
    ])
    const { origin } = new URL(server().server_url)
    expect(answer.tools).toEqual([{ ...server(), server_url: `${origin}/[redacted]`, headers: null }])
    expect(answer.usage).toMatchObject({ input_tokens: 40, output_tokens: 16 })
    expect(seen.map(({ method }) => method)).toEqual(["tools/list", "tools/call"])
    for (const { headers } of seen) {
      expect(headers.get("authorization")).toBe("Bearer own-secret")
      expect(headers.get("x-team")).toBe("a")
      expect([...headers.values()].join(" ")).not.toContain(gateway.key)
    }
    expect(JSON.stringify(answer)).not.toContain("own-secret")
    expect(JSON.stringify(chat.asked.at(-1)?.body)).not.toContain("own-secret")
    expect(gateway.output()).not.toContain("own-secret")
    expect(offered()).toEqual(["dice__roll", "dice__cheat_now"])
  })

  it("run in parallel, and a failed one fails no response", async () => {
    wanted = ["dice__roll", "dice__cheat_now"]
    const { output, status } = await openai().responses.create(asking())
    expect(status).toBe("completed")
    expect(output).toMatchObject([
      { type: "mcp_list_tools" },
      { type: "mcp_call", name: "roll", status: "completed" },
      {
        type: "mcp_call",
        name: "cheat.now",
        status: "failed",
        output: null,
        error: { type: "mcp_tool_execution_error", content: [{ text: "You may not" }] }
      },
      { type: "message", content: [{ text: "It said: Error: You may not" }] }
    ])
  })

  it("are those that the request allows, and no more calls than it allows", async () => {
    await openai().responses.create(asking({ allowed_tools: { read_only: true } }))
    expect(offered()).toEqual(["dice__roll"])
    seen.length = 0
    wanted = ["dice__roll", "dice__cheat_now"]
    const { output } = await openai().responses.create(asking({}, { max_tool_calls: 1 }))
    expect(seen.map(({ method }) => method)).toEqual(["tools/list", "tools/call"])
    expect(output[2]).toMatchObject({ type: "mcp_call", status: "failed" })
  })

  it("go on in the next turn, by id and by items", async () => {
    const first = await openai().responses.create(asking())
    const next = await openai().responses.create({
      model: "house",
      input: "And now?",
      previous_response_id: first.id
    })
    expect(next.output_text).toBe("It said: A 6")
    const shown = chat.asked.at(-1)?.body.messages
    expect(shown.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"])
    expect(shown[1].tool_calls[0].function.name).toBe("dice__roll")
    const again = await openai().responses.create({
      model: "house",
      store: false,
      input: [...(first.output as Array<OpenAI.Responses.ResponseInputItem>), { role: "user", content: "And now?" }]
    })
    expect(again.output_text).toBe("It said: A 6")
  })

  it("leave the caller's own calls to the caller, after those of the gateway", async () => {
    wanted = ["own", "dice__roll"]
    const own = { type: "function" as const, name: "own", parameters: { type: "object" }, strict: false }
    const { output } = await openai().responses.create({ ...asking(), tools: [server(), own] })
    expect(output.map(({ type }) => type)).toEqual(["mcp_list_tools", "function_call", "mcp_call"])
  })
})

describe("a server that can't be used", () => {
  it.each([
    [new Response("<html>", { status: 200, headers: { "content-type": "text/html" } })],
    [new Response("", { status: 401 })],
    [new Response("", { status: 302, headers: { location: "http://169.254.169.254/" } })],
    [Response.json({ jsonrpc: "2.0", id: 9, result: {} })]
  ])("is a 424 before anything is answered", async (answer) => {
    broken = answer
    const asked = chat.asked.length
    for (const stream of [false, true]) {
      expect(await refusal(asking({}, { stream }))).toMatchObject({
        status: 424,
        type: "external_connector_error",
        code: "http_error",
        param: "tools",
        message: expect.stringContaining("Error retrieving tool list from MCP server: 'dice'. Http status code: 424")
      })
    }
    broken = undefined
    expect(chat.asked).toHaveLength(asked)
  })

  it("may not be at a private address", async () => {
    seen.length = 0
    expect(await refusal(asking(), { at: guarded })).toMatchObject({ status: 424 })
    expect(seen).toEqual([])
  })

  it.each([
    [asking({ require_approval: undefined }), "tools[0].require_approval"],
    [asking({ server_url: undefined }), "tools[0].server_url"],
    [asking({ server_url: "ftp://x" }), "tools[0].server_url"],
    [asking({}, { background: true }), "tools"],
    [asking({}, { tool_choice: { type: "mcp", server_label: "dice" } }), "tool_choice.type"],
    [asking({}, { tool_choice: { type: "allowed_tools", mode: "auto", tools: [] } }), "tool_choice"]
  ])("is refused with its field: %j", async (body, param) => {
    expect(await refusal(body)).toMatchObject({ status: 400, param })
  })

  it("can't be named where a request may run twice", async () => {
    const refused = await refusal(asking(), { headers: { "idempotency-key": "k1" } })
    expect(refused).toMatchObject({ status: 400, param: "tools[0]" })
  })
})

describe("a client that leaves", () => {
  it.each([false, true])("ends the call of the tool (stream: %s)", async (stream) => {
    let ended: () => void = () => {}
    const isEnded = new Promise<void>((resolve) => (ended = resolve))
    const slow = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (asked) => {
        const { id, method } = await asked.json()
        const tools = [{ name: "roll", inputSchema: { type: "object" } }]
        const list = { jsonrpc: "2.0", id, result: { resultType: "complete", tools } }
        if (method === "tools/list") return Response.json(list)
        asked.signal.addEventListener("abort", () => ended())
        leave.abort()
        await Bun.sleep(20_000)
        return Response.json({})
      }
    })
    const leave = new AbortController()
    const body = asking({ server_url: `http://127.0.0.1:${slow.port}/mcp` }, { stream })
    const answer = fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: leave.signal
    }).then((response) => response.text())
    await expect(answer).rejects.toThrow()
    await isEnded
    await slow.stop(true)
  })
})
