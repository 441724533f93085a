import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI, { APIError } from "openai"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { request } from "../../request.ts"

const model = "sandbox-text"

describe("conversations", () => {
  let gateway: GatewayHere
  let client: OpenAI
  beforeAll(async () => {
    gateway = await startGateway()
    client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
  })
  afterAll(() => gateway.dispose())

  const textsOf = async (id: string) => {
    const texts: Array<string> = []
    for await (const item of client.conversations.items.list(id, { order: "asc" })) {
      if (item.type !== "message") texts.push(item.type)
      else for (const part of item.content) texts.push("text" in part ? `${item.role}: ${part.text}` : part.type)
    }
    return texts
  }
  const status = (call: Promise<unknown>) =>
    call.then(
      () => 200,
      (error) => (error instanceof APIError ? error.status : String(error))
    )

  it("are made, read, changed and deleted", async () => {
    const made = await client.conversations.create({ metadata: { topic: "demo" } })
    expect(made).toEqual({
      id: expect.stringMatching(/^conv_/),
      object: "conversation",
      created_at: expect.any(Number),
      metadata: { topic: "demo" }
    })
    expect(await client.conversations.retrieve(made.id)).toEqual(made)
    const changed = await client.conversations.update(made.id, { metadata: { other: "x" } })
    expect(changed).toEqual({ ...made, metadata: { other: "x" } })
    expect(await client.conversations.delete(made.id)).toEqual({
      id: made.id,
      object: "conversation.deleted",
      deleted: true
    })
    expect(
      await Promise.all([
        status(client.conversations.retrieve(made.id)),
        status(client.conversations.update(made.id, { metadata: {} })),
        status(client.conversations.delete(made.id)),
        status(client.conversations.items.create(made.id, { items: [{ role: "user", content: "Hi" }] })),
        status(Promise.resolve(client.conversations.items.list(made.id))),
        status(client.conversations.items.retrieve("msg_1", { conversation_id: made.id })),
        status(client.responses.create({ model, input: "Hi", conversation: made.id })),
        status(client.responses.create({ model, input: "Hi", conversation: made.id, background: true }))
      ])
    ).toEqual([404, 404, 404, 404, 404, 404, 404, 404])
  })

  it("have their items in pages, each by its id", async () => {
    const { id } = await client.conversations.create({ items: [{ role: "user", content: "0" }] })
    const added = await client.conversations.items.create(id, {
      items: Array.from({ length: 20 }, (_, index) => ({ role: "user" as const, content: `${index + 1}` }))
    })
    expect(added.data).toHaveLength(20)
    expect(added.data[0]).toMatchObject({ type: "message", role: "user", status: "completed" })
    const newest = await client.conversations.items.list(id, { limit: 2 })
    expect(newest.data.map((item) => JSON.stringify(item))).toEqual([
      expect.stringContaining('"20"'),
      expect.stringContaining('"19"')
    ])
    expect(newest).toMatchObject({ has_more: true, last_id: newest.data[1]?.id })
    expect(await textsOf(id)).toEqual(Array.from({ length: 21 }, (_, index) => `user: ${index}`))
    const last = newest.data[0]?.id ?? ""
    expect(await client.conversations.items.retrieve(last, { conversation_id: id })).toEqual(newest.data[0])
    expect(await client.conversations.items.delete(last, { conversation_id: id })).toMatchObject({ id })
    expect(await status(client.conversations.items.retrieve(last, { conversation_id: id }))).toBe(404)
    expect(await textsOf(id)).toHaveLength(20)
    expect(await status(Promise.resolve(client.conversations.items.list(id, { after: "msg_none" })))).toBe(400)
  })

  it("take at most 20 items a request, 16 pairs of metadata and no item twice", async () => {
    const { id } = await client.conversations.create()
    const item = { type: "message" as const, role: "user" as const, content: "x", id: "msg_mine" }
    const post = async (path: string, body: unknown) => (await request(gateway, path, { body })).status
    const pairs = (count: number, value = "v") =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]))
    expect([
      await post(`/v1/conversations/${id}/items`, {
        items: Array.from({ length: 21 }, () => ({ role: "user", content: "x" }))
      }),
      await post(`/v1/conversations/${id}/items`, { items: [item, item] }),
      await post(`/v1/conversations/${id}/items`, { items: [{ role: "user" }] }),
      await post("/v1/conversations", { metadata: pairs(17) }),
      await post("/v1/conversations", { metadata: pairs(1, "v".repeat(513)) }),
      await post("/v1/conversations", { metadata: { ["k".repeat(65)]: "v" } }),
      await post("/v1/conversations", { metadata: { k: 1 } }),
      await post("/v1/conversations", { metadata: pairs(16, "v".repeat(512)) }),
      await post(`/v1/conversations/${id}/items`, { items: [item] }),
      await post(`/v1/conversations/${id}/items`, { items: [item] })
    ]).toEqual([400, 400, 400, 400, 400, 400, 400, 200, 200, 400])
    expect(await textsOf(id)).toEqual(["user: x"])
    const wrong = { role: "user", content: [{ type: "input_text", text: 7 }] }
    const refused = await request(gateway, `/v1/conversations/${id}/items`, {
      body: { items: [{ type: "program" }, wrong] }
    })
    expect([refused.status, (await refused.json()).error.param]).toEqual([400, "items[1].content[0].text"])
    // A type that only some upstream knows stays as it is.
    const novel = { type: "program", id: "prog_1", code: "1" }
    expect((await request(gateway, `/v1/conversations/${id}/items`, { body: { items: [novel] } })).status).toBe(200)
    expect(await (await request(gateway, `/v1/conversations/${id}/items/prog_1`)).json()).toEqual(novel)
  })

  it("hold 32 MiB, also of items that are added at the same time", async () => {
    const { id } = await client.conversations.create()
    const items = [{ role: "user", content: "x".repeat(9 * 1_048_576) }]
    const add = async () => (await request(gateway, `/v1/conversations/${id}/items`, { body: { items } })).status
    const added = await Promise.all(Array.from({ length: 6 }, add))
    expect(added.filter((one) => one === 200).length).toBe(3)
    expect((await client.conversations.items.list(id)).data.length).toBe(3)
  })

  it("come before the input of a response, and get its input and output", async () => {
    const { id } = await client.conversations.create({ items: [{ role: "user", content: "[[sandbox: echo]] one" }] })
    const whole = await client.responses.create({ model, input: "two", conversation: { id } })
    expect(whole).toMatchObject({ conversation: { id }, previous_response_id: null })
    expect(await client.responses.retrieve(whole.id)).toMatchObject({ conversation: { id } })
    const first = await textsOf(id)
    expect(first).toEqual([expect.any(String), "user: two", `assistant: ${whole.output_text}`])

    let streamed = ""
    const stream = await client.responses.create({
      model,
      input: "three",
      conversation: id,
      stream: true,
      store: false
    })
    for await (const event of stream) if (event.type === "response.output_text.delta") streamed += event.delta
    expect(await textsOf(id)).toEqual([...first, "user: three", `assistant: ${streamed}`])

    const queued = await client.responses.create({ model, input: "four", conversation: id, background: true })
    let done = queued
    while (done.status === "queued" || done.status === "in_progress") done = await client.responses.retrieve(queued.id)
    expect(done).toMatchObject({ status: "completed", conversation: { id } })
    expect((await textsOf(id)).slice(5)).toEqual(["user: four", `assistant: ${done.output_text}`])
    // Each request is longer than the one before.
    expect(done.usage?.input_tokens).toBeGreaterThan(whole.usage?.input_tokens ?? Infinity)
    const { input_tokens } = await client.responses.inputTokens.count({ model, input: "five", conversation: id })
    expect(input_tokens).toBeGreaterThan(done.usage?.input_tokens ?? Infinity)
  })

  it("exclude previous_response_id, and ids that were not made here on upstreams of other dialects", async () => {
    const { id } = await client.conversations.create()
    const before = await client.responses.create({ model, input: "Hi" })
    const both = { model, input: "Hi", conversation: id, previous_response_id: before.id }
    expect(await status(client.responses.create(both))).toBe(400)
    expect(await status(client.responses.create({ model, input: "Hi", conversation: "conv_elsewhere" }))).toBe(400)
    const again = (await client.conversations.items.create(id, { items: [{ role: "user", content: "x" }] })).data
    const twice = { model, input: again, conversation: id }
    const answer = await request(gateway, "/v1/responses", { body: twice })
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("Duplicate item")])
    // A refusal leaves the conversation free.
    expect(await status(client.responses.create({ model, input: "Hi", conversation: id }))).toBe(200)
  })

  it("have one response at a time", async () => {
    const { id } = await client.conversations.create()
    const input = "[[sandbox: pace=20ms tokens=40]]"
    const running = await client.responses.create({ model, input, conversation: id, stream: true })
    const locked = await client.responses.create({ model, input: "Hi", conversation: id }).catch((error) => error)
    expect(locked).toMatchObject({ status: 400, code: "conversation_locked", param: "conversation" })
    const adding = client.conversations.items.create(id, { items: [{ role: "user", content: "x" }] })
    expect(await status(adding)).toBe(400)
    for await (const _ of running);
    expect(await status(client.responses.create({ model, input: "Hi", conversation: id }))).toBe(200)
    // Failures, and callers that leave, free it too.
    expect(await status(client.responses.create({ model, input: "[[sandbox: error=500]]", conversation: id }))).toBe(
      500
    )
    const left = await client.responses.create({ model, input, conversation: id, stream: true })
    left.controller.abort()
    while ((await status(client.responses.create({ model, input: "Hi", conversation: id }))) === 400);
    expect(await textsOf(id)).toHaveLength(6)
  })

  it("are freed by a cancelled background response, which adds nothing", async () => {
    const { id } = await client.conversations.create()
    const running = { model, input: "[[sandbox: delay=1m]]", conversation: id, background: true }
    const queued = await client.responses.create(running)
    expect(await status(client.responses.create({ model, input: "Hi", conversation: id }))).toBe(400)
    await client.responses.cancel(queued.id)
    expect(await textsOf(id)).toEqual([])
    expect(await status(client.responses.create({ model, input: "Hi", conversation: id }))).toBe(200)
  })

  it("may be deleted while a response is made", async () => {
    const { id } = await client.conversations.create()
    const input = "[[sandbox: pace=5ms tokens=40]]"
    const running = await client.responses.create({ model, input, conversation: id, stream: true })
    await client.conversations.delete(id)
    const types: Array<string> = []
    for await (const { type } of running) types.push(type)
    expect(types.at(-1)).toBe("response.completed")
  })
})
