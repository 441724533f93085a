import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI, { APIError } from "openai"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { request } from "../../request.ts"

const model = "sandbox-text"
const say = (content: string) => [{ role: "user" as const, content }]

describe("stored chat completions", () => {
  let gateway: GatewayHere
  let client: OpenAI
  beforeAll(async () => {
    gateway = await startGateway()
    client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
  })
  afterAll(() => gateway.dispose())

  const completions = () => client.chat.completions
  const status = (call: PromiseLike<unknown>) =>
    Promise.resolve(call).then(
      () => 200,
      (error) => (error instanceof APIError ? error.status : String(error))
    )
  /** Reads a stream to its end; the id of its chunks and the text. */
  const streamed = async (body: { readonly n?: number; readonly metadata?: Record<string, string> }) => {
    const stream = await completions().create({ model, messages: say("Hello"), store: true, stream: true, ...body })
    const [ids, texts] = [new Set<string>(), new Map<number, string>()]
    for await (const { choices, id } of stream) {
      ids.add(id)
      for (const { delta, index } of choices) texts.set(index, (texts.get(index) ?? "") + (delta.content ?? ""))
    }
    expect(ids.size).toBe(1)
    return { id: [...ids][0] ?? "", texts: [...texts.values()] }
  }

  it("are read, changed and deleted", async () => {
    const metadata = { topic: "demo" }
    const answered = await completions().create({ model, messages: say("Hello"), store: true, metadata })
    const { id } = answered
    expect(await completions().retrieve(id)).toEqual({ ...answered, metadata })
    expect(await completions().update(id, { metadata: { other: "x" } })).toEqual({
      ...answered,
      metadata: { other: "x" }
    })
    expect(await completions().update(id, { metadata: null })).toEqual({ ...answered, metadata: {} })
    expect(await completions().delete(id)).toEqual({ id, object: "chat.completion.deleted", deleted: true })
    expect(
      await Promise.all([
        status(completions().retrieve(id)),
        status(completions().update(id, { metadata: {} })),
        status(completions().delete(id)),
        status(completions().messages.list(id))
      ])
    ).toEqual([404, 404, 404, 404])
  })

  it("are those alone that asked for it", async () => {
    const { id } = await completions().create({ model, messages: say("Hello"), metadata: { topic: "none" } })
    expect(await status(completions().retrieve(id))).toBe(404)
  })

  it("of a stream and of several answers are whole", async () => {
    for (const body of [{}, { n: 2 }]) {
      const { id, texts } = await streamed(body)
      const { choices, usage } = await completions().retrieve(id)
      expect(choices.map(({ message }) => message.content)).toEqual(texts)
      expect(usage?.completion_tokens).toBeGreaterThan(0)
      const whole = await completions().create({ model, messages: say("Hello"), store: true, ...body })
      expect(await completions().retrieve(whole.id)).toEqual({ ...whole, metadata: {} })
    }
  })

  it("of a client that leaves are none", async () => {
    const asked = completions().create({
      model,
      messages: say("[[sandbox: pace=50ms tokens=1000]]"),
      store: true,
      stream: true
    })
    const { data: stream, response } = await asked.withResponse()
    let id = ""
    for await (const chunk of stream) {
      id = chunk.id
      break
    }
    stream.controller.abort()
    const row = `/v1/requests/${response.headers.get("x-request-id")}`
    await expect.poll(async () => (await request(gateway, row)).status, { timeout: 10_000 }).toBe(200)
    expect([id, await status(completions().retrieve(id))]).toEqual([expect.stringMatching(/^chatcmpl-/), 404])
  })

  it("keep the calls of tools", async () => {
    const { id } = await completions().create({
      model,
      store: true,
      messages: say("What is the weather in Paris?"),
      tool_choice: "required",
      tools: [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }]
    })
    const [choice] = (await completions().retrieve(id)).choices
    expect(choice).toMatchObject({ finish_reason: "tool_calls", message: { tool_calls: [{ type: "function" }] } })
  })

  it("are listed by model and metadata, in pages", async () => {
    const run = `run-${Date.now()}`
    const ids: Array<string> = []
    for (const part of ["a", "b", "a", "b", "a"]) {
      const made = await completions().create({ model, messages: say("Hi"), store: true, metadata: { run, part } })
      ids.push(made.id)
      // The order of one millisecond is that of random ids.
      await Bun.sleep(2)
    }
    const listed = async (query: OpenAI.ChatCompletionListParams) => {
      const found: Array<string> = []
      for await (const one of completions().list(query)) found.push(one.id)
      return found
    }
    const a = [ids[0], ids[2], ids[4]]
    expect(await listed({ metadata: { run } })).toEqual(ids)
    expect(await listed({ metadata: { run }, limit: 2 })).toEqual(ids)
    expect(await listed({ metadata: { run }, limit: 2, order: "desc" })).toEqual(ids.toReversed())
    expect(await listed({ metadata: { run, part: "a" }, limit: 1 })).toEqual(a)
    expect(await listed({ metadata: { run, part: "a" }, model, after: ids[2] ?? "" })).toEqual([ids[4]])
    expect(await listed({ metadata: { run, part: "c" } })).toEqual([])
    expect(await listed({ metadata: { run, toString: "a" } })).toEqual([])
    expect(await listed({ metadata: { run }, model: "other" })).toEqual([])
    expect(await completions().list({ limit: 1, order: "desc" })).toMatchObject({
      data: [{ id: ids[4], metadata: { run, part: "a" } }],
      has_more: true
    })
    expect(await status(completions().list({ after: "chatcmpl-none" }))).toBe(400)
  })

  it("tell the messages that they answer", async () => {
    const text = { type: "text" as const, text: "What is this?" }
    const call = { id: "call_1", type: "function" as const, function: { name: "f", arguments: "{}" } }
    const { id } = await completions().create({
      model,
      store: true,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [text] },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "call_1", content: "1" },
        { role: "user", content: [text, { type: "text", text: "And this?" }] }
      ]
    })
    const all = { content: null, content_parts: null, name: null, refusal: null }
    const { data, has_more } = await completions().messages.list(id)
    expect(has_more).toBe(false)
    expect(data).toEqual([
      { ...all, id: `${id}-0`, role: "system", content: "Be brief." },
      { ...all, id: `${id}-1`, role: "user", content_parts: [text] },
      { ...all, id: `${id}-2`, role: "assistant", tool_calls: [call] },
      { ...all, id: `${id}-3`, role: "tool", content: "1", tool_call_id: "call_1" },
      { ...all, id: `${id}-4`, role: "user", content_parts: [text, { type: "text", text: "And this?" }] }
    ])
    const found: Array<string> = []
    for await (const one of completions().messages.list(id, { limit: 2, order: "desc" })) found.push(one.id)
    expect(found).toEqual([4, 3, 2, 1, 0].map((place) => `${id}-${place}`))
    expect(await status(completions().messages.list(id, { after: "x" }))).toBe(400)
  })

  it("have at most 16 pairs of metadata", async () => {
    const pairs = (count: number, value = "v") =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]))
    const body = { model, messages: say("Hi"), store: true }
    const made = await completions().create(body)
    const post = async (path: string, sent: object) => {
      const response = await request(gateway, path, { body: sent })
      return [response.status, (await response.json()).error?.param]
    }
    for (const metadata of [pairs(17), pairs(1, "v".repeat(513)), { ["k".repeat(65)]: "v" }, { k: 1 }, "text"]) {
      expect(await post("/v1/chat/completions", { ...body, metadata })).toEqual([400, "metadata"])
      expect((await post(`/v1/chat/completions/${made.id}`, { metadata }))[0]).toBe(400)
    }
    expect((await post("/v1/chat/completions", { ...body, metadata: pairs(16, "v".repeat(512)) }))[0]).toBe(200)
  })
})
