import { afterAll, describe, expect, it } from "@effect/vitest"
import { Database } from "bun:sqlite"
import { join } from "node:path"
import OpenAI from "openai"
import { startGateway } from "../../e2e/process.ts"
import type { GatewayProcess } from "../../e2e/process.ts"
import { request } from "../../request.ts"

type Event = OpenAI.Responses.ResponseStreamEvent

const running: Array<GatewayProcess> = []
const start = async (options: Parameters<typeof startGateway>[0] = {}) => {
  const gateway = await startGateway(options)
  running.push(gateway)
  return { gateway, client: new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 }) }
}
afterAll(() => Promise.all(running.map((gateway) => gateway.dispose())))

const model = "sandbox-text"

const ended = async (client: OpenAI, id: string) => {
  for (;;) {
    const response = await client.responses.retrieve(id)
    if (response.status !== "queued" && response.status !== "in_progress") return response
    await Bun.sleep(20)
  }
}

const started = async (client: OpenAI, id: string) => {
  while ((await client.responses.retrieve(id)).status === "queued") await Bun.sleep(5)
}

describe("a background response whose process is killed", () => {
  it("starts again if no client has seen any of it", async () => {
    const first = await start()
    const input = "[[sandbox: delay=1s]] Hello!"
    const polled = await first.client.responses.create({ model, input, background: true })
    const stream = await first.client.responses.create({ model, input, background: true, stream: true })
    let streamed = ""
    const told: Array<Event> = []
    for await (const event of stream) {
      told.push(event)
      if (event.type === "response.created") streamed = event.response.id
      if (event.type === "response.in_progress") break
    }
    await started(first.client, polled.id)
    first.gateway.signal("SIGKILL")
    await first.gateway.exited
    const second = await start({ folder: first.gateway.folder })
    const response = await ended(second.client, polled.id)
    expect(response).toMatchObject({ status: "completed", created_at: polled.created_at })
    const rest: Array<Event> = []
    for await (const event of await second.client.responses.retrieve(streamed, { stream: true, starting_after: 2 })) {
      rest.push(event)
    }
    expect([...told, ...rest].map((event) => event.sequence_number)).toEqual(
      [...told, ...rest].map((_, index) => index)
    )
    expect(rest.at(-1)).toMatchObject({ type: "response.completed", response: { status: "completed" } })
  })

  it("fails with what readers were told of it, and says so where they read on", async () => {
    const first = await start()
    const input = "[[sandbox: pace=20ms tokens=2000]]"
    const told: Array<Event> = []
    let id = ""
    for await (const event of await first.client.responses.create({ model, input, background: true, stream: true })) {
      told.push(event)
      if (event.type === "response.created") id = event.response.id
      if (event.sequence_number === 30) break
    }
    first.gateway.signal("SIGKILL")
    await first.gateway.exited
    const second = await start({ folder: first.gateway.folder })
    const response = await ended(second.client, id)
    expect(response).toMatchObject({ status: "failed", error: { code: "server_error" }, usage: null })
    const numbers: Array<number> = told.map((event) => event.sequence_number)
    let text = told.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("")
    const raw = await request(second.gateway, `/v1/responses/${id}?stream=true&starting_after=30`)
    for (const line of (await raw.text()).split("\n")) {
      if (!line.startsWith("data: ")) continue
      const event = JSON.parse(line.slice(6)) as Event
      numbers.push(event.sequence_number)
      if (event.type === "response.output_text.delta") text += event.delta
    }
    expect(numbers).toEqual(numbers.map((_, index) => index))
    expect(response.output).toMatchObject([{ type: "message", status: "incomplete", content: [{ text }] }])
  })

  it("stores its events ten times a second at most", async () => {
    const { client, gateway } = await start()
    const input = "[[sandbox: pace=2ms tokens=500]]"
    const begun = performance.now()
    let id = ""
    for await (const event of await client.responses.create({ model, input, background: true, stream: true })) {
      if (event.type === "response.created") id = event.response.id
    }
    const seconds = (performance.now() - begun) / 1_000
    const database = new Database(join(gateway.folder, "data", "gateway.db"), { readonly: true })
    const [row] = database.query("SELECT COUNT(*) AS n FROM response_events WHERE response_id = ?").all(id) as [
      { n: number }
    ]
    database.close()
    // How it began, that it runs, and its end are rows of their own.
    expect(row.n).toBeLessThanOrEqual(4 + seconds * 10)
  })
})
