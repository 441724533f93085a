import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { startCallingModel, startDice } from "./callingModel.ts"

const dice = startDice()
const chat = startCallingModel()
const { offered } = chat
const { seen } = dice

const registeredKey = "sk-registered-0123456789abcdef"
const rollingKey = "sk-rolling-0123456789abcdef"
const more = {
  mcp: { servers: { dice: { url: dice.url } } },
  keys: [
    { name: "registered", secret: registeredKey, tools: ["dice/*"] },
    { name: "rolling", secret: rollingKey, tools: ["own/roll"] }
  ]
}

let gateway: GatewayHere
let guarded: GatewayHere
beforeAll(async () => {
  const allowed = { GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8" }
  ;[gateway, guarded] = await Promise.all([chat.gateway(allowed, more), chat.gateway({}, more)])
})
beforeEach(() => {
  chat.want("dice__roll")
})
afterAll(async () => {
  await Promise.all([gateway.dispose(), guarded.dispose(), chat.stop(), dice.stop()])
})

const server = (over: object = {}) => ({
  type: "mcp" as const,
  server_label: "dice",
  server_url: dice.url,
  require_approval: "never" as const,
  ...over
})
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
    chat.want("dice__roll", "dice__cheat_now")
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
    chat.want("dice__roll", "dice__cheat_now")
    const { output } = await openai().responses.create(asking({}, { max_tool_calls: 1 }))
    expect(seen.map(({ method }) => method)).toEqual(["tools/list", "tools/call"])
    expect(output[2]).toMatchObject({ type: "mcp_call", status: "failed" })
  })

  it("are chosen by the server, one of them or all, for the first call", async () => {
    const own = { type: "function" as const, name: "own", parameters: { type: "object" }, strict: false }
    const choices = async (choice: object) => {
      await openai().responses.create({ ...asking(), tools: [server(), own], tool_choice: choice as never })
      return [chat.asked.at(-2)?.body.tool_choice, chat.asked.at(-1)?.body.tool_choice ?? "auto", offered()]
    }
    const all = ["own", "dice__roll", "dice__cheat_now"]
    const called = { type: "function", function: { name: "dice__roll" } }
    expect(await choices({ type: "mcp", server_label: "dice", name: "roll" })).toEqual([called, "auto", all])
    expect(await choices({ type: "mcp", server_label: "dice" })).toEqual(["required", "auto", all.slice(1)])
    const tools = [{ type: "mcp", server_label: "dice", name: "roll" }]
    expect(await choices({ type: "allowed_tools", mode: "auto", tools })).toEqual([undefined, "auto", ["dice__roll"]])
    const both = [...tools, { type: "function", name: "own" }]
    expect(await choices({ type: "allowed_tools", mode: "required", tools: both })).toEqual([
      "required",
      "auto",
      ["own", "dice__roll"]
    ])
  })

  it("are taken away once the request's calls are used up", async () => {
    await openai().responses.create(asking({}, { max_tool_calls: 1 }))
    expect(chat.asked.at(-1)?.body.tools).toBeUndefined()
    await openai().responses.create(asking({}, { max_tool_calls: 2 }))
    expect(chat.asked.at(-1)?.body.tools).toHaveLength(2)
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
    chat.want("own", "dice__roll")
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
    dice.breakBy(answer)
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
    dice.breakBy(undefined)
    expect(chat.asked).toHaveLength(asked)
  })

  it("may not be at a private address", async () => {
    seen.length = 0
    expect(await refusal(asking(), { at: guarded })).toMatchObject({ status: 424 })
    expect(seen).toEqual([])
    // Nor is the list told that is kept of a registered server there.
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" }
    expect((await (await request(guarded, "/mcp/dice", { body: list })).json()).result.tools).toHaveLength(2)
    expect(await refusal(asking(), { at: guarded })).toMatchObject({ status: 424 })
    expect(seen.map(({ method }) => method)).toEqual(["tools/list"])
  })

  it.each([
    [asking({ server_url: "ftp://x" }), "tools[0].server_url"],
    [asking({ server_url: "ftp://x" }, { background: true }), "tools[0].server_url"],
    [asking({}, { tool_choice: { type: "mcp", server_label: "dices" } }), "tool_choice"],
    [asking({}, { tool_choice: { type: "mcp", server_label: "dice", name: "nothing" } }), "tool_choice"],
    [
      asking(
        {},
        { tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "mcp", server_label: "a" }] } }
      ),
      "tool_choice.tools"
    ]
  ])("is refused with its field: %j", async (body, param) => {
    expect(await refusal(body)).toMatchObject({ status: 400, param })
  })

  it("is not asked for a request that is refused", async () => {
    seen.length = 0
    expect((await post(asking({}, { model: "nothing" }))).status).toBe(400)
    expect((await post(asking({}, { reasoning: { effort: "silly" } }))).status).toBe(400)
    expect(seen).toEqual([])
  })

  it("is open to keys whose tools allow it, with those that they allow", async () => {
    seen.length = 0
    const body = JSON.stringify(asking())
    const refused = await request(gateway, "/v1/responses", { body, key: registeredKey })
    expect([refused.status, (await refused.json()).error.param]).toEqual([400, "tools[0]"])
    expect(seen).toEqual([])
    await (await request(gateway, "/v1/responses", { body, key: rollingKey })).json()
    expect(offered()).toEqual(["dice__roll"])
  })

  it("can't be named in a line of a batch", async () => {
    seen.length = 0
    const line = { custom_id: "a", method: "POST", url: "/v1/responses", body: asking() }
    const { batches, files } = openai()
    const { id } = await files.create({ file: new File([JSON.stringify(line)], "in.jsonl"), purpose: "batch" })
    const batch = await batches.create({ input_file_id: id, endpoint: "/v1/responses", completion_window: "24h" })
    await expect.poll(async () => (await batches.retrieve(batch.id)).status, { timeout: 10_000 }).toBe("completed")
    const { error_file_id } = await batches.retrieve(batch.id)
    const errors = await (await files.content(error_file_id ?? "")).json()
    expect(errors.response).toMatchObject({ status_code: 400, body: { error: { param: "tools[0]" } } })
    expect(seen).toEqual([])
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
