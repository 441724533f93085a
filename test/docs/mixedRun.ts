import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startGateway, testKey } from "../e2e/process.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { request } from "../request.ts"

export type Line = Readonly<Record<string, unknown>>

/** What is known of a request once it is over. */
export interface Told {
  readonly status: number
  /** What its client read. */
  readonly body: string
  /** Its lines of the log, in order. */
  readonly lines: ReadonlyArray<Line>
  /** What `GET /v1/requests/{id}` says. */
  readonly row: Line
}

export interface MixedRun {
  /** All of standard output. */
  readonly output: string
  readonly exitCode: number
  readonly failed: Told
  readonly failedOver: Told
  readonly cut: Told
}

const configuration = (down: string, fine: string) => `upstreams:
  east: { protocol: openai-chat, base_url: "${down}/v1" }
  west: { protocol: openai-chat, base_url: "${fine}/v1" }
models:
  house: { routes: [{ upstream: east, model: qwen3-32b }, { upstream: west, model: qwen3-32b }] }
  east-only: { routes: [{ upstream: east, model: qwen3-32b }] }
  west-only: { routes: [{ upstream: west, model: qwen3-32b }] }
keys:
  - { name: poor, secret: poor-key-0123456789abcdefgh, account: poor, balance_usd: 0.000001 }
`

/** Tries until it is there: lines and rows are written a moment after the answer. */
const eventually = async <A>(look: () => A | undefined | Promise<A | undefined>): Promise<A> => {
  for (const until = Date.now() + 60_000; Date.now() < until; await Bun.sleep(20)) {
    const found = await look()
    if (found !== undefined) return found
  }
  throw new Error("it did not come")
}

/**
 * A gateway from its start to its end, with two upstreams, one of which is down: requests that go well, fail, fail over
 * and are cut, a task that fails and its callback, a reader who leaves, keys and bodies that are none, a changed file, and an end in the middle of a stream.
 */
export const mixedRun = async (): Promise<MixedRun> => {
  const down = fakeUpstream("openai-chat", {
    answer: () => Response.json({ error: { message: "The engine is overloaded" } }, { status: 503 })
  })
  const fine = fakeUpstream("openai-chat")
  const folder = mkdtempSync(join(tmpdir(), "gateway-mixed-"))
  const file = join(folder, "gateway.yaml")
  writeFileSync(file, configuration(down.url, fine.url))
  const receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("no", { status: 410 }) })
  const env = {
    GATEWAY_LOG_FORMAT: "json",
    GATEWAY_DRAIN_SECONDS: "1",
    GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8",
    GATEWAY_NOTHING: "is no variable"
  }
  const gateway = await startGateway({ folder, toFile: true, env })
  const output = () => readFileSync(join(folder, "gateway.log"), "utf8")
  const lines = () => output().split("\n").slice(0, -1)

  const send = (path: string, body: object | string, init: { key?: string; signal?: AbortSignal } = {}) =>
    fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${init.key ?? testKey}`, "user-agent": "curl/8.5.0" },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...(init.signal === undefined ? {} : { signal: init.signal })
    })

  const linesOf = (id: string): ReadonlyArray<Line> =>
    lines().flatMap((text) => {
      const line = JSON.parse(text) as Line
      return line["request_id"] === id ? [line] : []
    })

  const told = async (path: string, body: object): Promise<Told> => {
    const response = await send(path, body)
    const read = await response.text()
    const id = response.headers.get("x-request-id") ?? ""
    await eventually(() => linesOf(id).find((line) => line["event"] === "request"))
    const row = await eventually(async () => {
      const found = await request(gateway, `/v1/requests/${id}`, { key: testKey })
      return found.status === 200 ? ((await found.json()) as Line) : undefined
    })
    return { status: response.status, body: read, lines: linesOf(id), row }
  }

  const messages = [{ role: "user", content: "Hello!" }]
  const asked = { max_tokens: 100, messages }
  try {
    const failedOver = await told("/v1/messages", { ...asked, model: "house" })
    const cut = await told("/v1/messages", {
      model: "west-only",
      max_tokens: 100,
      stream: true,
      messages: [{ role: "user", content: "Hello! breaks:off" }]
    })
    const failed = await told("/v1/messages", { ...asked, model: "east-only" })

    for (const [path, body, key] of [
      ["/v1/responses", { model: "sandbox-text", input: "Hello!", stream: true }, testKey],
      ["/v1/embeddings", { model: "sandbox-embed", input: "Hello!" }, testKey],
      ["/v1/messages", { ...asked, model: "nothing\n" }, testKey],
      ["/v1/messages", { ...asked, model: "house" }, "poor-key-0123456789abcdefgh"],
      ["/v1/messages", { ...asked, model: "house" }, "nobody's"],
      ["/v1/chat/completions", "{", testKey],
      ['/nothing/"é', {}, testKey]
    ] as const) {
      await (await send(path, body, { key })).text()
    }
    const video = { model: "sandbox-video", content: [{ type: "text", text: "[[sandbox: error=500]] A cat" }] }
    const task = { ...video, callback_url: `http://127.0.0.1:${receiver.port}/` }
    await (await send("/api/v3/contents/generations/tasks", task)).text()
    for (const event of ["task.changed", "delivery.attempt"]) {
      await eventually(() => lines().find((line) => line.includes(`"event":"${event}"`)))
    }
    const long = { model: "sandbox-text", input: "[[sandbox: tokens=100000]] long", stream: true }
    const leaving = new AbortController()
    const left = await send("/v1/responses", long, { signal: leaving.signal })
    await left.body?.getReader().read()
    leaving.abort()

    writeFileSync(file, `${readFileSync(file, "utf8")}# another line\n`)
    gateway.signal("SIGHUP")
    await eventually(() => lines().find((line) => line.includes('"config.reloaded"')))

    // Told to end while a stream runs, which gets its error frame in-band.
    const running = await send("/v1/messages", { ...asked, model: "sandbox-text", stream: true, messages: slowly })
    gateway.signal("SIGTERM")
    await running.text()
    return { exitCode: await gateway.exited, failed, failedOver, cut, output: output() }
  } finally {
    await gateway.dispose()
    await Promise.all([down.stop(), fine.stop(), receiver.stop(true)])
  }
}

const slowly = [{ role: "user", content: "[[sandbox: stall=3]] Hello!" }]
