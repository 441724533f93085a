import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { GatewayHere } from "../gatewayHere.ts"
import { startGateway } from "../gatewayHere.ts"

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.dispose())

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })

/** What a coding agent sends before every turn. */
const agent = {
  model: "sandbox-text",
  max_tokens: 32_000,
  stream: true,
  system: [{ type: "text", text: "You are an agent.", cache_control: { type: "ephemeral", ttl: "1h" } }],
  thinking: { type: "adaptive", display: "omitted" },
  output_config: { effort: "medium" },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  metadata: { user_id: '{"device_id":"d"}' },
  tools: [
    {
      name: "Read",
      description: "Reads a file",
      input_schema: { type: "object", properties: {} },
      eager_input_streaming: true
    },
    { type: "bash_20250124", name: "bash" }
  ],
  messages: [
    { role: "user", content: [{ type: "text", text: "hi", cache_control: { type: "ephemeral" } }] },
    { role: "system", content: [{ type: "text", text: "A reminder." }] }
  ]
}

const framesOf = (text: string) =>
  text
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => {
      const [event, data] = frame.split("\n")
      return { event: event?.replace("event: ", ""), data: JSON.parse(data?.replace("data: ", "") ?? "") }
    })

describe("POST /v1/messages", () => {
  it("takes a coding agent's request as it is, beta query, key header and all", async () => {
    const response = await fetch(`${gateway.url}/v1/messages?beta=true`, {
      method: "POST",
      headers: {
        "x-api-key": gateway.key,
        "anthropic-version": "2023-06-01",
        "anthropic-beta": "interleaved-thinking-2025-05-14,context-management-2025-06-27",
        "content-type": "application/json; charset=utf-8"
      },
      body: JSON.stringify(agent)
    })
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
    expect(response.headers.get("request-id")).toMatch(/^req_/)
    const frames = framesOf(await response.text())
    expect(frames.every(({ data, event }) => data.type === event)).toBe(true)
    expect(frames[0]?.event).toBe("message_start")
    expect(frames.at(-1)?.event).toBe("message_stop")
    expect(frames.some(({ data }) => data.delta?.type === "thinking_delta")).toBe(false)
    expect(frames.some(({ data }) => data.delta?.type === "signature_delta")).toBe(true)
  })

  it("answers the same body without a stream", async () => {
    const response = await post("/v1/messages", { ...agent, stream: false })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ type: "message", stop_reason: "end_turn" })
  })

  it("takes a string for messages", async () => {
    const response = await post("/v1/messages", { model: "sandbox-text", max_tokens: 100, messages: "Hello" })
    expect(await response.json()).toMatchObject({ content: [{ text: expect.stringContaining("Hello") }] })
  })

  it("thinks only where it was asked to", async () => {
    const types = async (thinking: object | null) => {
      const body = { model: "sandbox-text", max_tokens: 4000, messages: "Why?", thinking }
      const { content } = (await (await post("/v1/messages", body)).json()) as { content: Array<{ type: string }> }
      return content.map(({ type }) => type)
    }
    expect(await types(null)).toEqual(["text"])
    expect(await types({ type: "disabled" })).toEqual(["text"])
    expect(await types({ type: "adaptive" })).toEqual(["thinking", "text"])
    expect(await types({ type: "between_tools" })).toEqual(["thinking", "text"])
    expect(await types({ type: "enabled", budget_tokens: 1024 })).toEqual(["thinking", "text"])
  })
})

describe("a refused request has the family's body", () => {
  const refused = async (response: Response) => {
    const body = (await response.json()) as { request_id: string; error: { type: string; message: string } }
    expect(body).toEqual({
      type: "error",
      error: { type: expect.any(String), message: expect.any(String) },
      request_id: response.headers.get("request-id")
    })
    return `${response.status} ${body.error.type}: ${body.error.message}`
  }

  it("where it breaks a rule", async () => {
    expect(await refused(await post("/v1/messages", { model: "sandbox-text", messages: "Hello" }))).toBe(
      "400 invalid_request_error: max_tokens: is required; expected an integer of 1 or more"
    )
  })

  it("where it is no JSON object", async () => {
    for (const body of ["", "{", "[]", '"a"']) {
      expect(await refused(await post("/v1/messages", body))).toMatch(/^400 invalid_request_error: /)
    }
  })

  it("without a key, or with an unknown one", async () => {
    const authorization = (value: string) => post("/v1/messages", {}, { authorization: value })
    expect(await refused(await authorization(""))).toMatch(/^401 authentication_error: /)
    expect(await refused(await authorization("Bearer nobody"))).toMatch(/^401 authentication_error: /)
    expect(await refused(await authorization(gateway.key))).toMatch(/^401 authentication_error: /)
  })

  it("where the path or the method is none of the family's", async () => {
    const headers = { authorization: `Bearer ${gateway.key}` }
    expect(await refused(await fetch(`${gateway.url}/v1/messages`, { headers }))).toBe(
      "404 invalid_request_error: Invalid URL (GET /v1/messages): this gateway does not serve this API"
    )
    expect(await refused(await post("/v1/messages/other", {}))).toMatch(/^404 invalid_request_error: /)
  })

  it("where it is larger than 32 MiB", async () => {
    const body = JSON.stringify({ model: "m", max_tokens: 1, messages: "x".repeat(32 * 1024 * 1024) })
    expect(await refused(await post("/v1/messages", body))).toMatch(/^413 request_too_large: /)
  })
})

describe("POST /v1/messages/count_tokens", () => {
  const request = { model: "sandbox-text", messages: [{ role: "user", content: "Hello there" }] }

  it("counts more where there is more", async () => {
    const count = async (fields: object) => {
      const response = await post("/v1/messages/count_tokens", { ...request, ...fields })
      expect(response.status).toBe(200)
      const { input_tokens } = (await response.json()) as { input_tokens: number }
      return input_tokens
    }
    const short = await count({})
    expect(await count({ system: "Be brief." })).toBeGreaterThan(short)
    expect(await count({ tools: agent.tools })).toBeGreaterThan(short)
  })

  it("knows the models there are", async () => {
    expect((await post("/v1/messages/count_tokens", { ...request, model: "nobody" })).status).toBe(400)
  })
})

const citation = { type: "char_location", cited_text: "a", document_index: 0, start_char_index: 0, end_char_index: 1 }
const document = { type: "document", source: { type: "text", media_type: "text/plain", data: "Some text" } }
const hello = { role: "user", content: "Hello" }

/** Requests that Anthropic refuses from its second version on. */
const olderFields: ReadonlyArray<readonly [param: string, fields: object]> = [
  ["temperature", { temperature: 1 }],
  ["top_p", { top_p: 0.5 }],
  ["top_k", { top_k: 40 }],
  [
    "messages[1].content[1]",
    { messages: [hello, { role: "assistant", content: [{ type: "text", text: "a" }, document] }] }
  ],
  [
    "messages[0].content[0].citations",
    { messages: [{ role: "user", content: [{ type: "text", text: "a", citations: [citation] }] }] }
  ]
]

describe("the sandbox plays each anthropic-version", () => {
  const ask = async (version: string, fields: object) => {
    const body = { model: "sandbox-text", max_tokens: 100, messages: [hello], ...fields }
    const answer = await post("/v1/messages", body, { "anthropic-version": version })
    return { status: answer.status, text: await answer.text() }
  }

  it.each(olderFields)("%s is refused under 2026-10-21 alone", async (param, fields) => {
    for (const stream of [false, true]) {
      const refused = await ask("2026-10-21", { ...fields, stream })
      expect(refused).toMatchObject({ status: 400, text: expect.stringContaining(`${param}: `) })
      expect(refused.text).toContain("under anthropic-version 2026-10-21")
      expect((await ask("2023-06-01", { ...fields, stream })).status).toBe(200)
    }
  })

  it("what the new version takes is answered as before", async () => {
    const fields = { messages: [{ role: "user", content: [document, { type: "text", text: "a", citations: [] }] }] }
    expect((await ask("2026-10-21", fields)).status).toBe(200)
  })
})
