import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

const says = (status: number, message: string) => () =>
  Response.json({ error: { message, type: "t" } }, { status, headers: { "x-request-id": `theirs-${status}` } })
const down = fakeUpstream("openai-chat", { answer: says(503, "no room") })
const closed = fakeUpstream("openai-chat", { answer: says(401, "Incorrect API key sk-planted") })
const strict = fakeUpstream("openai-chat", { answer: says(400, "temperature: too hot") })
const breaking = fakeUpstream("openai-chat", {
  answer: () => {
    // A stream that fails before its first event moves on to the next route; this one fails after it.
    const frames = [
      `data: {"choices":[{"index":0,"delta":{"content":"one"}}]}\n\n`,
      `data: {"error":{"message":"boom","type":"server_error"}}\n\n`
    ]
    const body = new ReadableStream<string>({
      pull: async (controller) => {
        const frame = frames.shift()
        if (frame === undefined) return controller.close()
        if (frames.length === 0) await Bun.sleep(200)
        controller.enqueue(frame)
      }
    })
    return new Response(body, { headers: { "content-type": "text/event-stream", "x-request-id": "theirs-200" } })
  }
})
const fakes = [down, closed, strict, breaking]

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-attempts-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams:
  nobody: { protocol: openai-chat, base_url: "http://127.0.0.1:9/v1" }
  down: { protocol: openai-chat, base_url: "${down.url}/v1" }
  closed: { protocol: openai-chat, base_url: "${closed.url}/v1", api_key: sk-planted }
  strict: { protocol: openai-chat, base_url: "${strict.url}/v1" }
  breaking: { protocol: openai-chat, base_url: "${breaking.url}/v1" }
models:
  house: { routes: [{ upstream: nobody, model: house-there }, { upstream: closed }, { upstream: breaking }] }
  home: { routes: [{ upstream: nobody, model: home-there }, { upstream: closed }, { upstream: breaking }] }
  none: { routes: [{ upstream: down }, { upstream: nobody }] }
  hot: strict
`
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all(fakes.map((fake) => fake.stop()))
})

const ask = async (model: string, stream: boolean) => {
  const response = await request(gateway, "/v1/messages", {
    body: { model, stream, max_tokens: 100, messages: [{ role: "user", content: "hello" }] }
  })
  return { response, text: await response.text(), id: response.headers.get("x-request-id") ?? "" }
}

/** The request's lines about failed calls, once there are as many. */
const attempts = async (id: string, count: number) => {
  const lines = () =>
    gateway
      .output()
      .split("\n")
      .filter((line) => line.includes('"event":"upstream.attempt"') && line.includes(`"request_id":"${id}"`))
  await expect.poll(() => lines().length).toBe(count)
  return lines()
}

const has = (line: string | undefined, fields: object) => expect(JSON.parse(line ?? "{}")).toMatchObject(fields)

describe("every failed call to an upstream", () => {
  // A model each: a route that has failed is asked last for a while.
  it.each([
    [false, "house"],
    [true, "home"]
  ] as const)("has a line of its own, errors inside a 200 too (stream: %s)", async (stream, model) => {
    const { id, response } = await ask(model, stream)
    expect(response.headers.get("x-gateway-upstream")).toBe("breaking")
    expect(response.headers.get("x-upstream-request-id")).toBe("theirs-200")
    const [refused, closed, broken] = await attempts(id, 3)
    has(refused, { level: "warn", model, upstream: "nobody", upstream_model: `${model}-there`, attempt: 1 })
    has(refused, { said: "ECONNREFUSED", hint: expect.stringContaining("upstreams.nobody.base_url") })
    has(refused, { time: expect.stringMatching(/^\d{4}-.*Z$/), duration_ms: expect.any(Number) })
    has(closed, { upstream: "closed", attempt: 2, status: 401, upstream_request_id: "theirs-401" })
    has(closed, { hint: expect.stringContaining("upstreams.closed.api_key") })
    has(broken, { upstream: "breaking", attempt: 3, status: 200, upstream_request_id: "theirs-200" })
    expect(gateway.output()).not.toContain("sk-planted")
  })
})

describe("a refusal", () => {
  it("names the upstream whose word it is, and that upstream's own id", async () => {
    const { id, response } = await ask("hot", false)
    expect(response.status).toBe(400)
    expect(response.headers.get("x-gateway-upstream")).toBe("strict")
    expect(response.headers.get("x-upstream-request-id")).toBe("theirs-400")
    const [line] = await attempts(id, 1)
    has(line, { status: 400, error: expect.stringContaining("temperature: too hot") })
  })

  it("of several names the one that the caller is told of", async () => {
    const { response } = await ask("none", false)
    expect(response.status).toBe(500)
    expect(response.headers.get("x-gateway-upstream")).toBe("down")
    expect(response.headers.get("x-upstream-request-id")).toBe("theirs-503")
  })

  it("of the gateway's own names no upstream", async () => {
    const { response } = await ask("unknown", false)
    expect(response.status).toBe(400)
    expect(response.headers.get("x-gateway-upstream")).toBeNull()
  })
})
