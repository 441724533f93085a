import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import Anthropic from "@anthropic-ai/sdk"
import Anthropic0 from "anthropic-sdk-0"
import OpenAI from "openai"
import OpenAI6 from "openai-6"
import { describe, expect, it } from "vitest"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"

/** An upstream that answers when it is told: each of these is a call that has arrived, and answers it. */
const heldUpstream = () => {
  const calls: Array<() => void> = []
  const choices = [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }]
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: () =>
      new Promise<Response>((resolve) => {
        calls.push(() =>
          resolve(Response.json({ id: "c", object: "chat.completion", created: 1, model: "m", choices }))
        )
      })
  })
  return { server, calls }
}

const withGateway = async (
  drainSeconds: number,
  use: (gateway: GatewayProcess, calls: ReadonlyArray<() => void>) => Promise<void>,
  env: Readonly<Record<string, string>> = {}
) => {
  const { calls, server } = heldUpstream()
  const folder = mkdtempSync(join(tmpdir(), "gateway-shutdown-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams: { held: { protocol: openai-chat, base_url: "http://127.0.0.1:${server.port}/v1" } }
models: { held: held }
`
  )
  const gateway = await startGateway({ folder, env: { GATEWAY_DRAIN_SECONDS: String(drainSeconds), ...env } })
  try {
    await use(gateway, calls)
  } finally {
    await gateway.dispose()
    await server.stop(true)
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
    withGateway(600, async (gateway, calls) => {
      const slow = "[[sandbox: tokens=30 pace=50ms]] go on"
      const streamed = await post(gateway, "/v1/messages", message(slow, { stream: true }))
      const responded = await post(gateway, "/v1/responses", { model: "sandbox-text", input: slow, stream: true })
      const whole = post(gateway, "/v1/messages", message("hi", { model: "held" }))
      await expect.poll(() => calls.length).toBe(1)
      gateway.signal("SIGTERM")
      await expect.poll(async () => (await fetch(`${gateway.url}/readyz`)).status).toBe(503)
      expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
      const late = await post(gateway, "/v1/messages", message("late"))
      expect([late.status, await late.text()]).toEqual([500, expect.stringContaining("shutting down")])
      expect(late.headers.get("connection")).toBe("close")
      calls[0]?.()
      expect(await streamed.text()).toMatch(/event: message_stop\ndata: .*\n\n$/)
      expect(await responded.text()).toMatch(/event: response\.completed\ndata: .*\n\n$/)
      expect(await (await whole).json()).toMatchObject({ type: "message", stop_reason: "end_turn" })
      expect(await gateway.exited).toBe(0)
      // Refused requests have no row; finished ones have.
      const database = new Database(join(gateway.folder, "data/gateway.db"), { readonly: true })
      expect(database.query("SELECT status FROM requests").all()).toEqual([200, 200, 200].map((status) => ({ status })))
      database.close()
    }))

  it("serves on for as long as configured, so that load balancers notice, and then stops listening", () =>
    withGateway(
      600,
      async (gateway, calls) => {
        const whole = post(gateway, "/v1/messages", message("hi", { model: "held" }))
        await expect.poll(() => calls.length).toBe(1)
        gateway.signal("SIGTERM")
        await expect.poll(async () => (await fetch(`${gateway.url}/readyz`)).status).toBe(503)
        const late = await post(gateway, "/v1/messages", message("late"))
        expect([late.status, late.headers.get("connection")]).toEqual([200, "close"])
        await late.text()
        const refused = () => post(gateway, "/v1/messages", message("later")).then(() => "", String)
        await expect.poll(refused).toMatch(/Unable to connect|ECONNREFUSED|ConnectionRefused/)
        calls[0]?.()
        expect(await (await whole).json()).toMatchObject({ stop_reason: "end_turn" })
        expect(await gateway.exited).toBe(0)
      },
      { GATEWAY_LEAVE_SECONDS: "2" }
    ))

  it("drains both addresses together", () =>
    withGateway(
      600,
      async (gateway, calls) => {
        const { adminUrl, key } = gateway
        const [whole, there] = [gateway, { ...gateway, url: adminUrl }].map((at) =>
          post(at, "/v1/messages", message("hi", { model: "held" }))
        )
        const slow = message("[[sandbox: tokens=60 pace=100ms]] go on", { stream: true })
        const streamed = await post(gateway, "/v1/messages", slow)
        await expect.poll(() => calls.length).toBe(2)
        gateway.signal("SIGTERM")
        const statusAt = (url: string) => fetch(`${url}/readyz`).then(({ status }) => status)
        await expect.poll(() => Promise.all([statusAt(gateway.url), statusAt(adminUrl)])).toEqual([503, 503])
        const late = await fetch(`${adminUrl}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
        expect([late.status, late.headers.get("connection")]).toEqual([200, "close"])
        await late.text()
        for (const url of [adminUrl, gateway.url]) {
          const refused = () => fetch(`${url}/healthz`, { keepalive: false }).then(() => "", String)
          await expect.poll(refused).toMatch(/Unable to connect|ECONNREFUSED|ConnectionRefused/)
        }
        for (const answer of calls) answer()
        for (const answer of await Promise.all([whole, there])) {
          expect(await answer?.json()).toMatchObject({ stop_reason: "end_turn" })
        }
        expect(await streamed.text()).toContain("message_stop")
        expect(await gateway.exited).toBe(0)
      },
      { GATEWAY_LEAVE_SECONDS: "2", GATEWAY_ADMIN_PORT: "0" }
    ))

  it.each<[string, typeof Anthropic]>([
    ["@anthropic-ai/sdk 1", Anthropic],
    ["@anthropic-ai/sdk 0", Anthropic0 as never]
  ])("ends a stream that can't end in-band at the deadline, as %s reads it", (_, Client) =>
    withGateway(1, async (gateway) => {
      const client = new Client({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 })
      const stream = await client.messages.create({ ...message("[[sandbox: stall]] hi"), stream: true })
      const events = await firstOf(stream as AsyncIterable<unknown>)
      gateway.signal("SIGTERM")
      await expect(rest(events)).rejects.toThrow(/shutting down/)
      expect(await gateway.exited).toBe(0)
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
    withGateway(1, async (gateway, calls) => {
      const whole = post(gateway, "/v1/messages", message("hi", { model: "held" }))
      const streamed = post(gateway, "/v1/responses", { model: "held", input: "hi", stream: true })
      await expect.poll(() => calls.length).toBe(2)
      gateway.signal("SIGTERM")
      for (const answer of await Promise.all([whole, streamed])) {
        expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining("shutting down")])
      }
      expect(await gateway.exited).toBe(0)
    }))

  it("stops an idle gateway long before the deadline, kept connections or not", () =>
    withGateway(600, async (gateway) => {
      await (await fetch(`${gateway.url}/healthz`)).text()
      gateway.signal("SIGTERM")
      expect(await gateway.exited).toBe(0)
    }))

  it.each(["SIGTERM", "SIGINT"] as const)("stops at once when it is told again by %s", (signal) =>
    withGateway(600, async (gateway, calls) => {
      const held = Promise.allSettled([post(gateway, "/v1/messages", message("hi", { model: "held" }))])
      await expect.poll(() => calls.length).toBe(1)
      gateway.signal("SIGTERM")
      await expect.poll(async () => (await fetch(`${gateway.url}/readyz`)).status).toBe(503)
      gateway.signal(signal)
      await gateway.exited
      await held
    })
  )
})
