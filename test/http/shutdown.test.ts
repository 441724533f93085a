import Anthropic from "@anthropic-ai/sdk"
import Anthropic0 from "anthropic-sdk-0"
import OpenAI from "openai"
import OpenAI6 from "openai-6"
import { describe, expect, it } from "vitest"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"

const withGateway = async (drainSeconds: number, use: (gateway: GatewayProcess) => Promise<void>) => {
  const gateway = await startGateway({ env: { GATEWAY_DRAIN_SECONDS: String(drainSeconds) } })
  try {
    await use(gateway)
  } finally {
    await gateway.dispose()
  }
}

const post = ({ key, url }: GatewayProcess, path: string, body: unknown) =>
  fetch(url + path, { method: "POST", headers: { authorization: `Bearer ${key}` }, body: JSON.stringify(body) })

const message = (text: string, more: object = {}) => ({
  model: "sandbox-text",
  max_tokens: 200,
  messages: [{ role: "user" as const, content: text }],
  ...more
})

/** Resolves once a stream has said something. */
const firstOf = async <A>(stream: AsyncIterable<A>): Promise<AsyncIterator<A>> => {
  const iterator = stream[Symbol.asyncIterator]()
  await iterator.next()
  return iterator
}

const rest = async <A>(iterator: AsyncIterator<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) all.push(next.value)
  return all
}

describe("SIGTERM", () => {
  it("fails readiness, refuses new work, and lets what runs come to its end", () =>
    withGateway(20, async (gateway) => {
      const slow = "[[sandbox: tokens=30 pace=50ms]] go on"
      const streamed = await post(gateway, "/v1/messages", message(slow, { stream: true }))
      const responded = await post(gateway, "/v1/responses", { model: "sandbox-text", input: slow, stream: true })
      const whole = post(gateway, "/v1/messages", message(slow))
      // On its way in; nothing else tells that it has arrived.
      await Bun.sleep(300)
      gateway.signal("SIGTERM")
      await expect.poll(async () => (await fetch(`${gateway.url}/readyz`)).status).toBe(503)
      expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
      const late = await post(gateway, "/v1/messages", message("late"))
      expect([late.status, await late.text()]).toEqual([500, expect.stringContaining("shutting down")])
      expect(late.headers.get("connection")).toBe("close")
      expect(await streamed.text()).toMatch(/event: message_stop\ndata: .*\n\n$/)
      expect(await responded.text()).toMatch(/event: response\.completed\ndata: .*\n\n$/)
      expect(await (await whole).json()).toMatchObject({ type: "message", stop_reason: "end_turn" })
      expect(await gateway.exited).toBe(0)
    }))

  it.each<[string, typeof Anthropic]>([
    ["@anthropic-ai/sdk 1", Anthropic],
    ["@anthropic-ai/sdk 0", Anthropic0 as never]
  ])("ends a stream that can't end in-band at the deadline, as %s reads it", (_, Client) =>
    withGateway(1, async (gateway) => {
      const client = new Client({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 })
      const stream = await client.messages.create({ ...message("[[sandbox: stall]] hi"), stream: true })
      const events = await firstOf(stream as AsyncIterable<unknown>)
      const began = performance.now()
      gateway.signal("SIGTERM")
      await expect(rest(events)).rejects.toThrow(/shutting down/)
      expect(await gateway.exited).toBe(0)
      expect(performance.now() - began).toBeLessThan(5_000)
    })
  )

  it.each<[string, typeof OpenAI]>([
    ["openai 7", OpenAI],
    ["openai 6", OpenAI6 as never]
  ])("ends a stream that can't end in-band at the deadline, as %s reads it", (_, Client) =>
    withGateway(1, async (gateway) => {
      const client = new Client({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
      const stream = await client.responses.create({
        model: "sandbox-text",
        input: "[[sandbox: stall]] hi",
        stream: true
      })
      const events = await firstOf(stream as AsyncIterable<unknown>)
      gateway.signal("SIGTERM")
      await expect(rest(events)).rejects.toThrow(/shutting down/)
      expect(await gateway.exited).toBe(0)
    })
  )

  it("answers a request that waits at the deadline with a failure", () =>
    withGateway(1, async (gateway) => {
      const stalled = post(gateway, "/v1/messages", message("[[sandbox: stall]] hi"))
      const held = post(gateway, "/v1/responses", {
        model: "sandbox-text",
        input: "[[sandbox: delay=60s]]",
        stream: true
      })
      await Bun.sleep(300)
      gateway.signal("SIGTERM")
      for (const answer of await Promise.all([stalled, held])) {
        expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining("shutting down")])
      }
      expect(await gateway.exited).toBe(0)
    }))

  it("stops an idle gateway at once, kept connections or not", () =>
    withGateway(20, async (gateway) => {
      await (await fetch(`${gateway.url}/healthz`)).text()
      const began = performance.now()
      gateway.signal("SIGTERM")
      expect(await gateway.exited).toBe(0)
      expect(performance.now() - began).toBeLessThan(3_000)
    }))

  it.each(["SIGTERM", "SIGINT"] as const)("stops at once when it is told again by %s", (signal) =>
    withGateway(60, async (gateway) => {
      const stalled = Promise.allSettled([post(gateway, "/v1/messages", message("[[sandbox: stall]] hi"))])
      await Bun.sleep(300)
      gateway.signal("SIGTERM")
      await expect.poll(async () => (await fetch(`${gateway.url}/readyz`)).status).toBe(503)
      const began = performance.now()
      gateway.signal(signal)
      await gateway.exited
      expect(performance.now() - began).toBeLessThan(2_000)
      await stalled
    })
  )
})
