import { Ajv2020 } from "ajv/dist/2020.js"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { readDocument } from "../contract/document.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { connect } from "./socket/connect.ts"
import { request } from "../request.ts"

/*
 * What the Open Responses suite asks of a server, category by category, under its names of them. Its schema is our own
 * document's, and the list of the fields that it wants on every response.
 */

// oxlint-disable-next-line typescript/no-explicit-any -- whatever came
type Json = any

let gateway: GatewayHere
let problemsWith: (schema: string, value: unknown) => ReadonlyArray<string>
beforeAll(async () => {
  gateway = await startGateway()
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addSchema({ ...(await readDocument()), $id: "openapi" })
  problemsWith = (schema, value) => {
    const validate = ajv.compile({ $ref: `openapi#/components/schemas/${schema}` })
    validate(value)
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
})
afterAll(() => gateway.dispose())

const model = "sandbox-text"

const post = (path: string, body: object) => request(gateway, `/v1${path}`, { body })

const wanted = (
  "id object created_at completed_at status incomplete_details model previous_response_id instructions output error " +
  "tools tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty top_logprobs " +
  "temperature reasoning usage max_output_tokens max_tool_calls store background service_tier metadata " +
  "safety_identifier prompt_cache_key"
).split(" ")

/** A response that the suite takes for one that went well. */
const expectResponse = (response: Json) => {
  expect(wanted.filter((name) => !(name in response))).toEqual([])
  expect(problemsWith("Response", response)).toEqual([])
  expect(response.status).toBe("completed")
  expect(response.output.length).toBeGreaterThan(0)
  for (const tool of response.tools) expect(Object.keys(tool)).toEqual(expect.arrayContaining(["strict", "parameters"]))
}

const created = async (body: object): Promise<Json> => {
  const answered = await post("/responses", { model, ...body })
  expect(answered.status).toBe(200)
  const response = await answered.json()
  expectResponse(response)
  return response
}

/** Every event of a stream: numbered, and whole at its end. */
const expectEvents = (events: ReadonlyArray<Json>) => {
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
  expect(events.at(-1)?.type).toBe("response.completed")
  expectResponse(events.at(-1)?.response)
}

const user = (content: unknown) => ({ type: "message", role: "user", content })
const notFound = { type: "error", status: 400, error: { code: "previous_response_not_found" } }

const weather = {
  type: "function",
  name: "get_weather",
  description: "The weather of a place",
  parameters: { type: "object", properties: { location: { type: "string" } }, required: ["location"] }
}

// Four red pixels.
const picture =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=="

describe("a response", () => {
  it("basic-response", async () => {
    await created({ input: [user("Greet me in three words.")] })
  })

  it("system-prompt", async () => {
    await created({ input: [{ type: "message", role: "system", content: "Talk like a sailor." }, user("Greet me.")] })
  })

  it("multi-turn", async () => {
    await created({
      input: [user("I am Alice."), { type: "message", role: "assistant", content: "Hello Alice!" }, user("Who am I?")]
    })
  })

  it("assistant-phase", async () => {
    const said = (phase: string, content: string) => ({ type: "message", role: "assistant", phase, content })
    await created({
      input: [said("commentary", "I should say the number."), said("final_answer", "Four."), user("The number?")]
    })
  })

  it("response-output-phase-schema", async () => {
    const response = await created({ input: "Hello" })
    const output = response.output.map((item: Json) => ({ ...item, phase: "final_answer" }))
    expect(problemsWith("Response", { ...response, output })).toEqual([])
  })

  it("tool-calling", async () => {
    const response = await created({ input: [user("What is the weather in San Francisco?")], tools: [weather] })
    expect(response.output.map(({ type }: Json) => type)).toContain("function_call")
  })

  it("image-input", async () => {
    await created({
      input: [
        user([
          { type: "input_text", text: "What is this?" },
          { type: "input_image", image_url: picture }
        ])
      ]
    })
  })

  it("streaming-response", async () => {
    const answered = await post("/responses", { model, input: [user("Count to five.")], stream: true })
    expect(answered.headers.get("content-type")).toContain("text/event-stream")
    const blocks = (await answered.text()).split("\n\n").filter((block) => block.startsWith("event: "))
    const events = blocks.map((block) => {
      const [name = "", data = ""] = block.split("\n")
      const event = JSON.parse(data.slice("data: ".length))
      expect(name).toBe(`event: ${event.type}`)
      return event
    })
    expectEvents(events)
  })
})

describe("compaction", () => {
  const input = [
    user("We agreed to launch on Tuesday and tell support first."),
    { type: "message", role: "assistant", content: "Understood: Tuesday, and support hears of it before." }
  ]

  it("compact-response", async () => {
    const answered = await post("/responses/compact", { model, prompt_cache_key: "suite", input })
    expect(answered.status).toBe(200)
    const compacted: Json = await answered.json()
    expect(problemsWith("ResponsesCompacted", compacted)).toEqual([])
    expect(compacted.output.map(({ type }: Json) => type)).toEqual(["message", "compaction"])
    for (const item of compacted.output) expect(item.id).toEqual(expect.any(String))
  })

  it("compact-missing-model", async () => {
    expect((await post("/responses/compact", { input })).status).toBe(400)
  })

  it("websocket-compact-new-chain", async () => {
    const compacted: Json = await (await post("/responses/compact", { model, input })).json()
    const { answer, send, ws } = await connect(gateway.url, gateway.key)
    send({ store: false, input: [...compacted.output, user("When do we launch?")] })
    expectEvents(await answer())
    ws.close()
  })
})

describe("a WebSocket", () => {
  it("websocket-response", async () => {
    const { answer, send, ws } = await connect(gateway.url, gateway.key)
    send({ input: [user("Count to three.")] })
    expectEvents(await answer())
    ws.close()
  })

  it("websocket-sequential-responses", async () => {
    const { answer, send, ws } = await connect(gateway.url, gateway.key)
    for (const input of ["Say: first", "Say: second"]) {
      send({ store: false, input })
      expectEvents(await answer())
    }
    ws.close()
  })

  it("websocket-continuation", async () => {
    const { answer, ask, send, ws } = await connect(gateway.url, gateway.key)
    const { response } = await ask({ store: false, input: "The word is cobalt." })
    send({ store: false, previous_response_id: response.id, input: "Which word?" })
    expectEvents(await answer())
    ws.close()
  })

  it("websocket-reconnect-store-false-recovery", async () => {
    const first = await connect(gateway.url, gateway.key)
    const { response } = await first.ask({ store: false, input: "The word is copper." })
    first.ws.close()
    const { answer, ask, send, ws } = await connect(gateway.url, gateway.key)
    expect(await ask({ store: false, previous_response_id: response.id, input: "Which?" })).toMatchObject(notFound)
    send({ store: false, input: [user("Anew.")] })
    expectEvents(await answer())
    ws.close()
  })

  it("websocket-previous-response-not-found", async () => {
    const { ask, ws } = await connect(gateway.url, gateway.key)
    expect(await ask({ store: false, previous_response_id: "resp_missing", input: "?" })).toMatchObject(notFound)
    ws.close()
  })

  it("websocket-failed-continuation-evicts-cache", async () => {
    const { ask, ws } = await connect(gateway.url, gateway.key)
    const { response } = await ask({ store: false, input: "The word is ember." })
    const continued = { store: false, previous_response_id: response.id }
    const orphan = { type: "function_call_output", call_id: "call_nobody", output: "?" }
    expect(await ask({ ...continued, input: [orphan] })).toMatchObject({ type: "error", status: 400 })
    expect(await ask({ ...continued, input: "Which word?" })).toMatchObject(notFound)
    ws.close()
  })
})
