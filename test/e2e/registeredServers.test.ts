import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@effect/vitest"
import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { adminKey, send } from "./adminClient.ts"
import { startCallingModel, startDice } from "./callingModel.ts"

const dice = startDice()
const chat = startCallingModel()
const { seen } = dice

const rollingKey = "sk-rolling-0123456789abcdef"
const otherKey = "sk-other-0123456789abcdef01"
const confinedKey = "sk-confined-0123456789abcd"

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await chat.gateway(
    { GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8", GATEWAY_ADMIN_KEY: adminKey },
    {
      mcp: {
        servers: {
          dice: { url: dice.url, api_key: "operators-secret", list_seconds: 0 },
          personal: { url: dice.url, auth: "caller", headers: { "X-Team": "gateway" } }
        }
      },
      keys: [
        { name: "rolling", secret: rollingKey, tools: ["dice/roll"] },
        { name: "other", secret: otherKey, tools: ["personal/*"] },
        { name: "confined", secret: confinedKey, account: "confined" }
      ]
    }
  )
  const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/json" }
  const body = JSON.stringify({ search_allowed: ["example.com"] })
  const confined = await send(gateway.url, "PATCH", "/admin/v1/accounts/confined", headers, body)
  expect(confined.status).toBe(200)
})
beforeEach(() => {
  chat.want("dice__roll")
  seen.length = 0
})
afterAll(async () => {
  await Promise.all([gateway.dispose(), chat.stop(), dice.stop()])
})

const beta = "mcp-client-2025-11-20"
const tokens = () => seen.map(({ headers }) => headers.get("authorization"))
const openai = (apiKey = gateway.key) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 })
const anthropic = (apiKey = gateway.key) => new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 })
const server = (over: object = {}) => ({
  type: "mcp" as const,
  server_label: "dice",
  require_approval: "never" as const,
  ...over
})
const asking = (over: object = {}, more: object = {}) => ({
  model: "house",
  input: "Roll a die",
  tools: [server(over)],
  ...more
})
const inMessage = (over: object = {}) => ({
  model: "house",
  max_tokens: 100,
  messages: [{ role: "user" as const, content: "Roll a die" }],
  mcp_servers: [{ type: "url" as const, name: "dice", url: `${gateway.url}/mcp/dice`, ...over }],
  tools: [{ type: "mcp_toolset" as const, mcp_server_name: "dice" }]
})
const post = async (body: object, key = gateway.key) => {
  const answer = await request(gateway, "/v1/responses", { body: JSON.stringify(body), key })
  return { status: answer.status, ...(await answer.json()).error }
}
const postMessage = async (over: object, key = gateway.key) => {
  const headers = { "anthropic-beta": beta }
  const answer = await request(gateway, "/v1/messages", { body: JSON.stringify(inMessage(over)), key, headers })
  return { status: answer.status, ...(await answer.json()).error }
}

describe("a server of the configuration, in requests", () => {
  it.each([true, false])(
    "is named by its label in responses, by the operator's account (stream: %s)",
    async (stream) => {
      const answer = stream
        ? await openai().responses.stream(asking()).finalResponse()
        : await openai().responses.create(asking())
      expect(answer.output).toMatchObject([
        { type: "mcp_list_tools", server_label: "dice", tools: [{ name: "roll" }, { name: "cheat.now" }] },
        { type: "mcp_call", server_label: "dice", name: "roll", output: "A 6", error: null },
        { type: "message", content: [{ text: "It said: A 6" }] }
      ])
      expect(answer.tools).toEqual([{ ...server(), headers: null }])
      expect(tokens()).toEqual(["Bearer operators-secret", "Bearer operators-secret"])
      expect(JSON.stringify(answer)).not.toContain("operators-secret")
    }
  )

  it("is named by the gateway's address of it, under any label", async () => {
    chat.want("cubes__roll")
    const url = `${gateway.url}/mcp/dice`
    const { output } = await openai().responses.create(asking({ server_label: "cubes", server_url: url }))
    expect(output[1]).toMatchObject({ type: "mcp_call", server_label: "cubes", output: "A 6" })
    // By another name of the same machine.
    const byName = url.replace("127.0.0.1", "localhost")
    const headers = { host: new URL(byName).host }
    const body = JSON.stringify(asking({ server_label: "cubes", server_url: byName }))
    const again = await request(gateway, "/v1/responses", { body, headers })
    expect(again.status).toBe(200)
    expect(tokens()).toEqual(Array.from({ length: 4 }, () => "Bearer operators-secret"))
  })

  it.each([true, false])("is named by that address in messages (stream: %s)", async (stream) => {
    const { messages } = anthropic().beta
    const asked = { ...inMessage(), betas: [beta] }
    const answer = stream ? await messages.stream(asked).finalMessage() : await messages.create(asked)
    expect(answer.content).toMatchObject([
      { type: "mcp_tool_use", server_name: "dice", name: "roll" },
      { type: "mcp_tool_result", content: [{ text: "A 6" }] },
      { type: "text", text: "It said: A 6" }
    ])
    expect(tokens()).toEqual(["Bearer operators-secret", "Bearer operators-secret"])
  })

  it("takes no words from another one of its label", async () => {
    await openai().responses.create(asking({ server_url: dice.url, authorization: "mine" }))
    expect(tokens()).toEqual(["Bearer mine", "Bearer mine"])
  })

  it("has the tools that the key may use", async () => {
    await openai(rollingKey).responses.create(asking())
    expect(chat.offered()).toEqual(["dice__roll"])
    chat.want("dice__roll")
    await anthropic(rollingKey).beta.messages.create({ ...inMessage(), betas: [beta] })
    expect(chat.offered()).toEqual(["dice__roll"])
  })

  it("does not exist for a key that may use none of its tools, like one that is not there", async () => {
    const unknown = await post(asking({ server_label: "nothing" }))
    const closed = await post(asking(), otherKey)
    expect(unknown).toMatchObject({ status: 400, param: "tools[0].server_label" })
    expect(unknown.message).toContain('there is no server "nothing" that this key may use')
    expect(closed.message).toBe(unknown.message.replace("nothing", "dice"))
    const here = await postMessage({}, otherKey)
    expect(here).toMatchObject({ status: 400, message: expect.stringMatching(/^mcp_servers\[0\]\.url: there is no/) })
    expect(seen).toEqual([])
  })

  it("is not asked where another server of the request is refused", async () => {
    const tools = [server(), server({ server_label: "nothing" })]
    expect(await post(asking({}, { tools }))).toMatchObject({ status: 400, param: "tools[1].server_label" })
    expect(seen).toEqual([])
  })

  it("is all that an account may use which is confined to domains", async () => {
    const { output } = await openai(confinedKey).responses.create(asking())
    expect(output[1]).toMatchObject({ type: "mcp_call", output: "A 6" })
    seen.length = 0
    expect(await post(asking({ server_url: dice.url }), confinedKey)).toMatchObject({ status: 400, param: "tools[0]" })
    expect(seen).toEqual([])
  })

  it.each<[object, string]>([
    [{ authorization: "mine" }, "tools[0].authorization"],
    [{ headers: { "X-Team": "a" } }, "tools[0].headers"],
    [{ server_url: "GATEWAY/v1/responses" }, "tools[0].server_url"],
    [{ connector_id: "connector_gmail" }, "tools[0].connector_id"]
  ])("is refused with %j", async (over, param) => {
    const sent = JSON.parse(JSON.stringify(over).replace("GATEWAY", gateway.url))
    expect(await post(asking(sent))).toMatchObject({ status: 400, param })
    expect(seen).toEqual([])
  })

  it("counts with its tools, which are not called", async () => {
    const { responses } = openai()
    const count = async (tools: Array<OpenAI.Responses.Tool>) =>
      (await responses.inputTokens.count({ model: "house", input: "Roll a die", tools })).input_tokens
    expect(await count([server()])).toBeGreaterThan((await count([])) + 20)
    const { messages } = anthropic().beta
    const { max_tokens: _, mcp_servers, tools, ...plain } = inMessage()
    const listed = await messages.countTokens({ ...plain, mcp_servers, tools, betas: [beta] })
    expect(listed.input_tokens).toBeGreaterThan((await messages.countTokens(plain)).input_tokens + 20)
    expect(seen.map(({ method }) => method)).toEqual(["tools/list", "tools/list"])
  })

  it("takes the key of the gateway for no token of its own", async () => {
    const { status } = await openai().responses.create(asking({ authorization: gateway.key }))
    expect(status).toBe("completed")
    expect(tokens()).toEqual(["Bearer operators-secret", "Bearer operators-secret"])
  })

  it("is a 424 or a 400 where it does not list its tools", async () => {
    dice.breakBy(new Response("", { status: 401 }))
    expect(await post(asking())).toMatchObject({ status: 424, type: "external_connector_error" })
    expect(await postMessage({})).toMatchObject({ status: 400, type: "invalid_request_error" })
    dice.breakBy(undefined)
  })
})

describe("a server with callers' accounts", () => {
  const personal = { server_label: "personal" }
  const url = () => `${gateway.url}/mcp/personal`

  it("gets the caller's token and headers, and the gateway's own headers", async () => {
    chat.want("personal__roll")
    await openai().responses.create(
      asking({ ...personal, authorization: "mine", headers: { "X-Team": "a", "X-B": "b" } })
    )
    expect(tokens()).toEqual(["Bearer mine", "Bearer mine"])
    expect(seen[0]?.headers.get("x-team")).toBe("gateway")
    expect(seen[0]?.headers.get("x-b")).toBe("b")
    seen.length = 0
    await anthropic().beta.messages.create({ ...inMessage({ url: url(), authorization_token: "hers" }), betas: [beta] })
    expect(new Set(tokens())).toEqual(new Set(["Bearer hers"]))
  })

  it("wants one, which the key of the gateway is not", async () => {
    for (const over of [personal, { ...personal, authorization: gateway.key }]) {
      const refused = await post(asking(over))
      expect(refused).toMatchObject({
        status: 424,
        message: expect.stringContaining("a token of your own in authorization")
      })
    }
    expect(await postMessage({ url: url() })).toMatchObject({
      status: 400,
      message: expect.stringContaining("a token of your own in authorization_token")
    })
    expect(seen).toEqual([])
  })
})
