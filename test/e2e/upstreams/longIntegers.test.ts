import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { framesOf, wholeOf } from "../../agents/upstream/frames.ts"
import type { Step } from "../../agents/upstream/plan.ts"
import { dialects } from "../../upstreams/fakes/fakeUpstream.ts"
import type { Asked, DialectName } from "../../upstreams/fakes/fakeUpstream.ts"
import type { World } from "./world.ts"
import { models, protocols, startWorld } from "./world.ts"
import { request } from "../../request.ts"

let world: World
beforeAll(async () => {
  world = await startWorld({ fake: { answer: calling } })
})
afterAll(() => world.dispose())

/** Placeholders that are replaced by the integers in JSON text. */
const places = ["@0", "@1", "@2", "@3"] as const
const values = { id: places[0], list: [places[1], 7], deep: { at: places[2] } }

/** Each integer in the place of its mark, within a JSON text and within JSON in a text. */
const filled = (json: unknown, integers: ReadonlyArray<string>): string =>
  places.reduce(
    (text, place, index) =>
      text.replaceAll(`"${place}"`, integers[index]!).replaceAll(`\\"${place}\\"`, integers[index]!),
    JSON.stringify(json)
  )

const random = (): string => {
  const digits = Array.from({ length: 15 + Math.floor(Math.random() * 50) }, () => Math.floor(Math.random() * 10))
  return `${Math.random() < 0.5 ? "-" : ""}${1 + Math.floor(Math.random() * 9)}${digits.join("")}`
}
const randoms = () => places.map(random)

/** Integers in the upstreams' tool calls. */
let answered = randoms()

const step: Step = { type: "call", turn: 1, name: "look", isCustom: false, input: JSON.stringify(values) }

const calling = ({ body, path }: Asked): Response => {
  const name = protocols.find((protocol) => dialects[protocol].path === path)!
  const frames = framesOf[name](step, body.model, false)
  const headers = { "content-type": body.stream === true ? "text/event-stream" : "application/json" }
  if (body.stream !== true) return new Response(filled(wholeOf[name](frames, step), answered), { headers })
  const { end, named } = dialects[name]
  const events = frames.map(
    (frame) => `${named ? `event: ${String(frame["type"])}\n` : ""}data: ${filled(frame, answered)}\n\n`
  )
  return new Response(events.join("") + end, { headers })
}

const schema = { type: "object", properties: { id: { type: "integer", maximum: places[3] } } }
const called = JSON.stringify(values)

/** A conversation in which the tool was called before. */
const families = {
  messages: {
    path: "/v1/messages",
    body: (model: string, text: string) => ({
      model,
      max_tokens: 1_000,
      tools: [{ name: "look", input_schema: schema }],
      messages: [
        { role: "user", content: text },
        { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "look", input: values }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "seen" }] }
      ]
    })
  },
  responses: {
    path: "/v1/responses",
    body: (model: string, text: string) => ({
      model,
      tools: [{ type: "function", name: "look", parameters: schema, strict: false }],
      input: [
        { role: "user", content: text },
        { type: "function_call", call_id: "call_0", name: "look", arguments: called },
        { type: "function_call_output", call_id: "call_0", output: "seen" }
      ]
    })
  },
  chat: {
    path: "/v1/chat/completions",
    body: (model: string, text: string) => ({
      model,
      tools: [{ type: "function", function: { name: "look", parameters: schema } }],
      messages: [
        { role: "user", content: text },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "call_0", type: "function", function: { name: "look", arguments: called } }]
        },
        { role: "tool", tool_call_id: "call_0", content: "seen" }
      ]
    })
  }
} as const
type Family = keyof typeof families

const ask = (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
  request(world.gateway, path, { method, body, headers })

/** JSON with its texts as they are read: pieces of arguments add up. */
const piecesIn = (stream: string): string =>
  [...stream.matchAll(/"(?:partial_json|arguments)":\s*"((?:[^"\\]|\\.)*)"/g)].map(([, piece]) => piece).join("")

const expectAll = (text: string, integers: ReadonlyArray<string>) => {
  for (const integer of integers) expect(text).toContain(integer)
}

const cases = (["messages", "responses", "chat"] as const).flatMap((family) =>
  protocols.flatMap((protocol) => [true, false].flatMap((stream) => [[family, protocol, stream]] as const))
)

const pairing = async (family: Family, protocol: DialectName, stream: boolean, text: string, more: object = {}) => {
  const asked = randoms()
  answered = randoms()
  const { body, path } = families[family]
  const response = await ask("POST", path, filled({ ...body(models[protocol], text), stream, ...more }, asked))
  const answer = await response.text()
  expect([response.status, response.status === 200 ? "" : answer]).toEqual([200, ""])
  expectAll(world.asked(protocol).text, asked)
  return { answer, asked }
}

describe.each(cases)("%s at %s, streamed: %s", (family, protocol, stream) => {
  it.each([
    ["a short body", "Look"],
    ["a long body", "Look ".repeat(2_000)]
  ])("has the integers of tools digit by digit, both ways, in %s", async (_, text) => {
    for (let run = 0; run < 5; run++) {
      const { answer } = await pairing(family, protocol, stream, text)
      expectAll(stream ? piecesIn(answer) : answer, answered.slice(0, 3))
    }
  })
})

const until = async (path: string, isOver: (text: string) => boolean): Promise<string> => {
  for (;;) {
    const text = await (await ask("GET", path)).text()
    if (isOver(text)) return text
    expect(text).not.toContain('"failed"')
    await Bun.sleep(5)
  }
}

describe.each(protocols)("what is kept of an answer of %s", (protocol) => {
  it.each([true, false])("a response, read back and continued, streamed: %s", async (stream) => {
    const { answer, asked } = await pairing("responses", protocol, stream, "Look")
    const id = /"id":\s*"(resp_\w+)"/.exec(answer)![1]!
    const told = answered.slice(0, 3)
    const read = await (await ask("GET", `/v1/responses/${id}`)).text()
    // The tools are told back too.
    expectAll(read, [...told, asked[3]!])
    expectAll(await (await ask("GET", `/v1/responses/${id}?stream=true`)).text(), told)
    expectAll(await (await ask("GET", `/v1/responses/${id}/input_items`)).text(), asked.slice(0, 3))
    const callId = /"call_id":\s*"(\w+)"/.exec(read)![1]!
    const output = { type: "function_call_output", call_id: callId, output: "seen" }
    const next = { model: models[protocol], previous_response_id: id, input: [output] }
    expect((await ask("POST", "/v1/responses", JSON.stringify(next))).status).toBe(200)
    expectAll(world.asked(protocol).text, [...asked.slice(0, 3), ...told])
  })

  it.each([true, false])("a background response, streamed: %s", async (stream) => {
    const asked = randoms()
    answered = randoms()
    const body = filled({ ...families.responses.body(models[protocol], "Look"), background: true, stream }, asked)
    const answer = await (await ask("POST", "/v1/responses", body)).text()
    const id = /"id":\s*"(resp_\w+)"/.exec(answer)![1]!
    expectAll(await until(`/v1/responses/${id}`, (text) => text.includes('"completed"')), answered.slice(0, 3))
    expectAll(world.asked(protocol).text, asked)
  })

  it("a thread", async () => {
    const { answer, asked } = await pairing("messages", protocol, false, "Look", { thread: { type: "create" } })
    const { content, id } = JSON.parse(answer)
    const result = { type: "tool_result", tool_use_id: content.at(-1).id, content: "seen" }
    const next = {
      model: models[protocol],
      max_tokens: 1_000,
      messages: [{ role: "user", content: [result] }],
      thread: { type: "continue", previous_message_id: id }
    }
    const told = answered.slice(0, 3)
    expect((await ask("POST", "/v1/messages", JSON.stringify(next))).status).toBe(200)
    expectAll(world.asked(protocol).text, [...asked, ...told])
  })

  it("an async message", async () => {
    const asked = randoms()
    answered = randoms()
    const body = filled({ ...families.messages.body(models[protocol], "Look"), async: true }, asked)
    const { id } = await (await ask("POST", "/v1/messages", body)).json()
    expectAll(await until(`/v1/tasks/${id}`, (text) => text.includes('"success"')), answered.slice(0, 3))
    expectAll(world.asked(protocol).text, asked)
  })

  it("an answer that is given once more for its Idempotency-Key", async () => {
    answered = randoms()
    const body = filled(families.messages.body(models[protocol], "Look"), randoms())
    const key = { "idempotency-key": `once-${crypto.randomUUID()}` }
    const first = await (await ask("POST", "/v1/messages", body, key)).text()
    expectAll(first, answered.slice(0, 3))
    expect(await (await ask("POST", "/v1/messages", body, key)).text()).toBe(first)
  })
})
