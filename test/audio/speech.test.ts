import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Database } from "bun:sqlite"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AzureOpenAI } from "openai"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const asked: Array<{ readonly path: string; readonly body: Record<string, unknown> }> = []
let left = 0
const second = Buffer.alloc(16_000, 7)
const audio = (body: BodyInit) => new Response(body, { headers: { "content-type": "audio/mpeg" } })
const events = (...all: ReadonlyArray<object>) =>
  new Response(all.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" }
  })

/** Sound that goes on until its reader leaves. */
const endless = () => {
  let timer: ReturnType<typeof setInterval>
  return audio(
    new ReadableStream({
      start: (controller) => {
        timer = setInterval(() => controller.enqueue(second.subarray(0, 1_600)), 5)
      },
      cancel: () => {
        left++
        clearInterval(timer)
      }
    })
  )
}
/** Answers by the input. */
const answers: Record<string, () => Response> = {
  "two seconds": () => audio(Buffer.concat([second, second])),
  endless,
  broken: () => {
    let count = 0
    return audio(
      new ReadableStream({
        pull: async (controller) => {
          await Bun.sleep(5)
          if (count++ < 3) controller.enqueue(second)
          else controller.error(new Error("broken"))
        }
      })
    )
  },
  empty: () => audio(""),
  "braces first": () => audio('{"a": 1'),
  "an error": () => Response.json({ error: { message: "No voice.", type: "invalid_request_error", param: "voice" } }),
  "a page": () => new Response("<html>Hello</html>", { headers: { "content-type": "text/html" } }),
  forbidden: () => Response.json({ error: { message: "Unknown voice.", param: "voice" } }, { status: 400 }),
  events: () =>
    events(
      { type: "speech.audio.delta", audio: second.toString("base64") },
      { type: "speech.audio.done", usage: { input_tokens: 5, output_tokens: 40, total_tokens: 45 } }
    ),
  "cut events": () => events({ type: "speech.audio.delta", audio: second.toString("base64") }),
  "failed events": () =>
    events({ type: "speech.audio.delta", audio: "AAAA" }, { type: "error", error: { message: "Overloaded" } })
}
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: async (request) => {
    const body = (await request.json()) as Record<string, unknown>
    asked.push({ path: new URL(request.url).pathname, body })
    return answers[String(body["input"])]?.() ?? Response.json({})
  }
})
const broken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("no", { status: 503 }) })

const secret = "speech-secret-0123456789-0123456789"
const poor = "speech-poor-secret-0123456789-0123456789"
let gateway: GatewayHere
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gateway-speech-"))
  const at = (port: number | undefined) => `http://127.0.0.1:${port}/v1`
  const routes = (...names: ReadonlyArray<string>) => names.map((name) => ({ upstream: name, model: "theirs" }))
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: {
        chat: { protocol: "openai-chat", base_url: at(upstream.port) },
        responses: { protocol: "openai-responses", base_url: at(upstream.port) },
        messages: { protocol: "anthropic-messages", base_url: at(upstream.port) },
        down: { protocol: "openai-chat", base_url: at(broken.port) },
        azure: {
          protocol: "openai-chat",
          provider: "azure",
          api_key: "azure-key",
          base_url: `http://127.0.0.1:${upstream.port}/openai?api-version=1`
        }
      },
      models: {
        "by-character": { kind: "speech", routes: routes("down", "chat"), price: { per_character: 0.000015 } },
        "gpt-5o-tts": { routes: routes("responses"), price: { input: 0.6, audio: { output: 12 } } },
        "speech-at-azure": { kind: "speech", routes: routes("azure"), price: { per_character: 0.000015 } },
        "speech-nowhere": { kind: "speech", routes: routes("messages"), price: { per_character: 1 } },
        "speech-unlisted": { kind: "speech", routes: routes("chat"), price: { per_search: 1 } }
      },
      keys: [
        { name: "rich", secret, balance_usd: 100 },
        { name: "poor", secret: poor, balance_usd: 0.0002 }
      ]
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await upstream.stop(true)
  await broken.stop(true)
})

const path = "/v1/audio/speech"
const ask = (body: object, { key = secret, to = path, headers = {}, signal }: Asking = {}) =>
  fetch(gateway.url + to, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ voice: "alloy", ...body }),
    ...(signal && { signal })
  })
interface Asking {
  readonly key?: string
  readonly to?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}
const json = async (...[body, how]: Parameters<typeof ask>) => {
  const response = await ask(body, how)
  return { status: response.status, headers: response.headers, body: await response.json() }
}
interface Row {
  readonly cost: number
  readonly characters: number
  readonly output: number
  readonly outcome: string
  readonly estimated: number
}
const rowOf = async (headers: Headers) => {
  const database = new Database(join(folder, "data/gateway.db"), { readonly: true })
  for (;;) {
    const row = database
      .query<Row, [string]>(
        "SELECT cost_nano_usd AS cost, characters, output_tokens AS output, outcome, estimated FROM usage WHERE request_id = ?"
      )
      .get(headers.get("x-request-id") ?? "")
    if (row !== null) return row
    await Bun.sleep(10)
  }
}

describe("an upstream that speaks", () => {
  it("gets the request as it came, by the next route if the first fails", async () => {
    const body = { input: "two seconds", voice: { id: "v1" }, speed: 1.5, response_format: "mp3", tomorrow: "field" }
    const response = await ask({ model: "by-character", ...body })
    expect(asked.at(-1)).toEqual({ path, body: { model: "theirs", ...body } })
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.concat([second, second]))).toBe(true)
    expect(response.headers.get("content-type")).toBe("audio/mpeg")
    expect(await rowOf(response.headers)).toMatchObject({ cost: 11 * 15_000, characters: 11, estimated: 0 })
  })

  it("is paid for the length of the sound where tokens are paid for and it tells none", async () => {
    const response = await ask({ model: "gpt-5o-tts", input: "two seconds" })
    await response.arrayBuffer()
    const row = await rowOf(response.headers)
    const output = Math.ceil((2 / 60) * 1_250)
    expect(row).toMatchObject({ output, estimated: 1, outcome: "finished" })
    expect(row.cost).toBe(2 * 600 + output * 12_000)
  })

  it("is paid for the tokens that its events tell", async () => {
    const response = await ask({ model: "gpt-5o-tts", input: "events", stream_format: "sse" })
    const text = await response.text()
    expect(text).toContain(`"audio":"${second.toString("base64")}"`)
    expect(text).toContain("speech.audio.done")
    expect(await rowOf(response.headers)).toMatchObject({ cost: 5 * 600 + 40 * 12_000, output: 40, estimated: 0 })
  })

  it("is left as soon as the client leaves, and paid for what it made", async () => {
    const leave = new AbortController()
    const response = await ask({ model: "gpt-5o-tts", input: "endless" }, { signal: leave.signal })
    const reader = response.body?.getReader()
    for (let read = 0; read < 16_000;) read += (await reader?.read())?.value?.length ?? 0
    leave.abort()
    const row = await rowOf(response.headers)
    expect(row).toMatchObject({ outcome: "hang-up", estimated: 1 })
    expect(row.output).toBeGreaterThanOrEqual(Math.ceil(1_250 / 60))
    expect(row.output).toBeLessThan(1_250)
    await expect.poll(() => left).toBe(1)
  })

  it("is not taken for a liar in the gateway's log where it goes on without end", async () => {
    const leave = new AbortController()
    const response = await ask({ model: "gpt-5o-tts", input: "endless" }, { signal: leave.signal })
    const reader = response.body?.getReader()
    // More than the words can have: 549 tokens are 26 s.
    for (let read = 0; read < 30 * 16_000;) read += (await reader?.read())?.value?.length ?? 0
    leave.abort()
    const { cost } = await rowOf(response.headers)
    expect(cost).toBeLessThanOrEqual(2 * 600 + 549 * 12_000)
    expect(gateway.output()).not.toContain("usage.doubted")
  })

  it("that breaks off breaks the answer off, and costs the caller nothing", async () => {
    const response = await ask({ model: "by-character", input: "broken" })
    expect(response.status).toBe(200)
    await expect(response.arrayBuffer()).rejects.toThrow()
    expect(await rowOf(response.headers)).toMatchObject({ cost: 0 })
  })

  it("may begin its sound with a brace", async () => {
    const response = await ask({ model: "by-character", input: "braces first" })
    expect(await response.text()).toBe('{"a": 1')
  })

  it("has its failure in the events", async () => {
    const response = await ask({ model: "by-character", input: "cut events", stream_format: "sse" })
    expect(await response.text()).toMatch(/event: error\ndata: .*"error"/)
    expect(await rowOf(response.headers)).toMatchObject({ cost: 0 })
  })

  it.each([
    ["an error", 400],
    ["a page", 500],
    ["empty", 500],
    ["failed events", 500],
    ["anything else", 500]
  ])("is refused an answer that is none: %s", async (input, status) => {
    const refused = await json({ model: "gpt-5o-tts", input })
    expect([refused.status, refused.headers.get("content-type")]).toEqual([status, "application/json"])
  })

  it("refuses in its own words", async () => {
    const { body, status } = await json({ model: "by-character", input: "forbidden" })
    expect([status, body.error.message, body.error.param]).toEqual([400, expect.stringContaining("voice"), "voice"])
  })

  it("is asked at its deployment, at Azure", async () => {
    await (await ask({ model: "speech-at-azure", input: "two seconds" })).arrayBuffer()
    expect(asked.at(-1)?.path).toBe("/openai/deployments/theirs/audio/speech")
  })

  it("serves Azure's client", async () => {
    const azure = new AzureOpenAI({ endpoint: gateway.url, apiKey: secret, apiVersion: "2025-04-01-preview" })
    const spoken = await azure.audio.speech.create({ model: "by-character", input: "two seconds", voice: "alloy" })
    expect((await spoken.arrayBuffer()).byteLength).toBe(32_000)
  })

  it("speaks once for an Idempotency-Key", async () => {
    const before = asked.length
    const headers = { "idempotency-key": "speech-1" }
    const say = async () => {
      const response = await ask({ model: "by-character", input: "two seconds" }, { headers })
      return { type: response.headers.get("content-type"), bytes: (await response.arrayBuffer()).byteLength }
    }
    expect([await say(), await say()]).toEqual(Array.from({ length: 2 }, () => ({ type: "audio/mpeg", bytes: 32_000 })))
    expect(asked.length).toBe(before + 1)
  })
})

describe("admission", () => {
  it("holds the characters, and refuses what the balance can't pay", async () => {
    const before = asked.length
    const broke = await json({ model: "by-character", input: "a".repeat(14) }, { key: poor })
    expect([broke.status, broke.body.error.code, asked.length]).toEqual([402, "insufficient_quota", before])
    expect((await ask({ model: "by-character", input: "two seconds" }, { key: poor })).status).toBe(200)
  })

  it("quotes the characters", async () => {
    const quote = { endpoint: path, body: { model: "by-character", input: "Grüße 🎉", voice: "alloy" } }
    const { body } = await json(quote, { to: "/v1/quote" })
    expect(body.maximum.cost.nano_usd).toBe(7 * 15_000)
  })

  it("refuses a price that has neither characters nor tokens", async () => {
    const { body, status } = await json({ model: "speech-unlisted", input: "a" })
    expect([status, body.error.param]).toEqual([403, "input"])
  })

  it.each([
    [{ input: "" }, "input"],
    [{ input: "a".repeat(100_001) }, "input"],
    [{ input: "a", speed: 5 }, "speed"],
    [{ input: "a", stream_format: "wav" }, "stream_format"]
  ])("names the field that is wrong: %#", async (wrong, param) => {
    const { body, status } = await json({ model: "by-character", ...wrong })
    expect([status, body.error.param]).toEqual([400, param])
  })

  it.each(["speech-nowhere", "sandbox-text"])("refuses a model that does not speak: %s", async (model) => {
    expect((await json({ model, input: "a" })).status).toBe(400)
  })
})
