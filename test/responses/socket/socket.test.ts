import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { ResponsesWS } from "openai/resources/responses/ws"
import { startGateway, testKey } from "../../e2e/process.ts"
import type { GatewayProcess } from "../../e2e/process.ts"
import { connect } from "./connect.ts"
import { request } from "../../request.ts"

const limited = "limited-secret-0123456789-0123456789"

let gateway: GatewayProcess
const start = () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-socket-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({ keys: [{ name: "limited", secret: limited, limits: { requests_per_minute: 1 } }] })
  )
  return startGateway({ folder })
}
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway.dispose())

describe("a WebSocket of /v1/responses", () => {
  it("streams one response after the other", async () => {
    const { answer, ask, send, ws } = await connect(gateway.url, testKey)
    send({ input: "Hello!" })
    const events = await answer()
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
    expect(events[0]).toMatchObject({ type: "response.created" })
    expect(events.at(-1)).toMatchObject({ type: "response.completed", response: { status: "completed" } })
    const second = await ask({ input: "And?", previous_response_id: events.at(-1).response.id })
    expect(second).toMatchObject({ type: "response.completed" })
    ws.close()
  })

  it("goes on from a response that is not stored while it is open, and forgets it where that failed", async () => {
    const one = await connect(gateway.url, testKey)
    const first = await one.ask({ input: "My word is cobalt.", store: false })
    const continued = { input: "And?", store: false, previous_response_id: first.response.id }
    const second = await one.ask(continued)
    expect(second.response.usage.input_tokens).toBeGreaterThan(first.response.usage.input_tokens)
    const notFound = {
      type: "error",
      status: 400,
      error: { code: "previous_response_not_found", param: "previous_response_id", type: "invalid_request_error" }
    }
    const two = await connect(gateway.url, testKey)
    expect(await two.ask({ ...continued, previous_response_id: second.response.id })).toMatchObject(notFound)
    const orphan = { type: "function_call_output", call_id: "call_x", output: "?" }
    const latest = { ...continued, previous_response_id: second.response.id }
    expect(await one.ask({ ...latest, input: [orphan] })).toMatchObject({ type: "error", status: 400 })
    expect(await one.ask(latest)).toMatchObject(notFound)
    expect(await one.ask({ input: "Anew.", store: false })).toMatchObject({ type: "response.completed" })
    one.ws.close()
    two.ws.close()
  })

  it("answers one message at a time, each with the rules of a request", async () => {
    const { answer, ask, next, send, ws } = await connect(gateway.url, testKey)
    send({ input: "[[sandbox: pace=5ms tokens=40]]" })
    expect(await next()).toMatchObject({ type: "response.created" })
    send({ input: "Hello!" })
    const events = await answer()
    expect(events.at(-1)).toMatchObject({ type: "error", status: 409, error: { code: "conflict" } })
    expect((await answer()).at(-1)).toMatchObject({ type: "response.completed" })
    expect(await ask({ model: "nobody", input: "Hello!" })).toMatchObject({ status: 400, error: { param: "model" } })
    expect(await ask({ input: "Hello!", background: true })).toMatchObject({ error: { param: "background" } })
    expect(await ask({ type: "response.cancel" })).toMatchObject({ type: "error", error: { param: "type" } })
    ws.send("{")
    expect(await next()).toMatchObject({ type: "error", status: 400 })
    ws.send(new Uint8Array([1, 2]))
    expect(await next()).toMatchObject({ type: "error", status: 400 })
    send({ input: "Hello!", stream_id: "lane-1" })
    const lane = await answer()
    expect(lane.every((event) => event.stream_id === "lane-1")).toBe(true)
    ws.close()
  })

  it("is brought what a later response goes on from, which costs nothing", async () => {
    const { answer, ask, send, ws } = await connect(gateway.url, testKey)
    const said = { input: "My word is cobalt. ".repeat(20), instructions: "Be brief." }
    for (const store of [false, true]) {
      send({ ...said, store, generate: false })
      const events = await answer()
      expect(events.map(({ type }) => type)).toEqual(["response.created", "response.in_progress", "response.completed"])
      const { response } = events.at(-1)
      expect(response).toMatchObject({ status: "completed", output: [], usage: { input_tokens: 0, output_tokens: 0 } })
      const next = await ask({ input: "And?", store, previous_response_id: response.id, generate: true })
      expect(next.response).toMatchObject({ status: "completed", previous_response_id: response.id })
      expect(next.response.usage.input_tokens).toBeGreaterThan(80)
    }
    expect(await ask({ ...said, generate: "no" })).toMatchObject({ status: 400, error: { param: "generate" } })
    expect(await ask({ ...said, generate: false, model: "nobody" })).toMatchObject({ error: { param: "model" } })
    expect(await ask({ ...said, generate: false, previous_response_id: "resp_x" })).toMatchObject({
      error: { code: "previous_response_not_found" }
    })
    ws.close()
  })

  it.each([{ input: [] }, {}, { input: null }])("warms up without an input: %j", async (nothing) => {
    const { ask, ws } = await connect(gateway.url, testKey)
    for (const store of [false, true]) {
      const { response, type } = await ask({ ...nothing, instructions: "Be brief.", store, generate: false })
      expect([type, response.output]).toEqual(["response.completed", []])
      const next = await ask({ input: "Hello!", store, previous_response_id: response.id })
      expect(next).toMatchObject({ type: "response.completed", response: { previous_response_id: response.id } })
    }
    expect(await ask(nothing)).toMatchObject({ status: 400, error: { param: "input" } })
    ws.close()
  })

  it("opens for a key alone, and counts its messages as requests", async () => {
    await expect(connect(gateway.url, "wrong-key-0123456789abcdefghij")).rejects.toBeDefined()
    const refused = await fetch(`${gateway.url}/v1/responses`, { headers: { upgrade: "websocket" } })
    expect(refused.status).toBe(401)
    const plain = await request(gateway, "/v1/responses", { key: testKey })
    expect(plain.status).toBe(404)
    const { ask, ws } = await connect(gateway.url, limited)
    expect(await ask({ input: "Hello!" })).toMatchObject({ type: "response.completed" })
    expect(await ask({ input: "Hello!" })).toMatchObject({ type: "error", status: 429 })
    ws.close()
  })

  it("stops what is generated when it is closed", async () => {
    const { next, send, ws } = await connect(gateway.url, testKey)
    send({ input: "[[sandbox: pace=20ms tokens=5000]]", store: false })
    await next()
    ws.close()
    const { ask, ws: other } = await connect(gateway.url, testKey)
    expect(await ask({ input: "Hello!" })).toMatchObject({ type: "response.completed" })
    other.close()
  })

  it("is closed when the gateway stops, once its answer has ended", async () => {
    const stopping = await start()
    try {
      const idle = await connect(stopping.url, testKey)
      const busy = await connect(stopping.url, testKey)
      busy.send({ input: "[[sandbox: pace=10ms tokens=60]]" })
      await busy.next()
      stopping.signal("SIGTERM")
      expect((await idle.closed).code).toBe(1001)
      expect((await busy.answer()).at(-1)).toMatchObject({ type: "response.completed" })
      expect((await busy.closed).code).toBe(1001)
      expect(await stopping.exited).toBe(0)
    } finally {
      await stopping.dispose()
    }
  })

  it("is what the official client speaks", async () => {
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: testKey, maxRetries: 0 })
    const ws = new ResponsesWS(client)
    const done = new Promise<OpenAI.Responses.Response>((resolve, reject) => {
      ws.on("response.completed", (event) => resolve(event.response))
      ws.on("error", reject)
    })
    ws.send({ type: "response.create", model: "sandbox-text", input: "Hello!" })
    expect(await done).toMatchObject({ status: "completed" })
    ws.close()
  })
})
