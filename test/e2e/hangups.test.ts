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
    `upstreams: { slow: { protocol: openai-chat, base_url: "http://127.0.0.1:${upstream.port}/v1", max_concurrency: 12 } }
models: { m: slow }
`
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await upstream.stop(true)
})

type Ask = (content: string, stream: boolean) => readonly [path: string, body: object]
const families: readonly [Ask, Ask] = [
  (content, stream) => ["/v1/messages", { model: "m", max_tokens: 10, messages: content, stream }],
  (input, stream) => ["/v1/responses", { model: "m", input, stream, store: false }]
]

/** The upstream's own address, so that the machine's share of a delay is known. */
const directly: Ask = (content, stream) => ["/v1/chat/completions", { messages: [{ content }], stream }]

const post = (url: string, body: unknown, signal?: AbortSignal) =>
  fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal })
  })

/** One request that is left at a random moment; how long its upstream call outlived it, where there was one. */
const leave = async (origin: string, ask: Ask, n: number) => {
  const name = `${ask === directly ? "direct" : "call"} ${n}`
  const [path, body] = ask(name, n % 4 < 2)
  const controller = new AbortController()
  const left = pause(120).then(() => {
    controller.abort()
    return performance.now()
  })
  try {
    const response = await post(origin + path, body, controller.signal)
    expect(response.status).toBe(200)
    for await (const _ of response.body ?? []);
  } catch (error) {
    if (!controller.signal.aborted) throw error
  }
  const at = await left
  const closed = open.get(name)
  return closed === undefined ? undefined : (await closed.promise) - at
}

const percentile = (part: number, delays: ReadonlyArray<number>) =>
  delays.toSorted((a, b) => a - b)[Math.floor(delays.length * part)] ?? 0

describe("a client that leaves", () => {
  it("takes its upstream call along within 100 ms, and none of a thousand stays", async () => {
    // The first one waits for the vocabulary that counts what it used.
    for (let n = 0; n < 8; n++) await leave(gateway.url, families[n % 2] ?? families[0], 10_000 + n)
    const total = 1_000
    const outlived: Array<number> = []
    const machine: Array<number> = []
    let next = 0
    const client = async () => {
      while (next < total) {
        const n = next++
        const ms = await leave(gateway.url, families[n % 2] ?? families[0], n)
        if (ms !== undefined) outlived.push(ms)
        const bare = await leave(upstream.url.origin, directly, n)
        if (bare !== undefined) machine.push(bare)
      }
    }
    await Promise.all(Array.from({ length: 16 }, client))
    // Those that waited for room reached nobody.
    await Bun.sleep(200)
    expect(open.size).toBe(0)
    expect(upstream.pendingRequests).toBe(0)
    expect(outlived.length).toBeGreaterThan(total / 3)
    const p99 = percentile(0.99, outlived)
    const bare = percentile(0.99, machine)
    console.log(
      `${outlived.length} upstream calls outlived their clients by ${percentile(0.5, outlived).toFixed(1)} ms (p50), ` +
        `${p99.toFixed(1)} ms (p99); without the gateway ${bare.toFixed(1)} ms (p99)`
    )
    expect(p99 - bare).toBeLessThan(100)
  }, 60_000)

  it("leaves room for those who stay", async () => {
    const [path, body] = families[0]("the last", true)
    const response = await post(gateway.url + path, body)
    expect(response.status).toBe(200)
    await response.body?.cancel()
    await open.get("the last")?.promise
  })
})
