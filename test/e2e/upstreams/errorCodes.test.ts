import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI, { NotFoundError } from "openai"
import { connect } from "../../responses/socket/connect.ts"
import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"
import type { Asked, DialectName } from "../../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { request } from "../../request.ts"

const protocols = ["openai-responses", "openai-chat"] as const
type Place = "status" | "stream"

const message = "Your input exceeds the context window of this model."
const frames = (list: ReadonlyArray<object>) =>
  new Response(list.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" }
  })

/** Refuses with a code: by a status, or inside a stream. */
const refusing = (protocol: DialectName, place: Place, code: string): Response => {
  const error = { type: "invalid_request_error", code, message, param: null }
  if (place === "status") return Response.json({ error }, { status: 400 })
  if (protocol === "openai-chat") return frames([{ error: { code, message } }])
  const response = { id: "resp_1", object: "response", created_at: 1, model: "m", output: [] }
  return frames([
    { type: "response.created", sequence_number: 0, response: { ...response, status: "in_progress", error: null } },
    {
      type: "response.failed",
      sequence_number: 1,
      response: { ...response, status: "failed", error: { code, message } }
    }
  ])
}

const codes = ["context_length_exceeded", "content_filter", "cyber_policy", "unknown_parameter"]
const asked: Array<Asked> = []
const fakes = protocols.map((protocol) => ({
  protocol,
  server: fakeUpstream(protocol, {
    answer: (one) => {
      asked.push(one)
      const [place, code] = (one.body.model as string).split(".") as [Place, string]
      return refusing(protocol, place, code)
    }
  })
}))

let gateway: GatewayHere
beforeAll(async () => {
  const places = ["status", "stream"].flatMap((place) => codes.map((code) => `${place}.${code}`))
  const routes = (protocol: string) =>
    places.map((model) => [`${protocol}.${model}`, { routes: [{ upstream: protocol, model }] }])
  const folder = mkdtempSync(join(tmpdir(), "gateway-codes-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: Object.fromEntries(
        fakes.map(({ protocol, server }) => [protocol, { protocol, base_url: `${server.url}/v1` }])
      ),
      models: {
        ...Object.fromEntries(protocols.flatMap(routes)),
        small: { routes: [{ upstream: "openai-chat", model: "small" }], context: 100 }
      }
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all(fakes.map(({ server }) => server.stop()))
})

const post = async (path: string, body: object) => {
  asked.length = 0
  const response = await request(gateway, `/v1/${path}`, { body })
  const text = await response.text()
  return { status: response.status, text, tries: asked.length }
}

const chat = { messages: [{ role: "user", content: "Hi" }] }
/** The code of a body: the upstream's if programs act on it. */
const codeOf = (code: string) => (code === "unknown_parameter" ? "invalid_params" : code)

describe.each(protocols)("an error code of %s", (protocol) => {
  describe.each(codes)("%s", (code) => {
    it.each(["status", "stream"] as const)("told by its %s", async (place) => {
      const model = `${protocol}.${place}.${code}`
      // An error without a type or a code that tells says nothing of the request.
      const isUnclear = place === "stream" && code === "unknown_parameter"
      const expected = isUnclear
        ? { status: 500, code: "server_error", tries: 3 }
        : { status: 400, code: codeOf(code), tries: 1 }

      for (const stream of [false, true]) {
        const said = await post("chat/completions", { model, stream, ...chat })
        expect({ ...said, code: JSON.parse(said.text).error.code }).toMatchObject(expected)
        if (!isUnclear) expect(said.text).toContain(message)
      }
      const whole = await post("responses", { model, input: "Hi" })
      expect({ ...whole, code: JSON.parse(whole.text).error.code }).toMatchObject(expected)

      const streamed = await post("responses", { model, stream: true, input: "Hi" })
      if (code !== "context_length_exceeded" && (place === "status" || code === "unknown_parameter")) {
        expect({ ...streamed, code: JSON.parse(streamed.text).error.code }).toMatchObject(expected)
      } else {
        expect(streamed).toMatchObject({ status: 200, tries: 1 })
        const events = streamed.text
          .split("\n")
          .flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []))
        expect(events.map(({ type }) => type)).toEqual([
          "response.created",
          "response.in_progress",
          "error",
          "response.failed"
        ])
        expect(events.at(-1).response).toMatchObject({ status: "failed", model, error: { code, message } })
      }
    })
  })
})

it.each(protocols)(
  "says that the prompt is too long to clients of messages, where %s refuses a full context",
  async (protocol) => {
    for (const place of ["status", "stream"]) {
      for (const stream of [false, true]) {
        const model = `${protocol}.${place}.context_length_exceeded`
        const said = await post("messages", { model, max_tokens: 10, stream, ...chat })
        expect(said.status).toBe(400)
        expect(JSON.parse(said.text).error).toEqual({
          type: "invalid_request_error",
          message: `prompt is too long: ${message}`
        })
      }
    }
  }
)

it("is told of the gateway's own bound as of an upstream's", async () => {
  const long = { role: "user", content: "word ".repeat(200) }
  const said = await post("messages", { model: "small", max_tokens: 10, messages: [long] })
  // What Claude Code reads.
  expect(said.text).toMatch(/prompt is too long[^0-9]*\d+ tokens > 100 maximum/)
  const completion = await post("chat/completions", { model: "small", messages: [long] })
  expect(JSON.parse(completion.text).error).toMatchObject({ code: "context_length_exceeded" })
  const response = await post("responses", { model: "small", stream: true, input: [long] })
  expect(response.status).toBe(200)
  expect(response.text).toContain('"type":"response.failed"')
  expect(response.text).toContain('"code":"context_length_exceeded"')
})

it("of an unknown model is a 404 in chat completions and embeddings, and elsewhere a 400", async () => {
  const client = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  const unknown = { code: "model_not_found", param: "model" }
  const completion = client.chat.completions.create({ model: "nothing", messages: [{ role: "user", content: "Hi" }] })
  await expect(completion).rejects.toBeInstanceOf(NotFoundError)
  await expect(completion).rejects.toMatchObject(unknown)
  await expect(client.embeddings.create({ model: "nothing", input: "Hi" })).rejects.toMatchObject(unknown)
  const response = await post("responses", { model: "nothing", input: "Hi" })
  expect(response.status).toBe(400)
  const said = await request(gateway, "/v1/messages", { body: { model: "nothing", max_tokens: 10, ...chat } })
  expect(said.status).toBe(400)
  expect(said.headers.get("x-should-retry")).toBe("false")
  expect(await said.text()).toContain("invalid model name")
})

it("reaches OpenAI's client and a WebSocket where an upstream told it in its stream", async () => {
  const model = "openai-responses.stream.context_length_exceeded"
  const client = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  const stream = await client.responses.create({ model, input: "Hi", stream: true })
  const read = async () => {
    for await (const _ of stream);
  }
  await expect(read()).rejects.toMatchObject({ code: "context_length_exceeded" })
  const socket = await connect(gateway.url, gateway.key)
  socket.send({ model, input: "Hi" })
  const events = [...(await socket.answer()), await socket.next()]
  expect(events.at(-1)).toMatchObject({
    type: "response.failed",
    response: { error: { code: "context_length_exceeded" } }
  })
  socket.ws.close()
})
