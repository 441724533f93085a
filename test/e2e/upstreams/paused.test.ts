import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { anthropic as dialect } from "../../upstreams/fakes/anthropic.ts"
import type { Asked } from "../../upstreams/fakes/fakeUpstream.ts"
import type { World } from "./world.ts"
import { models, startWorld } from "./world.ts"

const model = models["anthropic-messages"]

/** How often an answer pauses, and what it tells of its usage. */
let pauses = 2
let isTold = true
let isBroken = false

const search = (round: number): ReadonlyArray<JsonObject> => [
  { type: "text", text: `Looking ${round}. ` },
  { type: "server_tool_use", id: `srvtoolu_${round}`, name: "web_search", input: { query: `hello ${round}` } },
  {
    type: "web_search_tool_result",
    tool_use_id: `srvtoolu_${round}`,
    content: [
      { type: "web_search_result", url: "https://e.com", title: "E", encrypted_content: `Eo8${round}`, page_age: null }
    ]
  }
]

const said = (body: Asked["body"]): ReadonlyArray<JsonObject> =>
  body.messages.at(-1).role === "assistant" ? body.messages.at(-1).content : []

const answer = ({ body }: Asked): Response => {
  const rounds = said(body).filter(({ type }) => type === "server_tool_use").length
  if (isBroken && rounds > 0) return Response.json(dialect.error(400, "no more"), { status: 400 })
  const isPaused = rounds < pauses
  const content = isPaused ? search(rounds) : [{ type: "text", text: "Found." }]
  const usage = {
    input_tokens: 100,
    output_tokens: 10,
    cache_read_input_tokens: 1,
    server_tool_use: { web_search_requests: isPaused ? 1 : 0 }
  }
  const message = {
    id: `msg_${rounds}`,
    type: "message",
    role: "assistant",
    model: body.model,
    content,
    stop_reason: isPaused ? "pause_turn" : "end_turn",
    stop_sequence: null,
    ...(isTold && { usage })
  }
  if (body.stream !== true) return Response.json(message)
  const frames: ReadonlyArray<JsonObject> = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    ...content.flatMap((block, index): ReadonlyArray<JsonObject> => {
      const { input, text, type, ...rest } = block
      const start = {
        ...rest,
        type,
        ...(text === undefined ? {} : { text: "" }),
        ...(input === undefined ? {} : { input: {} })
      }
      const delta =
        text === undefined
          ? { type: "input_json_delta", partial_json: JSON.stringify(input) }
          : { type: "text_delta", text }
      return [
        { type: "content_block_start", index, content_block: start },
        ...(text === undefined && input === undefined ? [] : [{ type: "content_block_delta", index, delta }]),
        { type: "content_block_stop", index }
      ]
    }),
    {
      type: "message_delta",
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      ...(isTold && { usage })
    },
    { type: "message_stop" }
  ]
  return new Response(
    frames.map((frame) => `event: ${String(frame["type"])}\ndata: ${JSON.stringify(frame)}\n\n`).join(""),
    {
      headers: { "content-type": "text/event-stream" }
    }
  )
}

let world: World
beforeAll(async () => {
  world = await startWorld({ fake: { strict: false, answer } })
})
afterAll(() => world.dispose())

const asked = () => world.fakes["anthropic-messages"].asked
const respond = (stream: boolean, more: object = {}) => {
  const body = {
    model,
    input: "What is new?",
    tools: [{ type: "web_search" as const }],
    max_output_tokens: 1000,
    ...more
  }
  return stream ? world.openai.responses.stream(body).finalResponse() : world.openai.responses.create(body)
}

describe("an answer that Anthropic pauses", () => {
  it.each([false, true])("is one response, with what all its rounds used, streamed: %s", async (stream) => {
    pauses = 2
    const before = asked().length
    const { output, output_text, status, usage } = await respond(stream)
    expect(status).toBe("completed")
    expect(output_text).toBe("Looking 0. Looking 1. Found.")
    expect(output.filter(({ type }) => type === "web_search_call")).toHaveLength(2)
    expect(usage).toMatchObject({ input_tokens: 303, input_tokens_details: { cached_tokens: 3 }, output_tokens: 30 })
    const rounds = asked().slice(before)
    expect(rounds.map(({ body }) => body.max_tokens)).toEqual([1000, 990, 980])
    expect(said(rounds[2]?.body)).toEqual([...search(0), ...search(1)])
    expect(rounds[2]?.body.messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant"])
  })

  it.each([false, true])("is one chat completion, streamed: %s", async (stream) => {
    pauses = 1
    const body = { model, messages: [{ role: "user" as const, content: "What is new?" }], web_search_options: {} }
    const completion = stream
      ? await world.openai.chat.completions
          .stream({ ...body, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await world.openai.chat.completions.create(body)
    expect(completion.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "Looking 0. Found." } })
    expect(completion.usage).toMatchObject({ prompt_tokens: 202, completion_tokens: 20 })
  })

  it("is paused for those whose dialect says so", async () => {
    pauses = 1
    const before = asked().length
    const message = await world.anthropic.messages.create({
      model,
      max_tokens: 1000,
      messages: [{ role: "user", content: "What is new?" }],
      tools: [{ type: "web_search_20250305", name: "web_search" }]
    })
    expect(message.stop_reason).toBe("pause_turn")
    expect(asked()).toHaveLength(before + 1)
  })

  it("is gone on with eight times, and within the caller's bound", async () => {
    pauses = 1_000
    let before = asked().length
    await respond(false)
    expect(asked()).toHaveLength(before + 8)
    before = asked().length
    await respond(false, { max_output_tokens: 25 })
    expect(
      asked()
        .slice(before)
        .map(({ body }) => body.max_tokens)
    ).toEqual([25, 15, 5])
  })

  it("is counted here where a round tells no usage", async () => {
    pauses = 1
    isTold = false
    const { usage } = await respond(false)
    isTold = true
    expect(usage?.output_tokens).toBeGreaterThan(2)
    expect(usage?.input_tokens).toBeGreaterThan(2)
  })

  it("fails where the rest is refused", async () => {
    pauses = 1
    isBroken = true
    const failed = await respond(true).catch((error: unknown) => error)
    isBroken = false
    expect(JSON.stringify(failed) + String(failed)).toMatch(/no more|failed/)
  })
})
