import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { request } from "../../request.ts"
import type { World } from "./world.ts"
import { models, startWorld } from "./world.ts"

/** A server of responses that reports its items by their events alone: the last one has `output: []`. */
let world: World
beforeAll(async () => {
  world = await startWorld({ fake: { strict: false, answer: ({ path }) => answer(path) } })
})
afterAll(() => world.dispose())

type Ending = "completed" | "incomplete" | "failed" | "none"
let ending: Ending = "completed"

const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: "{}", status: "completed" }
const text = { type: "output_text", text: "Hi", annotations: [], logprobs: [] }
const message = { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [text] }

const failure: Partial<Record<Ending, object>> = { failed: { code: "server_error", message: "no" } }

const answer = (path: string): Response | undefined => {
  if (path !== "/v1/responses") return undefined
  const response = { id: "resp_1", object: "response", created_at: 1, model: "m", output: [] }
  const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 }
  const item = (at: number, item: object) => [
    { type: "response.output_item.added", output_index: at, item: { ...item, status: "in_progress", content: [] } },
    { type: "response.output_item.done", output_index: at, item }
  ]
  const frames: ReadonlyArray<object> = [
    { type: "response.created", response: { ...response, status: "in_progress" } },
    ...item(0, message),
    ...item(1, call),
    ...(ending === "none"
      ? []
      : [
          {
            type: `response.${ending}`,
            response: { ...response, status: ending, usage, error: failure[ending] ?? null }
          }
        ])
  ]
  const written = frames.map((frame, sequence_number) =>
    Buffer.from(`data: ${JSON.stringify({ ...frame, sequence_number })}\n\n`)
  )
  const isHeard = heard.promise
  return new Response(
    new ReadableStream({
      async start(controller) {
        for (const frame of written.slice(0, 5)) controller.enqueue(frame)
        if (ending === "failed" || ending === "none") await isHeard
        for (const frame of written.slice(5)) controller.enqueue(frame)
        controller.close()
      }
    }),
    { headers: { "content-type": "text/event-stream" } }
  )
}

/** Resolved once the client has the first bytes of an answer, so that a failure comes after them. */
let heard = Promise.withResolvers<void>()

const ask = async (body: object) => {
  heard = Promise.withResolvers()
  const response = await request(world.gateway, "/v1/responses", {
    body: { model: models["openai-responses"], input: "Hello", ...body }
  })
  const decoder = new TextDecoder()
  let said = ""
  for await (const bytes of response.body ?? []) {
    said += decoder.decode(bytes, { stream: true })
    heard.resolve()
  }
  const last = said.includes("event: ") ? said.split("\n").findLast((line) => line.startsWith("data: ")) : undefined
  return last === undefined ? JSON.parse(said) : JSON.parse(last.slice(6)).response
}

const items = [
  { type: "message", content: [{ text: "Hi" }] },
  { type: "function_call", name: "f" }
]

describe.each(["completed", "incomplete"] as const)("a response that is %s", (how) => {
  it.each([false, true])("has its items, and is kept and gone on with, streamed: %s", async (stream) => {
    ending = how
    const response = await ask({ stream })
    expect(response).toMatchObject({ status: how, output: items })
    const kept = await (await request(world.gateway, `/v1/responses/${response.id}`)).json()
    expect(kept.output).toMatchObject(items)
    const input = [{ type: "function_call_output", call_id: "call_1", output: "done" }]
    await ask({ stream, previous_response_id: response.id, input })
    expect(world.asked("openai-responses").body.input).toMatchObject([{ role: "user" }, ...items, { output: "done" }])
  })
})

it.each(["failed", "none"] as const)("a streamed response that ends with %s has the items so far", async (how) => {
  ending = how
  const response = await ask({ stream: true })
  expect(response).toMatchObject({ status: "failed", output: items })
  const kept = await (await request(world.gateway, `/v1/responses/${response.id}`)).json()
  expect(kept).toMatchObject({ status: "failed", output: items })
})

it.each([false, true])("clients of other dialects read them once, streamed: %s", async (stream) => {
  ending = "completed"
  const model = models["openai-responses"]
  const messages = [{ role: "user" as const, content: "Hello" }]
  const { content } = stream
    ? await world.anthropic.messages.stream({ model, max_tokens: 9, messages }).finalMessage()
    : await world.anthropic.messages.create({ model, max_tokens: 9, messages })
  expect(content).toMatchObject([
    { type: "text", text: "Hi" },
    { type: "tool_use", name: "f" }
  ])
})
