import { mkdtempSync, writeFileSync } from "node:fs"
import { connect as dial } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { connect } from "../responses/socket/connect.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"
import { request } from "../request.ts"
import { calls, silentModels, stopSilent } from "./silentUpstreams.ts"

const adminKey = "admin-key-0123456789abcdefgh"
/** Dollars a token of input, of every model. */
const perToken = 0.001
let gateway: GatewayProcess
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-left-"))
  writeFileSync(join(folder, "gateway.yaml"), silentModels({ input: perToken * 1e6, output: 0 }))
  gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey, GATEWAY_DRAIN_SECONDS: "1" } })
})
afterAll(async () => {
  await gateway.dispose()
  await stopSilent()
})

const post = (path: string, body: object, name: string, signal: AbortSignal, headers: object = {}) =>
  request(gateway, path, {
    body,
    headers: { "x-gateway-tags": name, ...headers },
    signal
  })

const get = async (path: string, key = gateway.key) =>
  (await (await request(gateway, path, { key })).json()) as {
    readonly data: ReadonlyArray<Record<string, unknown>>
    readonly total: Record<string, unknown>
    readonly attention?: ReadonlyArray<Record<string, unknown>>
  }

/** The rows of the requests with a tag, once there are any. */
const rowsOf = async (tag: string) => {
  await expect.poll(async () => (await get(`/v1/requests?tag=${tag}`)).data.length).toBeGreaterThan(0)
  return (await get(`/v1/requests?tag=${tag}`)).data
}

/** The charge for the counted input, and nothing but that. */
const expectCharged = (row: Record<string, unknown> | undefined) => {
  const tokens = Number(row?.["input_tokens"])
  expect(tokens).toBeGreaterThan(0)
  expect(row?.["cost_usd"]).toBeCloseTo(tokens * perToken, 9)
  expect(row?.["output_tokens"] ?? 0).toBe(0)
}

const lines = () =>
  gateway
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{") && line.includes('"event":"request"'))
    .map((line): Record<string, unknown> => JSON.parse(line))

const user = (content: string) => [{ role: "user", content }]
type Ask = readonly [path: string, body: (name: string) => object]
const asks: Readonly<Record<string, Ask>> = {
  chat: ["/v1/chat/completions", (name) => ({ messages: user(name) })],
  messages: ["/v1/messages", (name) => ({ messages: user(name), max_tokens: 10 })],
  responses: ["/v1/responses", (name) => ({ input: name })]
}

const cases = Object.keys(asks).flatMap((family) =>
  ["chat", "messages", "responses"].map((model) => ({ family, model, headers: {} }))
)
const keyed = Object.keys(asks).map((family) => ({
  family,
  model: "chat",
  headers: { "idempotency-key": `once-${family}` }
}))

describe("a caller that leaves a stream before the first byte", () => {
  it.each([...cases, ...keyed])("is a hang-up: $family to $model, $headers", async (one) => {
    const { family, headers, model } = one
    const stream = true
    const name = `${family}-${model}-${Object.values(headers).join("")}`
    const [path, body] = asks[family] ?? ["", () => ({})]
    const leaving = new AbortController()
    const answer = post(path, { model, stream, ...body(name) }, name, leaving.signal, headers)
    await expect.poll(() => calls(name)).toBe(1)
    leaving.abort()
    await expect(answer).rejects.toThrow()
    const rows = await rowsOf(name)
    expect(rows).toMatchObject([
      {
        status: 499,
        error: "hang_up",
        upstream: model,
        upstream_model: model,
        attempts: [{ upstream: model, upstream_model: model, status: null, error: null }]
      }
    ])
    expectCharged(rows[0])
    const line = lines().find(({ request_id }) => request_id === rows[0]?.["request_id"])
    expect(line).toMatchObject({ level: "info", status: 499, error: "hang_up", upstream: model, attempt: 1 })
    expect(line).not.toHaveProperty("reason")
  })

  it("is one of a request in its upstream's queue, which pays nothing", async () => {
    const leaving = new AbortController()
    const leavingQueue = new AbortController()
    const body = { model: "narrow", messages: user("one"), stream: true }
    const first = post("/v1/chat/completions", body, "one", leaving.signal)
    await expect.poll(() => calls('"one"')).toBe(1)
    const queued = ["queued-whole", "queued-stream"].map((name, index) =>
      post(
        "/v1/messages",
        { model: "narrow", max_tokens: 9, messages: user(name), stream: index === 1 },
        name,
        leavingQueue.signal
      )
    )
    const answers = Promise.allSettled([first, ...queued])
    const waiting = async () => {
      const upstreams = await get("/admin/v1/upstreams", adminKey)
      return upstreams.data.find(({ name }) => name === "narrow")?.["waiting"]
    }
    await expect.poll(waiting).toBe(2)
    // One that leaves gives its place to the next.
    leavingQueue.abort()
    await expect.poll(waiting).toBe(0)
    leaving.abort()
    expect((await answers).filter(({ status }) => status !== "rejected")).toEqual([])
    for (const [name, upstream] of [
      ["one", "narrow"],
      ["queued-whole", "narrow"],
      ["queued-stream", "narrow"]
    ] as const) {
      expect(await rowsOf(name)).toMatchObject([{ status: 499, error: "hang_up", upstream, attempts: [{ upstream }] }])
    }
    expectCharged((await rowsOf("one"))[0])
    expect(calls("queued")).toBe(0)
    for (const name of ["queued-whole", "queued-stream"]) expect((await rowsOf(name))[0]?.["cost_usd"]).toBe(0)
  })

  it.each(["chat", "messages"])("pays for the input of each call of several answers, by %s", async (model) => {
    const leaving = new AbortController()
    const name = `several-${model}`
    const body = { model, n: 3, messages: user(name), stream: true }
    const one = post("/v1/chat/completions", { ...body, n: 1 }, `${name}-one`, leaving.signal)
    const three = post("/v1/chat/completions", body, name, leaving.signal)
    // An upstream of the caller's dialect gets one call for all.
    const each = model === "chat" ? 1 : 3
    await expect.poll(() => calls(name)).toBe(1 + each)
    leaving.abort()
    await Promise.allSettled([one, three])
    const [first] = await rowsOf(`${name}-one`)
    const [row] = await rowsOf(name)
    expectCharged(row)
    expect(row?.["input_tokens"]).toBe(each * Number(first?.["input_tokens"]))
  })

  it("runs again by the retry of an Idempotency-Key, and pays for both", async () => {
    const headers = { "idempotency-key": "once" }
    for (const turn of [1, 2]) {
      const leaving = new AbortController()
      const body = { model: "chat", messages: user("again"), stream: true }
      const answer = post("/v1/chat/completions", body, `again-${turn}`, leaving.signal, headers)
      await expect.poll(() => calls('"again"')).toBe(turn)
      leaving.abort()
      await expect(answer).rejects.toThrow()
      expectCharged((await rowsOf(`again-${turn}`))[0])
    }
  })

  it("may be any number of one key's in a minute", async () => {
    const leaving = new AbortController()
    const body = { model: "chat", messages: user("restart"), stream: true }
    const inFlight = Array.from({ length: 30 }, () =>
      post("/v1/chat/completions", body, "restart", leaving.signal).catch(() => undefined)
    )
    await expect.poll(() => calls("restart")).toBe(30)
    leaving.abort()
    await Promise.all(inFlight)
    const next = new AbortController()
    const answer = post("/v1/chat/completions", body, "restarted", next.signal)
    await expect.poll(() => calls("restart")).toBe(31)
    next.abort()
    await expect(answer).rejects.toThrow()
    await expect.poll(async () => (await rowsOf("restart")).length).toBe(30)
    for (const row of await rowsOf("restart")) expectCharged(row)
  })

  it("is one of a held stream, whose 200 has left, and of a socket", async () => {
    const leaving = new AbortController()
    const response = await post(
      "/v1/messages",
      { model: "chat", max_tokens: 9, messages: user("held"), stream: true },
      "held",
      leaving.signal
    )
    expect(response.status).toBe(200)
    leaving.abort()
    const socket = await connect(gateway.url, gateway.key)
    socket.send({ model: "chat", input: "by-socket", metadata: { name: "by-socket" } })
    await expect.poll(() => calls("by-socket")).toBe(1)
    socket.ws.close()
    expectCharged((await rowsOf("held"))[0])
    expectCharged((await rowsOf("name%3Dby-socket"))[0])
    expect(await rowsOf("held")).toMatchObject([
      { status: 200, error: "hang_up", upstream: "chat", attempts: [{ upstream: "chat", status: null, error: null }] }
    ])
    expect(await rowsOf("name%3Dby-socket")).toMatchObject([{ status: 499, error: "hang_up", upstream: "chat" }])
  })

  it("leaves a background response, which goes on", async () => {
    const leaving = new AbortController()
    const body = { model: "chat", input: "alone", background: true, stream: true }
    const response = await post("/v1/responses", body, "alone", leaving.signal)
    expect(response.status).toBe(200)
    await expect.poll(() => calls("alone")).toBe(1)
    leaving.abort()
    expect(await rowsOf("alone")).toMatchObject([{ status: 200, error: null }])
    const [row] = await rowsOf("alone")
    const path = `/v1/responses/${String(row?.["task"])}`
    expect(await get(path)).toMatchObject({ status: "in_progress" })
    // Who cancels it leaves it.
    await request(gateway, `${path}/cancel`, { method: "POST" })
    expect(await get(path)).toMatchObject({ status: "cancelled" })
    await expect.poll(async () => Number((await rowsOf("alone"))[0]?.["cost_usd"])).toBeGreaterThan(0)
  })

  it("is one while its body is read", async () => {
    const { hostname, port } = new URL(gateway.url)
    const socket = dial(Number(port), hostname)
    const head = ["POST /v1/chat/completions HTTP/1.1", "host: x", `authorization: Bearer ${gateway.key}`]
    const invited = new Promise<string>((resolve) => socket.once("data", (bytes) => resolve(String(bytes))))
    const more = ["content-length: 1000", "expect: 100-continue", "x-client-request-id: half"]
    socket.write([...head, ...more, "", '{"model":"chat"'].join("\r\n"))
    // It is being read by then.
    expect(await invited).toContain("100 Continue")
    socket.destroy()
    const line = () => lines().find(({ client_request_id }) => client_request_id === "half")
    await expect.poll(line).toMatchObject({ level: "info", status: 499, error: "hang_up" })
  })

  it("is in no count of failures", async () => {
    const metrics = await (await request(gateway, "/metrics", { key: adminKey })).text()
    expect(metrics).not.toMatch(/gateway_requests_total\{[^}]*status="5/)
    expect(metrics).not.toMatch(/gateway_upstream_attempts_total\{[^}]*status="none"/)
    expect(metrics).toMatch(/gateway_upstream_attempts_total\{[^}]*upstream="narrow"[^}]*status="hang_up"/)
    expect(metrics).not.toMatch(/gen_ai_server_request_duration_seconds_count\{[^}]*error_type="(?!hang_up)/)
    const overview = await get("/admin/v1/overview", adminKey)
    expect(overview.total).toMatchObject({ failed: 0, refused: 0 })
    expect(overview.attention?.filter(({ what }) => what === "upstream")).toEqual([])
    expect(lines().filter(({ level }) => level !== "info")).toEqual([])
  })
})

describe("a caller whose gateway stops", () => {
  it("is told so, and so are the log and its row; what is read on for nobody is charged as counted", async () => {
    const never = new AbortController().signal
    const answers = [false, true].map((stream) =>
      post("/v1/chat/completions", { model: "chat", messages: user(`stays-${stream}`), stream }, "stays", never)
    )
    await expect.poll(() => calls("stays")).toBe(2)
    const leaving = new AbortController()
    const left = post("/v1/chat/completions", { model: "chat", messages: user("gone") }, "gone", leaving.signal)
    await expect.poll(() => calls('"gone"')).toBe(1)
    leaving.abort()
    await expect(left).rejects.toThrow()
    gateway.signal("SIGTERM")
    for (const answer of answers) {
      const response = await answer
      expect([response.status, await response.text()]).toEqual([500, expect.stringContaining("shutting down")])
    }
    await gateway.exited
    expect(lines().find(({ tags }) => String(tags).includes("gone"))).toMatchObject({
      status: 499,
      error: "hang_up",
      upstream: "chat"
    })
    expectCharged(lines().find(({ tags }) => String(tags).includes("gone")))
    const stopped = lines().filter(({ status }) => status === 500)
    expect(stopped).toMatchObject(
      answers.map(() => ({
        level: "error",
        error: "upstream_failed",
        reason: "The gateway is shutting down",
        upstream: "chat",
        attempt: 1
      }))
    )
  })
})
