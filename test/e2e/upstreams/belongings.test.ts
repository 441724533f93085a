import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Asked } from "../../upstreams/fakes/fakeUpstream.ts"
import type { World } from "./world.ts"
import { models, startWorld, usualYaml } from "./world.ts"
import { request } from "../../request.ts"

const keys = { ada: "ada-key-0123456789abcdefghijklmn", bob: "bob-key-0123456789abcdefghijklmn" }
type Who = keyof typeof keys

const responses = models["openai-responses"]
const messages = models["anthropic-messages"]
const chat = models["openai-chat"]

/** Answers like an upstream that runs code; refuses requests with `play:refused`. */
const answer = ({ body, path }: Asked): Response | undefined => {
  const text = JSON.stringify(body)
  if (text.includes("play:refused")) return Response.json({ error: { message: "no such file" } }, { status: 400 })
  const given = /give:(\w+)/.exec(text)?.[1]
  if (given === undefined) return undefined
  return path.endsWith("/messages") ? messageWith(given, body) : responseWith(given)
}

const responseWith = (id: string) =>
  Response.json({
    id: "resp_up",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "gpt-5.1",
    output: [
      { type: "code_interpreter_call", id: "ci_1", status: "completed", container_id: id, code: "1", outputs: null },
      {
        type: "message",
        id: "msg_1",
        status: "completed",
        role: "assistant",
        content: [
          {
            type: "output_text",
            text: "done",
            annotations: [
              { type: "container_file_citation", container_id: id, file_id: `file_${id}`, start_index: 0, end_index: 1 }
            ]
          }
        ]
      }
    ],
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
  })

const messageWith = (id: string, { stream }: { stream?: boolean }) => {
  const container = { id, expires_at: "2027-01-01T00:00:00Z" }
  const message = {
    id: "msg_up",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 }
  }
  const block = { type: "code_execution_tool_result", tool_use_id: "srvtoolu_1", content: { file_id: `file_${id}` } }
  if (stream !== true) return Response.json({ ...message, content: [block], stop_reason: "end_turn", container })
  const frames = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null, container },
      usage: { output_tokens: 5 }
    },
    { type: "message_stop" }
  ]
  return new Response(frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" }
  })
}

let world: World
beforeAll(async () => {
  world = await startWorld({
    fake: { strict: false, answer },
    yaml: (urls) => {
      const usual = JSON.parse(usualYaml(urls))
      usual.upstreams["up-openai-responses"].shared_ids = ["pmpt_shared*"]
      return JSON.stringify({
        ...usual,
        keys: Object.entries(keys).map(([name, secret]) => ({ name, secret, account: name }))
      })
    }
  })
})
afterAll(() => world.dispose())

const post = async (who: Who, path: string, body: object) => {
  const response = await request(world.gateway, path, { body, key: keys[who] })
  const text = await response.text()
  return { status: response.status, text, error: () => JSON.parse(text).error }
}

const respond = (who: Who, body: object) =>
  post(who, "/v1/responses", { model: responses, input: "play:text", ...body })
const write = (who: Who, body: object) =>
  post(who, "/v1/messages", {
    model: messages,
    max_tokens: 100,
    messages: [{ role: "user", content: "play:text" }],
    ...body
  })

const code = (container: unknown) => ({ tools: [{ type: "code_interpreter", container }] })
const withFile = (file_id: string) => ({ input: [{ role: "user", content: [{ type: "input_file", file_id }] }] })
const running = { tools: [{ type: "code_execution_20250825", name: "code_execution" }] }
const asksFor = (id: string) => ({ messages: [{ role: "user", content: `give:${id}` }] })

const askedOf = () => Object.values(world.fakes).reduce((sum, { asked }) => sum + asked.length, 0)

/** Looks like an unknown id to the account; no upstream is asked for it. */
const refused = async (call: Promise<{ status: number; error: () => { message: string; param?: string } }>) => {
  const before = askedOf()
  const answered = await call
  expect(answered.status).toBe(404)
  expect(askedOf()).toBe(before)
  return answered.error()
}

describe("what an answer gave to an account", () => {
  it("is a container and a file that open for that account alone, in responses", async () => {
    expect((await respond("ada", { ...code({ type: "auto" }), input: "give:cntr_a" })).status).toBe(200)
    expect(await refused(respond("bob", code("cntr_a")))).toMatchObject({
      param: "container",
      message: 'container: nothing of this account\'s has the id "cntr_a"'
    })
    await refused(respond("bob", code({ type: "auto", file_ids: ["file_cntr_a"] })))
    await refused(respond("bob", withFile("file_cntr_a")))
    expect((await respond("ada", code("cntr_a"))).status).toBe(200)
    expect((await respond("ada", withFile("file_cntr_a"))).status).toBe(200)
  })

  it("stays with it whatever another's answer names", async () => {
    expect((await respond("ada", { ...code({ type: "auto" }), input: "give:cntr_first" })).status).toBe(200)
    expect((await respond("bob", { ...code({ type: "auto" }), input: "give:cntr_first" })).status).toBe(200)
    await refused(respond("bob", code("cntr_first")))
    expect((await respond("ada", code("cntr_first"))).status).toBe(200)
  })

  it.each([false, true])(
    "is a container and a file that open for that account alone, in messages (stream: %s)",
    async (stream) => {
      const id = `container_${stream}`
      expect((await write("ada", { ...running, ...asksFor(id), stream })).status).toBe(200)
      const error = await refused(write("bob", { ...running, container: id }))
      expect(error).toMatchObject({ type: "invalid_request_error" })
      await refused(write("bob", { ...running, container: { id, skills: [] } }))
      const upload = { messages: [{ role: "user", content: [{ type: "container_upload", file_id: `file_${id}` }] }] }
      await refused(write("bob", upload))
      await refused(post("bob", "/v1/messages/count_tokens", { model: messages, ...upload }))
      expect((await write("ada", { ...running, container: id })).status).toBe(200)
      expect((await write("ada", upload)).status).toBe(200)
    }
  )

  it("stays so where the upstream is asked in another dialect, and in chat", async () => {
    const parts = (file_id: string) => ({
      model: chat,
      messages: [
        {
          role: "user",
          content: [
            { type: "file", file: { file_id } },
            { type: "text", text: "play:text" }
          ]
        }
      ]
    })
    expect((await post("ada", "/v1/chat/completions", parts("file_chat"))).status).toBe(200)
    await refused(post("bob", "/v1/chat/completions", parts("file_chat")))
  })

  it("is a 400 for every account where a translation can't name it", async () => {
    for (const who of ["ada", "bob"] as const) {
      expect((await respond(who, { model: chat, ...withFile("file_chat") })).status).toBe(400)
    }
  })
})

describe("an unknown id", () => {
  it("is whose request names it first and is accepted", async () => {
    const named = withFile("file_new").input[0]!
    const refusedThere = { input: [named, { role: "user", content: "play:refused" }] }
    expect((await respond("bob", refusedThere)).status).toBe(400)
    expect((await respond("ada", withFile("file_new"))).status).toBe(200)
    await refused(respond("bob", withFile("file_new")))
    expect((await respond("ada", withFile("file_new"))).status).toBe(200)
  })

  it("may be used by all accounts if the operator says so", async () => {
    const prompt = { model: responses, prompt: { id: "pmpt_shared_1", variables: { name: "x" } } }
    for (const who of ["ada", "bob"] as const) expect((await post(who, "/v1/responses", prompt)).status).toBe(200)
    expect(world.asked("openai-responses").body.prompt).toEqual(prompt.prompt)
  })
})

describe("conversations and prompts of an upstream", () => {
  it.each([
    ["conversation", { conversation: "conv_1" }],
    ["conversation", { conversation: { id: "conv_2" } }],
    ["prompt", { prompt: { id: "pmpt_1", version: "2" } }]
  ])("go on to it, for one account (%s)", async (param, field) => {
    expect((await respond("ada", field)).status).toBe(200)
    expect(world.asked("openai-responses").body).toMatchObject(field)
    expect(await refused(respond("bob", field))).toMatchObject({ param })
  })

  it.each([
    [
      "conversation",
      { conversation: "conv_1" },
      "conversation: expected the id of one that was made here, by POST /v1/conversations"
    ],
    ["prompt", { prompt: { id: "pmpt_1" } }, "prompt: is not supported; send instructions and input"]
  ])("are a 400 elsewhere (%s)", async (param, field, message) => {
    for (const model of [messages, chat, "sandbox-text"]) {
      const answered = await respond("ada", { ...field, model })
      expect(answered.status).toBe(400)
      expect(answered.error()).toMatchObject({ param, message })
    }
  })

  it("are not had beside a response that is continued", async () => {
    const first = await respond("ada", { input: "play:text" })
    const { id } = JSON.parse(first.text)
    const answered = await respond("ada", { conversation: "conv_1", previous_response_id: id })
    expect(answered.status).toBe(400)
    expect(answered.error()).toMatchObject({ param: "previous_response_id" })
  })
})
