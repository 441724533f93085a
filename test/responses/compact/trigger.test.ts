import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { World } from "../../e2e/upstreams/world.ts"
import { models, startWorld } from "../../e2e/upstreams/world.ts"
import { request } from "../../request.ts"
import { connect } from "../socket/connect.ts"

let world: World
beforeAll(async () => {
  world = await startWorld({ fake: { strict: false, answer } })
})
afterAll(() => world.dispose())

const theirs = { id: "cmp_theirs", type: "compaction", encrypted_content: "opaque" }

/** An upstream of the dialect that compacts itself, and tells Codex more by headers. */
const answer = ({ body, path }: { readonly body: { readonly input?: unknown }; readonly path: string }) => {
  const asked = JSON.stringify(body.input ?? "")
  if (path !== "/v1/responses" || !asked.includes("compaction_trigger")) return undefined
  const response = { id: "resp_1", object: "response", created_at: 1, status: "completed", output: [theirs] }
  return Response.json(response, { headers: { "x-codex-turn-state": "state-2", "x-reasoning-included": "true" } })
}

const trigger = { type: "compaction_trigger" }
const conversation = [
  { role: "user", content: "I am Ada. play:text" },
  { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
  { type: "function_call_output", call_id: "c1", output: "the tool's words" }
]
const tools = [{ type: "function", name: "look", parameters: {}, strict: false }]

const ask = async (body: object, headers: Readonly<Record<string, string>> = {}) => {
  const response = await request(world.gateway, "/v1/responses", { body: { store: false, tools, ...body }, headers })
  const text = await response.text()
  const frames = text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []))
  return { response, frames, answer: frames.length > 0 ? frames.at(-1).response : JSON.parse(text) }
}

describe.each([models["anthropic-messages"], models["openai-chat"], "sandbox-text"])("%s", (model) => {
  it.each([false, true])("answers a trigger with one compaction, streamed: %s", async (stream) => {
    const { answer, frames } = await ask({ model, stream, input: [...conversation, trigger] })
    expect(answer).toMatchObject({
      status: "completed",
      output: [{ type: "compaction", id: expect.stringMatching(/^cmp_/), encrypted_content: expect.any(String) }],
      usage: { total_tokens: expect.any(Number) }
    })
    if (stream) {
      expect(frames.map(({ type }) => type)).toEqual([
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.output_item.done",
        "response.completed"
      ])
      expect(frames.map(({ sequence_number }) => sequence_number)).toEqual([0, 1, 2, 3, 4])
    }
    const next = await ask({ model, input: [...answer.output, { role: "user", content: "play:text" }] })
    expect(next.answer.output[0].type).toBe("message")
  })

  it("refuses a trigger that is not the last item, or the only one", async () => {
    const early = await ask({ model, input: [trigger, ...conversation] })
    expect([early.response.status, early.answer.error.param]).toEqual([400, "input[0].type"])
    const alone = await ask({ model, input: [trigger] })
    expect([alone.response.status, alone.answer.error.param]).toEqual([400, "input"])
  })
})

it("asks the model for a summary, without the tools, and tells it the summary from then on", async () => {
  const model = models["openai-chat"]
  const { answer } = await ask({ model, input: [...conversation, trigger] })
  const sent = world.asked("openai-chat").body
  expect(sent.tools).toBeUndefined()
  expect(JSON.stringify(sent.messages)).toContain("Result: the tool's words")
  await ask({ model, input: [...answer.output, { role: "user", content: "play:text" }] })
  expect(JSON.stringify(world.asked("openai-chat").body)).toContain("Summary of the conversation so far")
})

it("is kept, and gone on with", async () => {
  const model = models["openai-chat"]
  for (const background of [false, true]) {
    const { answer } = await ask({ model, input: [...conversation, trigger], store: true, background })
    let kept = answer
    while (kept.status !== "completed") {
      kept = await (await request(world.gateway, `/v1/responses/${answer.id}`)).json()
      expect(["queued", "in_progress", "completed"]).toContain(kept.status)
    }
    expect(kept.output).toMatchObject([{ type: "compaction" }])
    const next = await ask({ model, previous_response_id: answer.id, input: "play:text" })
    expect(next.answer.output[0].type).toBe("message")
  }
})

it("fails where the model refuses to write a summary", async () => {
  const input = [{ role: "user", content: "[[sandbox: finish=refusal]]" }, trigger]
  const { frames } = await ask({ model: "sandbox-text", stream: true, input })
  expect(frames.map(({ type }) => type)).toEqual([
    "response.created",
    "response.in_progress",
    "error",
    "response.failed"
  ])
  expect(frames.at(-1).response).toMatchObject({ status: "failed", output: [] })
})

it("works on a WebSocket", async () => {
  const socket = await connect(world.gateway.url, world.gateway.key)
  socket.send({ model: "sandbox-text", input: [...conversation, trigger] })
  const events = await socket.answer()
  expect(events.at(-1)).toMatchObject({ type: "response.completed", response: { output: [{ type: "compaction" }] } })
  socket.ws.close()
})

it("passes to an upstream of the dialect, with the headers that Codex and its provider tell each other", async () => {
  const model = models["openai-responses"]
  const input = [...conversation, trigger]
  const { answer, response } = await ask({ model, input }, { "x-codex-turn-state": "state-1" })
  expect(answer.output).toMatchObject([theirs])
  expect(response.headers.get("x-codex-turn-state")).toBe("state-2")
  expect(response.headers.get("x-reasoning-included")).toBe("true")
  const asked = world.asked("openai-responses")
  expect(asked.body.input.at(-1)).toEqual(trigger)
  expect(asked.headers["x-codex-turn-state"]).toBe("state-1")
})
