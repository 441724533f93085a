import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

/** An upstream that is slow at everything, and knows which calls are still open: each is named by its request. */
const open = new Map<string, PromiseWithResolvers<number>>()
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.random() * ms))
const chunk = (content: string) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`

const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: async (request) => {
    const { messages, stream } = (await request.json()) as { messages: [{ content: string }]; stream?: boolean }
    const name = messages[0].content
    const closed = Promise.withResolvers<number>()
    open.set(name, closed)
    request.signal.addEventListener("abort", () => {
      open.delete(name)
      closed.resolve(performance.now())
    })
    await pause(60)
    if (stream !== true) return new Promise<Response>(() => {})
    return new Response(
      new ReadableStream({
        async pull(controller) {
          await pause(10)
          controller.enqueue(chunk("word "))
        }
      }),
      { headers: { "content-type": "text/event-stream" } }
    )
  }
})

let gateway: GatewayProcess
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-hangups-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams: { slow: { protocol: openai-chat, base_url: "http://127.0.0.1:${upstream.port}/v1", max_concurrency: 40 } }
models: { m: slow }
`
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await upstream.stop(true)
})

const paths = ["/v1/messages", "/v1/responses"] as const
const bodyOf = (path: (typeof paths)[number], name: string, stream: boolean) =>
  path === "/v1/messages"
    ? { model: "m", max_tokens: 10, messages: name, stream }
    : { model: "m", input: name, stream, store: false }

/** One request that is left at a random moment; how long its upstream call outlived it, where there was one. */
const leave = async (n: number): Promise<number | undefined> => {
  const name = `call ${n}`
  const stream = n % 2 === 0
  const controller = new AbortController()
  const left = pause(120).then(() => {
    controller.abort()
    return performance.now()
  })
  try {
    const response = await fetch(gateway.url + paths[n % 4 < 2 ? 0 : 1], {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
      body: JSON.stringify(bodyOf(paths[n % 4 < 2 ? 0 : 1], name, stream)),
      signal: controller.signal
    })
    expect(response.status).toBe(200)
    for await (const _ of response.body ?? []);
  } catch (error) {
    if (!controller.signal.aborted) throw error
  }
  const at = await left
  const closed = open.get(name)
  return closed === undefined ? undefined : (await closed.promise) - at
}

describe("a client that leaves", () => {
  it("takes its upstream call along within 100 ms, and none of a thousand stays", async () => {
    const total = 1_000
    const outlived: Array<number> = []
    let next = 0
    const client = async () => {
      while (next < total) {
        const ms = await leave(next++)
        if (ms !== undefined) outlived.push(ms)
      }
    }
    await Promise.all(Array.from({ length: 16 }, client))
    // Those that waited for room reached nobody.
    await Bun.sleep(200)
    expect(open.size).toBe(0)
    expect(upstream.pendingRequests).toBe(0)
    expect(outlived.length).toBeGreaterThan(total / 3)
    const p99 = outlived.sort((a, b) => a - b)[Math.floor(outlived.length * 0.99)]
    console.log(
      `${outlived.length} upstream calls left: p50 ${outlived[outlived.length >> 1]?.toFixed(1)} ms, p99 ${p99?.toFixed(1)} ms`
    )
    expect(p99).toBeLessThan(100)
  })

  it("leaves room for those who stay", async () => {
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
      body: JSON.stringify(bodyOf("/v1/messages", "the last", true))
    })
    expect(response.status).toBe(200)
    await response.body?.cancel()
    await open.get("the last")?.promise
  })
})
