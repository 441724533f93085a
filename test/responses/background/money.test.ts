import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"

const upstream = fakeUpstream("openai-responses")
let refusals = 0
const busy = fakeUpstream("openai-chat", {
  answer: () =>
    // More often than one call asks.
    ++refusals > 4
      ? undefined
      : Response.json({ error: { message: "slow down" } }, { status: 429, headers: { "retry-after-ms": "5" } })
})
const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-background-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: {
        openai: { protocol: "openai-responses", base_url: `${upstream.url}/v1` },
        busy: { protocol: "openai-chat", base_url: `${busy.url}/v1` }
      },
      models: {
        priced: { routes: [{ upstream: "sandbox", model: "sandbox-text" }], price: { input: 3, output: 15 } },
        busy: { routes: [{ upstream: "busy", model: "m" }] },
        passed: { routes: [{ upstream: "openai", model: "gpt-5.1" }] },
        sandbox: { routes: [{ upstream: "sandbox", model: "sandbox-text" }] }
      },
      keys: [
        { name: "paying", secret: secretOf("paying"), balance_usd: 1 },
        { name: "poor", secret: secretOf("poor"), balance_usd: 0.001 },
        { name: "single", secret: secretOf("single"), limits: { concurrent_tasks: 1 } }
      ]
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([upstream.stop(), busy.stop()])
})

const clientOf = (name: string) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secretOf(name), maxRetries: 0 })

const ended = async (client: OpenAI, id: string) => {
  for (;;) {
    const response = await client.responses.retrieve(id)
    if (response.status !== "queued" && response.status !== "in_progress") return response
    await Bun.sleep(10)
  }
}

/** In dollars. */
const balance = async (name: string) => {
  const response = await fetch(`${gateway.url}/v1/balance`, { headers: { authorization: `Bearer ${secretOf(name)}` } })
  const { held, settled } = (await response.json()) as Record<"held" | "settled", { readonly nano_usd: number }>
  return { held: held.nano_usd / 1e9, settled: settled.nano_usd / 1e9 }
}

describe("a background response", () => {
  it("holds the most that it can cost, and pays for what it used", async () => {
    const client = clientOf("paying")
    const request = { model: "priced", max_output_tokens: 3_000, background: true } as const
    const { id } = await client.responses.create({ ...request, input: "[[sandbox: pace=10ms tokens=100]]" })
    expect((await balance("paying")).held).toBeGreaterThan(0.045)
    const { usage } = await ended(client, id)
    const cost = (3 * usage!.input_tokens + 15 * usage!.output_tokens) / 1e6
    const after = await balance("paying")
    expect(after.held).toBe(0)
    expect(after.settled).toBeCloseTo(cost, 9)
  })

  it("pays for what it used until it was cancelled, and for nothing where it failed", async () => {
    const client = clientOf("paying")
    const before = (await balance("paying")).settled
    const request = { model: "priced", max_output_tokens: 3_000, background: true } as const
    const failed = await client.responses.create({ ...request, input: "[[sandbox: tokens=100 cut=50]]" })
    expect((await ended(client, failed.id)).status).toBe("failed")
    expect((await balance("paying")).settled).toBe(before)
    let id = ""
    const input = "[[sandbox: pace=10ms tokens=2000]]"
    for await (const event of await client.responses.create({ ...request, input, stream: true })) {
      if (event.type === "response.created") id = event.response.id
      if (event.sequence_number === 30) break
    }
    await client.responses.cancel(id)
    const after = await balance("paying")
    expect(after.held).toBe(0)
    const cost = after.settled - before
    expect(cost).toBeGreaterThan((15 * 20) / 1e6)
    expect(cost).toBeLessThan((15 * 1_900) / 1e6)
  })

  it("is refused where the money does not suffice, or too many run", async () => {
    const poor = clientOf("poor")
    const request = { model: "priced", max_output_tokens: 3_000, background: true, input: "Hello!" } as const
    await expect(poor.responses.create(request)).rejects.toMatchObject({ status: 402, code: "insufficient_quota" })
    const single = clientOf("single")
    const slow = { model: "sandbox", input: "[[sandbox: delay=10s]]", background: true } as const
    const { id } = await single.responses.create(slow)
    await expect(single.responses.create(slow)).rejects.toMatchObject({ status: 429 })
    await single.responses.cancel(id)
    const next = await single.responses.create({ ...slow, input: "Hello!" })
    expect((await ended(single, next.id)).status).toBe("completed")
  })

  it("passes through to an upstream of its dialect, which does not see `background`", async () => {
    const client = clientOf("single")
    const request = { model: "passed", input: "play:text", background: true } as const
    const made = await client.responses.create(request)
    const polled = await ended(client, made.id)
    expect(polled).toMatchObject({ id: made.id, status: "completed", background: true, model: "passed" })
    expect(upstream.asked.at(-1)?.body).not.toHaveProperty("background")
    const events: Array<OpenAI.Responses.ResponseStreamEvent> = []
    for await (const event of await client.responses.create({ ...request, stream: true })) events.push(event)
    expect(upstream.asked.at(-1)?.body).toMatchObject({ stream: true, store: false })
    expect(upstream.asked.at(-1)?.body).not.toHaveProperty("background")
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.slice(0, 4).map(({ type }) => type)).toEqual([
      "response.created",
      "response.queued",
      "response.in_progress",
      "response.output_item.added"
    ])
    const last = events.at(-1)
    if (last?.type !== "response.completed") throw new Error(`ended with ${last?.type}`)
    expect(last.response).toMatchObject({ background: true, model: "passed", output: polled.output })
    const next = await client.responses.create({
      model: "passed",
      input: "play:text",
      previous_response_id: last.response.id
    })
    expect(next.status).toBe("completed")
  })

  it("waits while its upstream has no room, with or without a reader", async () => {
    const client = clientOf("single")
    const events: Array<OpenAI.Responses.ResponseStreamEvent> = []
    const request = { model: "busy", input: "play:text", background: true, stream: true } as const
    for await (const event of await client.responses.create(request)) events.push(event)
    expect(refusals).toBeGreaterThan(4)
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.at(-1)).toMatchObject({ type: "response.completed", response: { status: "completed" } })
  })

  it("answers requests with one Idempotency-Key with one response", async () => {
    const client = clientOf("paying")
    const request = { model: "priced", input: "Hello!", background: true, max_output_tokens: 100 } as const
    const options = { headers: { "idempotency-key": "once" } }
    const [one, two] = await Promise.all([
      client.responses.create(request, options),
      client.responses.create(request, options)
    ])
    expect(two.id).toBe(one.id)
    await ended(client, one.id)
    expect((await client.responses.create(request, options)).id).toBe(one.id)
  })
})
