import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"
import { request } from "../request.ts"

const down = fakeUpstream("openai-chat", {
  answer: () => Response.json({ error: { message: "no room", type: "t" } }, { status: 503 })
})
const fine = fakeUpstream("openai-chat")

let gateway: GatewayProcess
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-log-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams:
  down: { protocol: openai-chat, base_url: "${down.url}/v1" }
  fine: { protocol: openai-chat, base_url: "${fine.url}/v1" }
models:
  house:
    routes: [{ upstream: down, model: house-down }, { upstream: fine, model: house-fine }]
    price: { input: 1000, output: 1000 }
keys:
  - { name: poor, secret: poor-key-0123456789abcdefgh, account: poor, balance_usd: 0.000001 }
`
  )
  gateway = await startGateway({ folder, toFile: true })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([down.stop(), fine.stop()])
})

const stdout = () => readFileSync(join(gateway.folder, "gateway.log"), "utf8")

const lines = (): ReadonlyArray<Record<string, unknown>> =>
  stdout()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/** The line of a request, once it is there. */
const lineOf = async (id: string | null) => {
  const find = () => lines().find((line) => line["event"] === "request" && line["request_id"] === id)
  await expect.poll(find).toBeDefined()
  return find()
}

const ask = (path: string, body: object, init: { key?: string; headers?: object; signal?: AbortSignal } = {}) =>
  fetch(gateway.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${init.key ?? gateway.key}`,
      "content-type": "application/json",
      "user-agent": "OpenAI/JS 6.1.0 (someone's machine)",
      ...init.headers
    },
    body: JSON.stringify(body),
    ...(init.signal === undefined ? {} : { signal: init.signal })
  })

const words = [{ role: "user", content: "hello" }]

describe("the line of a request", () => {
  it("tells who asked what of whom, what it used, cost and tried, by the shared names", async () => {
    const response = await ask(
      "/v1/chat/completions",
      { model: "house", messages: words, user: "ada", metadata: { project: "x" } },
      { headers: { "x-gateway-tags": "team=blue, plain" } }
    )
    expect(response.status).toBe(200)
    await response.text()
    const line = await lineOf(response.headers.get("x-request-id"))
    expect(line).toMatchObject({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/),
      level: "info",
      message: "200 POST /v1/chat/completions",
      account: "default",
      key: expect.stringMatching(/^key_/),
      family: "chat",
      endpoint: "/v1/chat/completions",
      status: 200,
      model: "house",
      upstream: "fine",
      upstream_model: "house-fine",
      attempt: 2,
      stream: false,
      input_tokens: expect.any(Number),
      output_tokens: expect.any(Number),
      cost_usd: Number(response.headers.get("x-gateway-cost-usd")),
      tags: ["team=blue", "plain", "project=x"],
      end_user: "ada",
      client: "OpenAI/JS 6.1.0"
    })
    expect(line).not.toHaveProperty("error")
  })

  it("of a stream is written at its end, with how long it took until its first byte and its last", async () => {
    const response = await ask("/v1/messages", { model: "house", max_tokens: 20, stream: true, messages: words })
    await response.text()
    const line = await lineOf(response.headers.get("x-request-id"))
    expect(line).toMatchObject({ family: "messages", stream: true, status: 200, upstream: "fine" })
    expect(line?.["cost_usd"]).toBeGreaterThan(0)
    expect(line?.["duration_ms"]).toBeGreaterThanOrEqual(Number(line?.["first_byte_ms"]))
  })

  it("of a stream whose reader leaves says so", async () => {
    const controller = new AbortController()
    const body = { model: "sandbox-text", input: "[[sandbox: tokens=10000]] long", stream: true }
    const response = await ask("/v1/responses", body, { signal: controller.signal })
    await response.body?.getReader().read()
    controller.abort()
    const line = await lineOf(response.headers.get("x-request-id"))
    expect(line).toMatchObject({ status: 200, error: "hang_up", stream: true, level: "info" })
    expect(line?.["duration_ms"]).toBeGreaterThan(Number(line?.["first_byte_ms"]))
  })

  it.each([
    ["an unknown key", "nobody-0123456789", {}, 401, "auth_invalid"],
    ["a balance that is too low", "poor-key-0123456789abcdefgh", { model: "house" }, 402, "insufficient_balance"],
    ["an unknown model", undefined, { model: "nothing" }, 400, "unknown_model"],
    ["a body that is none", undefined, { messages: 5 }, 400, "invalid_request"]
  ])("of %s says what kind of failure it was", async (_, key, given, status, error) => {
    const body = { model: "sandbox-text", max_tokens: 20, messages: words, ...given }
    const response = await ask("/v1/messages", body, key === undefined ? {} : { key })
    expect(response.status).toBe(status)
    expect(await lineOf(response.headers.get("x-request-id"))).toMatchObject({ status, error, level: "warn" })
  })
})

describe("standard output", () => {
  it("is lines of JSON alone, each with a time, a level and an event", async () => {
    await fetch(`${gateway.url}/nothing/\u00e9"<>`)
    gateway.signal("SIGHUP")
    await expect.poll(() => lines().map((line) => line["event"])).toContain("config.reloaded")
    expect(new Set(lines().map((line) => line["event"]))).toEqual(
      new Set(["request", "upstream.attempt", "upstream.configured", "config.reloaded"])
    )
    for (const line of lines()) {
      expect(line).toMatchObject({
        time: expect.any(String),
        level: expect.stringMatching(/^(debug|info|warn|error)$/)
      })
      expect(line).toMatchObject({ event: expect.any(String), message: expect.any(String) })
    }
  })

  it("has no line of a probe that is well", async () => {
    await fetch(`${gateway.url}/readyz`)
    const { headers } = await fetch(`${gateway.url}/nothing-more`)
    await lineOf(headers.get("x-request-id"))
    expect(stdout()).not.toContain("/readyz")
  })

  it("begins with no word for people: the address and the key go to standard error", () => {
    expect(stdout()).not.toContain("listens on")
    expect(readFileSync(join(gateway.folder, "gateway.log.errors"), "utf8")).toContain("listens on")
  })
})

describe("with GATEWAY_LOG=debug", () => {
  it("each change of a task has a line, in order", async () => {
    const telling = await startGateway({ toFile: true, env: { GATEWAY_LOG: "debug" } })
    try {
      const created = await request(telling, "/v1/messages", {
        body: { model: "sandbox-text", max_tokens: 20, messages: words, async: true }
      })
      const { id } = (await created.json()) as { id: string }
      const changes = () =>
        telling
          .output()
          .split("\n")
          .filter((text) => text.includes('"event":"task.changed"'))
          .map((text) => JSON.parse(text) as Record<string, unknown>)
          .filter(({ task }) => task === id)
      await expect
        .poll(() => changes().map(({ level, state }) => [level, state]))
        .toEqual([
          ["debug", "queued"],
          ["debug", "running"],
          ["debug", "succeeded"]
        ])
      expect(changes().at(-1)).toMatchObject({
        account: "default",
        model: "sandbox-text",
        duration_ms: expect.any(Number)
      })
    } finally {
      await telling.dispose()
    }
  })
})
