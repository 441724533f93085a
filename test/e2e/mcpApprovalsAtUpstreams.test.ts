import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import OpenAI from "openai"
import { ResponsesWebSocketAccumulator } from "openai/lib/responses/responses-websocket-accumulator"
import type { ResponseInputItem } from "openai/resources/responses/responses"
import type { GatewayHere } from "../gatewayHere.ts"
import { startGateway } from "../gatewayHere.ts"
import { connect } from "../responses/socket/connect.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import type { FakeName } from "../upstreams/fakes/fakeUpstream.ts"
import { models, usualYaml } from "./upstreams/world.ts"

/** A server whose one tool answers with what makes the fake upstreams go on in words. */
const weather = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (asked) => {
    const { id, method, params } = await asked.json()
    if (method === "tools/call") called.push(params.arguments)
    const tools = [{ name: "look", description: "Looks", inputSchema: { type: "object", properties: {} } }]
    const content = [{ type: "text", text: "Sunny. play:text" }]
    const result = method === "tools/list" ? { tools } : { content }
    return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } })
  }
})
const called: Array<unknown> = []

/** A fake upstream whose model calls that tool in place of the function that it was recorded with. */
const startCaller = (name: FakeName, strict = true) => {
  const fake = fakeUpstream(name, { strict })
  const renamed = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (asked) => {
      const { pathname, search } = new URL(asked.url)
      const { method } = asked
      const body = await asked.text()
      const answer = await fetch(`${fake.url}${pathname}${search}`, { method, body, headers: asked.headers })
      const text = (await answer.text()).replaceAll('"get_weather"', '"weather__look"')
      const type = answer.headers.get("content-type") ?? ""
      return new Response(text, { status: answer.status, headers: { "content-type": type } })
    }
  })
  const url = `http://127.0.0.1:${renamed.port}`
  return { url, asked: fake.asked, stop: () => Promise.all([renamed.stop(true), fake.stop()]) }
}

const upstreams = {
  "anthropic-messages": startCaller("anthropic-messages"),
  "openai-chat": startCaller("openai-chat"),
  gemini: startCaller("gemini"),
  "openai-responses": startCaller("openai-responses", false)
}

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-approvals-"))
  const urlOf = (name: FakeName) => upstreams[name].url
  const urls = {
    "anthropic-messages": urlOf("anthropic-messages"),
    "openai-chat": urlOf("openai-chat"),
    gemini: urlOf("gemini"),
    "openai-responses": urlOf("openai-responses")
  }
  const yaml = usualYaml(urls).replace('"protocol":"openai-responses"', '$&,"provider":"openai"')
  writeFileSync(join(folder, "gateway.yaml"), yaml)
  gateway = await startGateway({ folder, env: { UPSTREAM_KEY: "sk-up", GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8" } })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([weather.stop(true), ...Object.values(upstreams).map((one) => one.stop())])
})

const tools = [{ type: "mcp" as const, server_label: "weather", server_url: `http://127.0.0.1:${weather.port}/mcp` }]
const prompt = "play:tools"
const answer = (id: string | undefined, approve: boolean): ResponseInputItem => ({
  type: "mcp_approval_response",
  approval_request_id: id ?? "",
  approve,
  ...(!approve && { reason: "play:text" })
})

describe.each(["anthropic-messages", "openai-chat", "gemini"] as const)("approvals on %s", (name) => {
  const asked = () => JSON.stringify(upstreams[name].asked.at(-1)?.body)

  it.each([
    [true, false],
    [true, true],
    [false, false],
    [false, true]
  ])("are given or not (%s, stream: %s)", async (approve, stream) => {
    const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
    const create = (body: { input: string | Array<ResponseInputItem>; previous_response_id?: string }) => {
      const whole = { model: models[name], tools, ...body }
      return stream ? openai.responses.stream(whole).finalResponse() : openai.responses.create(whole)
    }
    called.length = 0
    const first = await create({ input: prompt })
    const requests = first.output.filter(({ type }) => type === "mcp_approval_request")
    expect(first.output.at(-1)).toBe(requests.at(-1))
    expect(requests[0]).toMatchObject({ server_label: "weather", name: "look" })
    expect(called).toEqual([])
    const input = requests.map(({ id }) => answer(id, approve))
    const next = await create({ previous_response_id: first.id, input })
    const calls = next.output.filter(({ type }) => type === "mcp_call")
    expect(next.output.map(({ type }) => type)).toEqual([...calls.map(() => "mcp_call"), "message"])
    expect(calls.map((item) => "approval_request_id" in item && item.approval_request_id)).toEqual(
      approve ? requests.map(({ id }) => id) : []
    )
    expect(called).toHaveLength(calls.length)
    expect(asked()).toContain(approve ? "Sunny" : "The call was not approved: play:text")
    const last = await create({ previous_response_id: next.id, input: [{ role: "user", content: "play:text" }] })
    expect(last.output.map(({ type }) => type)).toEqual(["message"])
    expect(asked()).toContain(approve ? "Sunny" : "The call was not approved: play:text")
  })
})

it("are the upstream's own where it speaks the dialect", async () => {
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
  const asked = {
    type: "mcp_approval_request" as const,
    id: "mcpr_up",
    server_label: "weather",
    name: "a",
    arguments: "{}"
  }
  const input = [{ role: "user" as const, content: "play:text" }, asked, answer("mcpr_up", true)]
  called.length = 0
  await openai.responses.create({ model: models["openai-responses"], store: false, tools, input })
  expect(upstreams["openai-responses"].asked.at(-1)?.body).toMatchObject({ input, tools })
  expect(called).toEqual([])
})

it("go on over a socket, also without anything stored, and its accumulator has every item", async () => {
  const { answer: read, send, ws } = await connect(gateway.url, gateway.key)
  const ask = async (body: object) => {
    send(body)
    const events = await read()
    const accumulator = new ResponsesWebSocketAccumulator()
    for (const event of events.slice(0, -1)) {
      accumulator.add(event)
      expect(accumulator.current?.phase).toBe("provisional")
    }
    const { response } = events.at(-1)
    const { current } = accumulator
    expect(current?.phase === "provisional" && current.snapshot.output).toEqual(response.output)
    return response
  }
  for (const store of [true, false]) {
    called.length = 0
    const body = { model: models["openai-chat"], tools, store }
    const first = await ask({ ...body, input: prompt })
    const requests = first.output.filter(({ type }: { type: string }) => type === "mcp_approval_request")
    expect(requests.length).toBeGreaterThan(0)
    const input = requests.map(({ id }: { id: string }) => answer(id, true))
    const next = await ask({ ...body, previous_response_id: first.id, input })
    expect(next.output.map(({ type }: { type: string }) => type)).toEqual([
      ...requests.map(() => "mcp_call"),
      "message"
    ])
    expect(called).toHaveLength(requests.length)
  }
  ws.close()
})
