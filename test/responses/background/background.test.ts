import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import OpenAI6 from "openai-6"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.dispose())

const model = "sandbox-text"

type Client = InstanceType<typeof OpenAI>
type Stream = AsyncIterable<OpenAI.Responses.ResponseStreamEvent>

const ended = async (client: Client, id: string) => {
  for (;;) {
    const response = await client.responses.retrieve(id)
    if (response.status !== "queued" && response.status !== "in_progress") return response
    await Bun.sleep(10)
  }
}

const all = async (stream: Stream) => {
  const events: Array<OpenAI.Responses.ResponseStreamEvent> = []
  for await (const event of stream) events.push(event)
  return events
}

/** Reads until something is so, and leaves. */
const until = async (stream: Stream, isSo: (event: OpenAI.Responses.ResponseStreamEvent) => boolean) => {
  const events: Array<OpenAI.Responses.ResponseStreamEvent> = []
  for await (const event of stream) {
    events.push(event)
    if (isSo(event)) break
  }
  return events
}

const textOf = (events: ReadonlyArray<OpenAI.Responses.ResponseStreamEvent>) =>
  events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("")

describe.each([
  ["openai 7", OpenAI],
  // Version 6 has the same methods; its types differ where nothing here looks.
  ["openai 6", OpenAI6 as unknown as typeof OpenAI]
])("%s", (_, Client) => {
  const connect = () => new Client({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })

  it("is answered at once with a queued response, which ends as the synchronous one", async () => {
    const client = connect()
    const queued = await client.responses.create({ model, input: "Hello!", background: true, metadata: { a: "b" } })
    expect(queued).toMatchObject({ status: "queued", background: true, output: [], metadata: { a: "b" }, usage: null })
    const response = await ended(client, queued.id)
    const synchronous = await client.responses.create({ model, input: "Hello!" })
    expect(response).toMatchObject({ id: queued.id, status: "completed", background: true, error: null })
    expect(response.created_at).toBe(queued.created_at)
    expect(response.output_text).toBe(synchronous.output_text)
    expect(response.usage).toEqual(synchronous.usage)
    const items = await client.responses.inputItems.list(queued.id)
    expect(items.data).toMatchObject([{ role: "user" }])
  })

  it("streams from its creation and resumes after any event, without a gap or a twin", async () => {
    const client = connect()
    const request = { model, input: "[[sandbox: pace=10ms tokens=80]]", background: true } as const
    const first = await until(
      await client.responses.create({ ...request, stream: true }),
      ({ type }) => type === "response.output_text.delta"
    )
    const [created] = first
    if (created?.type !== "response.created") throw new Error(`began with ${created?.type}`)
    const { id } = created.response
    expect(first.slice(0, 3).map(({ type }) => type)).toEqual([
      "response.created",
      "response.queued",
      "response.in_progress"
    ])
    const last = first.at(-1)?.sequence_number ?? 0
    const rest = await all(await client.responses.retrieve(id, { stream: true, starting_after: last }))
    const whole = await all(await client.responses.retrieve(id, { stream: true }))
    expect([...first, ...rest]).toEqual(whole)
    expect(whole.map((event) => event.sequence_number)).toEqual(whole.map((_, index) => index))
    const response = await client.responses.retrieve(id)
    expect(textOf(whole)).toBe(response.output_text)
    expect(whole.at(-1)).toMatchObject({ type: "response.completed", response: { status: "completed" } })
  })

  it("cancels what runs, with what there was of it, and leaves what has ended", async () => {
    const client = connect()
    const input = "[[sandbox: pace=20ms tokens=2000]]"
    const stream = await client.responses.create({ model, input, background: true, stream: true })
    const before = await until(stream, ({ sequence_number }) => sequence_number > 20)
    const [created] = before
    if (created?.type !== "response.created") throw new Error(`began with ${created?.type}`)
    const { id } = created.response
    expect((await client.responses.retrieve(id)).status).toBe("in_progress")
    const cancelled = await client.responses.cancel(id)
    expect(cancelled).toMatchObject({ status: "cancelled", background: true, error: null })
    expect(cancelled.output).toMatchObject([{ type: "message", status: "incomplete" }])
    const whole = await all(await client.responses.retrieve(id, { stream: true }))
    expect(whole.slice(0, before.length)).toEqual(before)
    expect(whole.map((event) => event.sequence_number)).toEqual(whole.map((_, index) => index))
    expect(whole.at(-1)).toMatchObject({ type: "response.incomplete", response: { status: "cancelled" } })
    const read = await client.responses.retrieve(id)
    expect(read.output_text).toBe(textOf(whole))
    expect(await client.responses.cancel(id)).toMatchObject({ status: "cancelled", output: read.output })
    const done = await client.responses.create({ model, input: "Hello!", background: true })
    await ended(client, done.id)
    expect((await client.responses.cancel(done.id)).status).toBe("completed")
    const foreground = await client.responses.create({ model, input: "Hello!" })
    await expect(client.responses.cancel(foreground.id)).rejects.toMatchObject({ status: 400 })
  })

  it("goes on when its reader hangs up, is continued once it has ended, and not before", async () => {
    const client = connect()
    const input = "[[sandbox: pace=10ms tokens=60]] Hello!"
    const [created] = await until(
      await client.responses.create({ model, input, background: true, stream: true }),
      () => true
    )
    if (created?.type !== "response.created") throw new Error(`began with ${created?.type}`)
    const { id } = created.response
    const next = { model, input: "And?", previous_response_id: id }
    await expect(client.responses.create(next)).rejects.toMatchObject({ status: 400, param: "previous_response_id" })
    expect((await ended(client, id)).status).toBe("completed")
    expect((await client.responses.create(next)).previous_response_id).toBe(id)
  })

  it("fails as the stream of a synchronous one does", async () => {
    const client = connect()
    const input = "[[sandbox: tokens=100 cut=20]]"
    const made = await client.responses.create({ model, input, background: true })
    const response = await ended(client, made.id)
    expect(response).toMatchObject({ status: "failed", error: { code: "server_error" } })
    expect(response.output).toMatchObject([{ type: "message", status: "incomplete" }])
    const message = response.error?.message ?? "-"
    await expect(all(await client.responses.retrieve(made.id, { stream: true }))).rejects.toThrow(message)
    const stream = await client.responses.create({ model, input, background: true, stream: true })
    await expect(all(stream)).rejects.toThrow(message)
  })

  it("is deleted while it runs, and is gone for its readers", async () => {
    const client = connect()
    const input = "[[sandbox: pace=20ms tokens=2000]]"
    const stream = await client.responses.create({ model, input, background: true, stream: true })
    let id = ""
    for await (const event of stream) {
      if (event.type === "response.created") id = event.response.id
      if (event.sequence_number === 10) await client.responses.delete(id)
    }
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 })
    await expect(client.responses.retrieve(id, { stream: true })).rejects.toMatchObject({ status: 404 })
    await expect(client.responses.cancel(id)).rejects.toMatchObject({ status: 404 })
  })

  it("waits for the end of one that was not asked to stream, and then tells it whole", async () => {
    const client = connect()
    const input = "[[sandbox: pace=5ms tokens=100]]"
    const { id } = await client.responses.create({ model, input, background: true })
    const events = await all(await client.responses.retrieve(id, { stream: true }))
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual([
      "response.created",
      "response.queued",
      "response.in_progress"
    ])
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    expect(textOf(events)).toBe((await client.responses.retrieve(id)).output_text)
    const later = await all(await client.responses.retrieve(id, { stream: true, starting_after: 4 }))
    expect(later).toEqual(events.slice(5))
  })

  it("is accumulated by the library's own stream from its beginning", async () => {
    const client = connect()
    const input = "[[sandbox: pace=5ms tokens=60]]"
    const { id } = await client.responses.create({ model, input, background: true })
    const response = await client.responses.stream({ response_id: id }).finalResponse()
    expect(response).toMatchObject({ id, status: "completed" })
    expect(response.output).toMatchObject((await client.responses.retrieve(id)).output)
  })

  it("refuses what could not be read, and what the synchronous request would be refused", async () => {
    const client = connect()
    const create = (over: object) => client.responses.create({ model, input: "Hello!", background: true, ...over })
    await expect(create({ store: false })).rejects.toMatchObject({ status: 400, param: "store" })
    await expect(create({ model: "nobody" })).rejects.toMatchObject({ status: 400, param: "model" })
    await expect(create({ temperature: 7 })).rejects.toMatchObject({ status: 400, param: "temperature" })
    await expect(create({ previous_response_id: "resp_x" })).rejects.toMatchObject({
      status: 400,
      param: "previous_response_id"
    })
  })
})
