import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { request } from "../../request.ts"
import type { Asked } from "../../upstreams/fakes/fakeUpstream.ts"
import type { World } from "./world.ts"
import { startWorld } from "./world.ts"

/** OpenAI's two dialects have `verbosity`, `service_tier` and log probabilities under names of their own. */
let world: World
beforeAll(async () => {
  world = await startWorld({
    fake: { strict: false, answer },
    yaml: (urls) =>
      JSON.stringify({
        upstreams: {
          responses: { protocol: "openai-responses", base_url: `${urls["openai-responses"]}/v1` },
          chat: { protocol: "openai-chat", base_url: `${urls["openai-chat"]}/v1`, provider: "openai" },
          mistral: { protocol: "openai-chat", base_url: `${urls["openai-chat"]}/v1`, provider: "mistral" },
          messages: { protocol: "anthropic-messages", base_url: `${urls["anthropic-messages"]}/v1` }
        },
        models: Object.fromEntries(
          ["responses", "chat", "mistral", "messages"].flatMap((upstream) =>
            ["gpt-5.1", "gpt-4o"].map((model) => [`${upstream}/${model}`, { routes: [{ upstream, model }] }])
          )
        )
      })
  })
})
afterAll(() => world.dispose())

const token = (text: string) => ({ token: text, logprob: -0.5, bytes: [72], top_logprobs: [] })
const tokens = [token("H"), token("i")]
const head = { id: "c", object: "chat.completion", created: 1, model: "m", service_tier: "priority" }
const part = { type: "output_text", text: "Hi", annotations: [], logprobs: tokens }
const item = { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [part] }
const response = { id: "r", object: "response", created_at: 1, status: "completed", output: [item], model: "m" }

const stream = (frames: ReadonlyArray<object>, end = "") =>
  new Response(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("") + end, {
    headers: { "content-type": "text/event-stream" }
  })

const answer = ({ body, path }: Asked): Response | undefined => {
  if (path === "/v1/chat/completions") {
    const message = { role: "assistant", content: "Hi" }
    const choice = { index: 0, message, logprobs: { content: tokens }, finish_reason: "stop" }
    if (body.stream !== true) return Response.json({ ...head, choices: [choice] })
    const chunk = (text: string) => ({ index: 0, delta: { content: text }, logprobs: { content: [token(text)] } })
    return stream(
      [
        { ...head, choices: [chunk("H")] },
        { ...head, choices: [{ ...chunk("i"), finish_reason: "stop" }] }
      ],
      "data: [DONE]\n\n"
    )
  }
  if (path !== "/v1/responses") return undefined
  if (body.stream !== true) return Response.json({ ...response, service_tier: "priority" })
  const delta = (text: string) => ({
    type: "response.output_text.delta",
    output_index: 0,
    content_index: 0,
    delta: text,
    logprobs: [token(text)]
  })
  return stream([
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
    delta("H"),
    delta("i"),
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { ...response, service_tier: "priority" } }
  ])
}

const user = [{ role: "user" as const, content: "Hello" }]

const inChat = async (model: string, fields: object) => {
  const response = await request(world.gateway, "/v1/chat/completions", { body: { model, messages: user, ...fields } })
  return { answer: await response.json(), named: response.headers.get("x-gateway-adapted") }
}
const inResponses = async (model: string, fields: object) => {
  const response = await request(world.gateway, "/v1/responses", { body: { model, input: user, ...fields } })
  return { answer: await response.json(), named: response.headers.get("x-gateway-adapted") }
}

describe("from chat to responses", () => {
  it("verbosity and service_tier are told under their names there", async () => {
    const format = { type: "json_object" }
    const asked = { verbosity: "low", service_tier: "priority", response_format: format }
    const { answer, named } = await inChat("responses/gpt-5.1", asked)
    expect(world.asked("openai-responses").body).toMatchObject({
      text: { verbosity: "low", format },
      service_tier: "priority"
    })
    expect([named, answer.service_tier]).toEqual([null, "priority"])
  })

  it("log probabilities are asked for, and told, whole and streamed", async () => {
    const asked = { logprobs: true, top_logprobs: 3 }
    const { answer, named } = await inChat("responses/gpt-4o", asked)
    expect(world.asked("openai-responses").body).toMatchObject({
      top_logprobs: 3,
      include: ["message.output_text.logprobs"]
    })
    expect([named, answer.choices[0].logprobs]).toEqual([null, { content: tokens, refusal: null }])
    const chunks = await world.openai.chat.completions.create({
      model: "responses/gpt-4o",
      messages: user,
      stream: true,
      ...asked
    })
    const told = []
    const tiers = []
    for await (const { choices, service_tier } of chunks) {
      told.push(...(choices[0]?.logprobs?.content ?? []))
      if (service_tier !== undefined) tiers.push(service_tier)
    }
    expect([told, tiers]).toEqual([tokens, ["priority"]])
  })
})

describe("from responses to chat", () => {
  it("verbosity and service_tier are told under their names there", async () => {
    const asked = { text: { verbosity: "high" }, service_tier: "flex" }
    const { answer, named } = await inResponses("chat/gpt-5.1", asked)
    expect(world.asked("openai-chat").body).toMatchObject({ verbosity: "high", service_tier: "flex" })
    expect([named, answer.service_tier]).toEqual([null, "priority"])
  })

  it("log probabilities are asked for, told, whole and streamed, and kept", async () => {
    const asked = { include: ["message.output_text.logprobs" as const], top_logprobs: 2 }
    const { answer, named } = await inResponses("chat/gpt-4o", asked)
    expect(world.asked("openai-chat").body).toMatchObject({ logprobs: true, top_logprobs: 2 })
    expect([named, answer.output[0].content[0].logprobs]).toEqual([null, tokens])
    const kept = await (await request(world.gateway, `/v1/responses/${answer.id}`)).json()
    expect(kept.output[0].content[0].logprobs).toEqual(tokens)
    const events = await world.openai.responses.create({ model: "chat/gpt-4o", input: user, stream: true, ...asked })
    const told = []
    for await (const event of events) {
      if (event.type === "response.output_text.delta") told.push(...event.logprobs)
      if (event.type === "response.output_text.done") expect(event.logprobs).toEqual(tokens)
      if (event.type === "response.completed") expect(event.response.service_tier).toBe("priority")
    }
    expect(told).toEqual(tokens)
  })
})

it.each([
  ["responses/gpt-4o", { verbosity: "low" }, "verbosity"],
  ["responses/gpt-5.1", { logprobs: true }, "logprobs"],
  ["responses/gpt-4o", { logprobs: true, stop: "END" }, "logprobs"],
  ["messages/gpt-4o", { verbosity: "low", service_tier: "flex", logprobs: true }, "verbosity, logprobs, service_tier"]
] as const)("chat to %s, which has no place for %j, is named", async (model, fields, expected) => {
  expect((await inChat(model, fields)).named).toBe(expected)
})

it.each([
  ["mistral/gpt-4o", { text: { verbosity: "low" }, service_tier: "flex", top_logprobs: 1 }],
  ["messages/gpt-4o", { text: { verbosity: "low" }, service_tier: "flex", top_logprobs: 1 }]
] as const)("responses to %s, which has no place for %j, is named", async (model, fields) => {
  expect((await inResponses(model, fields)).named).toBe("text.verbosity, service_tier, top_logprobs")
  const sent = JSON.stringify(world.asked(model.startsWith("mistral") ? "openai-chat" : "anthropic-messages").body)
  expect(sent).not.toMatch(/verbosity|service_tier|logprobs/)
})
