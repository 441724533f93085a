import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Anthropic, { NotFoundError } from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { GatewayHere } from "../../gatewayHere.ts"
import { startGateway } from "../../gatewayHere.ts"
import { request } from "../../request.ts"

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-threads-"))
  writeFileSync(join(folder, "gateway.yaml"), "models: { forgets: { routes: [{ upstream: sandbox }], threads: off } }")
  gateway = await startGateway({ folder })
})
afterAll(() => gateway.dispose())

const model = "sandbox-text"
const user = (content: string) => ({ role: "user", content })
const create = { type: "create" }
const after = (id: string) => ({ type: "continue", previous_message_id: id })

const post = async (body: object, path = "/v1/messages", signal?: AbortSignal): Promise<Response> =>
  request(gateway, path, { body: { model, max_tokens: 200, ...body }, signal })

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was answered
const asked = async (body: object): Promise<any> => (await post(body)).json()

const started = async (more: object = {}): Promise<string> =>
  (await asked({ thread: create, messages: [user("Hello")], ...more })).id

const refusal = async (body: object, path?: string) => {
  const response = await post(body, path)
  const { error } = (await response.json()) as { error: { details: unknown } }
  return { status: response.status, details: error.details }
}

describe("a thread", () => {
  it("is refused where nothing is known under the id, in the client's own words", async () => {
    const refused = await refusal({ thread: after("msg_nobody"), messages: [user("And?")] })
    expect(refused).toEqual({ status: 404, details: { error_code: "thread_not_found" } })
    const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 })
    const unknown = client.beta.messages.create({
      model,
      max_tokens: 10,
      messages: [{ role: "user", content: "And?" }],
      thread: { type: "continue", previous_message_id: "msg_nobody" }
    })
    await expect(unknown).rejects.toBeInstanceOf(NotFoundError)
  })

  it("is not kept where it was not asked for", async () => {
    const { id } = await asked({ messages: [user("Hello")] })
    expect(await refusal({ thread: after(id), messages: [user("And?")] })).toMatchObject({ status: 404 })
  })

  it("is continued once", async () => {
    const first = await started()
    const second = await asked({ thread: after(first), messages: [user("And?")] })
    expect(await refusal({ thread: after(first), messages: [user("Or?")] })).toEqual({
      status: 400,
      details: { error_code: "thread_already_continued" }
    })
    expect(await asked({ thread: after(second.id), messages: [user("Yes")] })).toMatchObject({ type: "message" })
  })

  it("is continued by one request at a time, and again once that one has left", async () => {
    const first = await started()
    const leaving = new AbortController()
    const slow = { thread: after(first), messages: [user("[[sandbox: delay=30s]] And?")], stream: true }
    const one = post(slow, "/v1/messages", leaving.signal).catch(() => undefined)
    const other = { thread: after(first), messages: [user("Or?")] }
    // Would be refused in any case: it must not be the one that continues.
    await expect
      .poll(() => refusal({ ...other, system: "Be another." }), { timeout: 5_000 })
      .toEqual({ status: 400, details: { error_code: "thread_continue_in_flight" } })
    leaving.abort()
    await one
    await expect.poll(async () => (await post(other)).status).toBe(200)
  })

  it("is continued after a failure", async () => {
    const first = await started()
    const failing = await post({ thread: after(first), messages: [user("[[sandbox: error=500]] And?")] })
    expect(failing.status).toBeGreaterThanOrEqual(400)
    expect((await post({ thread: after(first), messages: [user("And?")] })).status).toBe(200)
  })

  it("keeps the system prompt and the tools that it began with", async () => {
    const tools = [{ name: "get_weather", input_schema: { type: "object", properties: {} } }]
    const first = await started({ system: "Be brief.", tools })
    const mismatch = { status: 400, details: { error_code: "thread_fingerprint_mismatch" } }
    const next = { thread: after(first), messages: [user("And?")] }
    expect(await refusal({ ...next, system: "Be long." })).toEqual(mismatch)
    expect(await refusal({ ...next, tools: [] })).toEqual(mismatch)
    expect((await post({ ...next, system: "Be brief.", tools })).status).toBe(200)
  })

  it("does not go on from what was refused or cut", async () => {
    const refused = await asked({ thread: create, messages: [user("[[sandbox: finish=refusal]] Hello")] })
    expect(refused.stop_reason).toBe("refusal")
    const next = [user("And?")]
    expect(await refusal({ thread: after(refused.id), messages: next })).toMatchObject({ status: 404 })
    const cut = await post({ thread: create, stream: true, messages: [user("[[sandbox: cut=3]] Hello")] })
    const id = /"id":"(msg_\w+)"/.exec(await cut.text())?.[1] ?? "none"
    expect(await refusal({ thread: after(id), messages: next })).toMatchObject({ status: 404 })
  })

  it("goes on without a message after a pause alone", async () => {
    const paused = await asked({ thread: create, messages: [user("[[sandbox: finish=pause]] Hello")] })
    expect(paused.stop_reason).toBe("pause_turn")
    const resumed = await asked({ thread: after(paused.id), messages: [] })
    expect(resumed).toMatchObject({ type: "message" })
    const ended = await started()
    expect((await post({ thread: after(ended), messages: [] })).status).toBe(400)
    expect((await post({ thread: create, messages: [] })).status).toBe(400)
    expect((await post({ messages: [] })).status).toBe(400)
  })

  it("counts the whole conversation", async () => {
    const long = "word ".repeat(500)
    const first = await asked({ thread: create, messages: [user(long)] })
    const second = await asked({ thread: after(first.id), messages: [user("And?")] })
    expect(second.usage.input_tokens).toBeGreaterThan(first.usage.input_tokens)
    const quote = await post({ thread: after(second.id), messages: [user("And?")] }, "/v1/quote")
    expect(quote.status).toBe(200)
  })

  it("is none of an async message", async () => {
    expect(await refusal({ thread: create, async: true, messages: [user("Hello")] })).toEqual({
      status: 400,
      details: { error_code: "thread_unsupported_request", unsupported: ["async"] }
    })
  })

  it("is none of a count, if it is continued: an upstream would count another's", async () => {
    const path = "/v1/messages/count_tokens"
    expect(await refusal({ thread: after(await started()), messages: [user("And?")] }, path)).toEqual({
      status: 400,
      details: { error_code: "thread_unsupported_request", unsupported: ["thread"] }
    })
    expect((await post({ thread: create, messages: [user("Hello")] }, path)).status).toBe(200)
  })

  it("is none of a model without: clients send the whole conversation", async () => {
    const forgets = { model: "forgets", messages: [user("Hello")] }
    expect(await refusal({ ...forgets, thread: create })).toEqual({
      status: 400,
      details: { error_code: "thread_unsupported_request", unsupported: ["thread"] }
    })
    const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 })
    const called: Array<unknown> = []
    const last = await client.beta.messages
      .toolRunner({
        model: "forgets",
        max_tokens: 500,
        tools: [
          {
            type: "custom",
            name: "get_weather",
            input_schema: { type: "object", properties: { city: { type: "string" } } },
            parse: (input: unknown) => input,
            run: (input: unknown) => {
              called.push(input)
              return "18 degrees"
            }
          }
        ],
        messages: [{ role: "user", content: "What is the weather in Paris? [[sandbox: tool=get_weather]]" }]
      })
      .runUntilDone()
    expect(called).toHaveLength(1)
    expect(JSON.stringify(last.content)).toContain("18 degrees")
  })
})
