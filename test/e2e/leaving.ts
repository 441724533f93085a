import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startGateway } from "./process.ts"

/** A request for a stream: a whole answer would be read on without its client. */
type Ask = (content: string) => readonly [path: string, body: object]
export const messages: Ask = (content) => [
  "/v1/messages",
  { model: "m", max_tokens: 10, messages: content, stream: true }
]
const responses: Ask = (input) => ["/v1/responses", { model: "m", input, stream: true, store: false }]
/** The upstream's own address, so that the machine's share of a delay is known. */
const directly: Ask = (content) => ["/v1/chat/completions", { messages: [{ content }], stream: true }]

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.random() * ms))
const chunk = (content: string) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`

/** A call of the upstream. */
class Call {
  isOpen = false
  readonly arrived = Promise.withResolvers<void>()
  /** When it ended. */
  readonly closed = Promise.withResolvers<number>()
}

/** An upstream that is slow at everything, and knows which calls are still open: each is named by its request. */
const slowUpstream = () => {
  const calls = new Map<string, Call>()
  const call = (name: string) => {
    const known = calls.get(name) ?? new Call()
    calls.set(name, known)
    return known
  }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const { messages } = (await request.json()) as { messages: [{ content: string }] }
      const one = call(messages[0].content)
      one.isOpen = true
      one.arrived.resolve()
      request.signal.addEventListener("abort", () => {
        one.isOpen = false
        one.closed.resolve(performance.now())
      })
      await pause(60)
      // Every second pair is silent.
      if (Number(/\d+$/.exec(messages[0].content)?.[0] ?? 0) % 4 >= 2) return new Promise<Response>(() => {})
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
  return { call, open: () => [...calls.values()].filter(({ isOpen }) => isOpen).length, server }
}

/** Upstream calls that outlived their clients, in ms each: through the gateway, and without it. */
export interface Outlived {
  readonly here: ReadonlyArray<number>
  readonly bare: ReadonlyArray<number>
}

/** A gateway in front of an upstream that would go on for ever, and clients that leave it. */
export const startLeaving = async () => {
  const { call, open, server } = slowUpstream()
  const folder = mkdtempSync(join(tmpdir(), "gateway-hangups-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams: { slow: { protocol: openai-chat, base_url: "http://127.0.0.1:${server.port}/v1", max_concurrency: 12 } }
models: { m: slow }
`
  )
  const gateway = await startGateway({ folder })

  const post = (origin: string, [path, body]: ReturnType<Ask>, signal?: AbortSignal) =>
    fetch(origin + path, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal })
    })

  /**
   * One request that is left at a random moment, every third after it has reached the upstream; how long its upstream
   * call outlived it, where there was one.
   */
  const leave = async (origin: string, ask: Ask, n: number) => {
    const name = `${ask === directly ? "direct" : "call"} ${n}`
    const controller = new AbortController()
    const { arrived, closed } = call(name)
    let hasArrived = false
    void arrived.promise.then(() => (hasArrived = true))
    const leaving = async () => {
      if (n % 3 === 0) await arrived.promise
      await pause(120)
      controller.abort()
      return { at: performance.now(), isCalled: hasArrived }
    }
    const left = leaving()
    try {
      const response = await post(origin, ask(name), controller.signal)
      if (response.status !== 200) throw new Error(`${name}: ${response.status} ${await response.text()}`)
      for await (const _ of response.body ?? []);
    } catch (error) {
      if (!controller.signal.aborted) throw error
    }
    const { at, isCalled } = await left
    return isCalled ? (await closed.promise) - at : undefined
  }

  /** So many clients leave, sixteen at a time; comes to an end once every upstream call that was seen has ended. */
  const leaveAll = async (total: number): Promise<Outlived> => {
    const family = (n: number) => (n % 2 === 0 ? messages : responses)
    // The first one waits for the vocabulary that counts what it used.
    for (let n = 0; n < 8; n++) await leave(gateway.url, family(n), total + n)
    const here: Array<number> = []
    const bare: Array<number> = []
    let next = 0
    const client = async () => {
      while (next < total) {
        const n = next++
        const ms = await leave(gateway.url, family(n), n)
        if (ms !== undefined) here.push(ms)
        const direct = await leave(server.url.origin, directly, n)
        if (direct !== undefined) bare.push(direct)
      }
    }
    await Promise.all(Array.from({ length: 16 }, client))
    return { here, bare }
  }

  return {
    post: (ask: ReturnType<Ask>) => post(gateway.url, ask),
    leaveAll,
    /** Resolves once the upstream call of that name has ended. */
    ended: (name: string) => call(name).closed.promise,
    /** Upstream calls that run now, as the upstream and as its server count them. */
    running: () => [open(), server.pendingRequests] as const,
    dispose: async () => {
      await gateway.dispose()
      await server.stop(true)
    }
  }
}
