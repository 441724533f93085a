import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { World } from "../../e2e/upstreams/world.ts"
import { startWorld } from "../../e2e/upstreams/world.ts"
import type { Asked } from "../../upstreams/fakes/fakeUpstream.ts"

let answers = 0
/** An upstream that has threads: each answer has an id of its own, and it forgets those it is told to. */
const remembers = ({ body, path }: Asked) => {
  if (path !== "/v1/messages" || body.thread === undefined) return undefined
  if (body.thread.previous_message_id !== undefined && JSON.stringify(body.messages).includes("forgotten")) {
    const error = { type: "not_found_error", message: "No thread", details: { error_code: "thread_not_found" } }
    return Response.json({ type: "error", error }, { status: 404 })
  }
  return Response.json({
    id: `msg_upstream${++answers}`,
    type: "message",
    role: "assistant",
    model: body.model,
    content: [{ type: "text", text: `answer ${answers}` }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 }
  })
}

let world: World
beforeAll(async () => {
  world = await startWorld({
    fake: { answer: remembers },
    yaml: (urls) =>
      JSON.stringify({
        upstreams: {
          first: { protocol: "anthropic-messages", base_url: `${urls["anthropic-messages"]}/v1`, threads: true },
          second: { protocol: "openai-chat", base_url: `${urls["openai-chat"]}/v1`, provider: "vllm" }
        },
        models: {
          native: { routes: [{ upstream: "first", model: "claude" }] },
          chat: { routes: [{ upstream: "second", model: "qwen" }] }
        }
      })
  })
})
afterAll(() => world.dispose())

const beta = "message-threads-2026-08-12"
const say = (model: string, content: string, thread: object, more: object = {}) =>
  world.anthropic.beta.messages.create({
    model,
    max_tokens: 100,
    messages: [{ role: "user", content }],
    thread,
    betas: [beta],
    ...more
  } as never) as unknown as Promise<{ readonly id: string }>
const after = (id: string) => ({ type: "continue", previous_message_id: id })

describe("an upstream that has threads", () => {
  it("is asked for them, and its ids are the caller's", async () => {
    const first = await say("native", "one", { type: "create" }, { system: "Be brief." })
    expect(first.id).toMatch(/^msg_upstream/)
    expect(world.asked("anthropic-messages")).toMatchObject({
      body: { thread: { type: "create" }, system: "Be brief." },
      headers: { "anthropic-beta": beta }
    })
    const second = await say("native", "two", after(first.id))
    const { body } = world.asked("anthropic-messages")
    expect(body).toMatchObject({ thread: after(first.id), messages: [{ role: "user", content: "two" }] })
    expect(body).not.toHaveProperty("system")
    // What the gateway remembers with it goes on anywhere.
    await say("chat", "three play:text", after(second.id))
    const elsewhere = JSON.stringify(world.asked("openai-chat").body)
    for (const text of ["Be brief.", "one", "answer", "two", "three"]) expect(elsewhere).toContain(text)
  })

  it("says itself what has become of one", async () => {
    const first = await say("native", "one", { type: "create" })
    await expect(say("native", "forgotten", after(first.id))).rejects.toMatchObject({
      status: 404,
      error: { error: { details: { error_code: "thread_not_found" } } }
    })
  })

  it("begins one of its own where another answered before", async () => {
    const first = await say("chat", "one play:text", { type: "create" }, { system: "Be brief." })
    await say("native", "two", after(first.id))
    expect(world.asked("anthropic-messages").body).toMatchObject({
      thread: { type: "create" },
      system: "Be brief.",
      messages: [{ content: "one play:text" }, { role: "assistant" }, { content: "two" }]
    })
  })

  it("opens nothing to who was not given its ids", async () => {
    await expect(say("native", "two", after("msg_upstream999"))).rejects.toMatchObject({ status: 404 })
  })
})
