import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { GatewayProcess } from "../../e2e/process.ts"
import { startGateway, testKey } from "../../e2e/process.ts"
import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"

let gateway: GatewayProcess
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.dispose())

/** What any answer here may hold. */
interface Body {
  readonly id: string
  readonly status: string
  readonly created_at: number
  readonly completed_at?: number
  readonly result?: Body
  readonly error: { readonly type: string; readonly code: string; readonly message: string }
}

const headers = { authorization: `Bearer ${testKey}`, "content-type": "application/json" }

const create = async (body: object): Promise<{ status: number; json: Body }> => {
  const response = await fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers,
    body: JSON.stringify({ model: "sandbox-text", max_tokens: 200, messages: "Hello, you!", ...body })
  })
  return { status: response.status, json: (await response.json()) as Body }
}

const get = async (path: string, init: RequestInit = {}): Promise<{ status: number; json: Body }> => {
  const response = await fetch(`${gateway.url}${path}`, { headers, ...init })
  return { status: response.status, json: (await response.json()) as Body }
}

const ended = async (id: string): Promise<Body> => {
  for (;;) {
    const { json } = await get(`/v1/tasks/${id}`)
    if (json.completed_at !== undefined) return json
    await Bun.sleep(10)
  }
}

describe("an async message", () => {
  it("is answered with a handle at once, and its result is the synchronous message", async () => {
    const handle = await create({ async: true })
    expect(handle.status).toBe(200)
    expect(handle.json).toEqual({
      id: expect.stringMatching(/^task_[A-Za-z0-9_-]{8,64}$/),
      object: "task",
      status: "pending",
      created_at: expect.any(Number)
    })
    const task = await ended(handle.json.id)
    const sync = await create({})
    const { result, ...rest } = task
    expect(rest).toEqual({
      ...handle.json,
      status: "success",
      completed_at: expect.any(Number)
    })
    const comparable = (message: Body | undefined) => JSON.stringify({ ...message, id: "" })
    expect(comparable(result)).toBe(comparable(sync.json))
  })

  it("that fails carries the type of the synchronous failure", async () => {
    for (const error of [500, 400]) {
      const messages = `[[sandbox: error=${error}]]`
      const sync = await create({ messages })
      const task = await ended((await create({ messages, async: true })).json.id)
      expect(task).toEqual({
        id: task.id,
        object: "task",
        status: "failed",
        error: { type: sync.json.error.type, code: sync.json.error.type, message: sync.json.error.message },
        created_at: task.created_at,
        completed_at: task.completed_at
      })
    }
  })

  it("waits while its upstream has no room", async () => {
    let asked = 0
    const busy = fakeUpstream("openai-chat", {
      answer: () => {
        asked++
        // More often than one call asks.
        if (asked > 4) return undefined
        return Response.json({ error: { message: "slow down" } }, { status: 429, headers: { "retry-after-ms": "5" } })
      }
    })
    const folder = mkdtempSync(join(tmpdir(), "gateway-async-"))
    const settings = {
      upstreams: { busy: { protocol: "openai-chat", base_url: `${busy.url}/v1` } },
      models: { busy: { routes: [{ upstream: "busy", model: "m" }] } }
    }
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(settings))
    const waiting = await startGateway({ folder })
    const call = async (path: string, init: RequestInit = {}) =>
      (await (await fetch(`${waiting.url}${path}`, { headers, ...init })).json()) as Body
    const body = JSON.stringify({ model: "busy", max_tokens: 50, messages: "play:text", async: true })
    const { id } = await call("/v1/messages", { method: "POST", body })
    const task = await expect
      .poll(() => call(`/v1/tasks/${id}`))
      .toMatchObject({ status: "success" })
      .then(() => call(`/v1/tasks/${id}`))
    expect(task.result).toMatchObject({ content: [{ text: spoken.text }] })
    await waiting.dispose()
    await busy.stop()
  })

  it("is refused at once where the synchronous request would be", async () => {
    for (const bad of [{ max_tokens: 0 }, { model: "nobody" }, { messages: [] }]) {
      const sync = await create(bad)
      const asynchronous = await create({ ...bad, async: true })
      expect(asynchronous.status).toBe(400)
      expect(asynchronous.json.error).toEqual(sync.json.error)
    }
  })

  it("is a stream where `stream` is set too", async () => {
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers,
      body: JSON.stringify({ model: "sandbox-text", max_tokens: 50, messages: "Hi", async: true, stream: true })
    })
    expect(response.headers.get("content-type")).toContain("text/event-stream")
    expect(await response.text()).toContain("message_stop")
  })

  it("goes on in the next process when this one is told to stop", async () => {
    const first = await startGateway({ env: { GATEWAY_DRAIN_SECONDS: "0" } })
    const response = await fetch(`${first.url}/v1/messages`, {
      method: "POST",
      headers,
      body: JSON.stringify({ model: "sandbox-text", max_tokens: 50, messages: "Hi [[sandbox: delay=2s]]", async: true })
    })
    const { id } = (await response.json()) as { id: string }
    first.signal("SIGTERM")
    expect(await first.exited).toBe(0)
    const second = await startGateway({ folder: first.folder })
    try {
      let json: Body
      do {
        await Bun.sleep(20)
        json = (await (await fetch(`${second.url}/v1/tasks/${id}`, { headers })).json()) as Body
      } while (json.completed_at === undefined)
      expect(json.status).toBe("success")
    } finally {
      await second.dispose()
    }
  })
})

describe("GET /v1/tasks/{id}", () => {
  const invalidUrl = (message: unknown) => ({
    error: { code: "invalid_url", message, param: null, type: "invalid_request_error" }
  })

  it("answers 404 for an unknown id", async () => {
    const { json, status } = await get("/v1/tasks/task_0123456789")
    expect(status).toBe(404)
    expect(json).toEqual({
      error: {
        code: "task_not_found",
        message: 'No task with the id "task_0123456789"',
        param: null,
        type: "invalid_request_error"
      }
    })
  })

  it.each(["cgt-20260101000000-abcdefghij", "task_short", "task_with%20space", `task_${"x".repeat(65)}`, "a/b", ""])(
    "answers 400 invalid_url for %s",
    async (id) => {
      const { json, status } = await get(`/v1/tasks/${id}`)
      expect(status).toBe(400)
      expect(json).toEqual(invalidUrl(expect.any(String)))
    }
  )

  it("answers 400 invalid_url for another method", async () => {
    const { json, status } = await get("/v1/tasks/task_0123456789", { method: "POST" })
    expect(status).toBe(400)
    expect(json).toEqual(
      invalidUrl("Invalid URL (POST /v1/tasks/task_0123456789): this gateway does not serve this API")
    )
  })

  it("answers 401 auth_invalid without a key", async () => {
    const { json, status } = await get("/v1/tasks/task_0123456789", { headers: {} })
    expect([status, json.error.code]).toEqual([401, "auth_invalid"])
  })
})
