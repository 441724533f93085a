import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Database } from "bun:sqlite"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import OpenAI from "openai"
import { toneOf, wavHeader } from "../../src/sandbox/wav.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const asked: Array<{
  readonly path: string
  readonly fields: Record<string, unknown>
  readonly file: File
  readonly length: string | null
}> = []
/** Two and a half seconds. */
const samples = toneOf("a", 2.5)
const wav = () => new File([Buffer.concat([wavHeader(samples.length), samples])], "a.wav", { type: "audio/wav" })

const events = (...all: ReadonlyArray<object>) =>
  new Response(all.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" }
  })
/** Answers by the prompt. */
const answers: Record<string, () => Response> = {
  tokens: () =>
    Response.json({
      text: "A fox.",
      usage: {
        type: "tokens",
        input_tokens: 30,
        input_token_details: { text_tokens: 5, audio_tokens: 25 },
        output_tokens: 4,
        total_tokens: 34
      }
    }),
  seconds: () => Response.json({ text: "A fox.", usage: { type: "duration", seconds: 4 } }),
  duration: () => Response.json({ text: "A fox.", duration: 6.2, segments: [] }),
  endless: () => Response.json({ text: "A fox.", usage: { type: "duration", seconds: 1e15 } }),
  "no number": () => Response.json({ text: "A fox.", usage: { type: "duration", seconds: 1e300 } }),
  "no seconds": () => Response.json({ text: "A fox.", usage: { type: "duration", seconds: 0 } }),
  untold: () => new Response("event: A fox.\n", { headers: { "content-type": "text/plain" } }),
  "a page": () => new Response("<html></html>", { headers: { "content-type": "text/html" } }),
  "an error": () => Response.json({ error: { message: "Too short.", type: "invalid_request_error", param: "file" } }),
  stream: () =>
    events(
      { type: "transcript.text.delta", delta: "A fox." },
      { type: "transcript.text.done", text: "A fox.", usage: { type: "tokens", input_tokens: 30, output_tokens: 4 } }
    ),
  "timed stream": () =>
    events(
      { type: "transcript.text.delta", delta: "A fox." },
      { type: "transcript.text.done", text: "A fox.", usage: { type: "duration", seconds: 4 } }
    ),
  late: () =>
    new Response(new ReadableStream({ pull: () => new Promise(() => {}) }), {
      headers: { "content-type": "text/event-stream" }
    }),
  cut: () => events({ type: "transcript.text.delta", delta: "A fox." })
}
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const { file, ...fields } = Object.fromEntries(await request.formData())
    const { pathname } = new URL(request.url)
    if (file instanceof File)
      asked.push({ path: pathname, fields, file, length: request.headers.get("content-length") })
    const { prompt } = fields
    return (typeof prompt === "string" ? answers[prompt] : undefined)?.() ?? Response.json({})
  }
})
const broken = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    await request.arrayBuffer()
    return new Response("no", { status: 503 })
  }
})

const secret = "sound-secret-0123456789-0123456789"
const poor = "sound-poor-secret-0123456789-0123456789"
let gateway: GatewayHere
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gateway-sound-"))
  const at = (port: number | undefined) => `http://127.0.0.1:${port}/v1`
  const routes = (...names: ReadonlyArray<string>) => names.map((name) => ({ upstream: name, model: "theirs" }))
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: {
        chat: { protocol: "openai-chat", base_url: at(upstream.port) },
        responses: { protocol: "openai-responses", base_url: at(upstream.port) },
        bad: { protocol: "openai-responses", base_url: at(upstream.port) },
        down: { protocol: "openai-chat", base_url: at(broken.port) }
      },
      models: {
        "whisper-9": { routes: routes("down", "chat"), price: { per_audio_second: 0.0001 } },
        "gpt-5o-transcribe": { routes: routes("responses"), price: { input: 2.5, output: 10, audio: { input: 6 } } },
        "bad-whisper": { routes: routes("bad"), price: { per_audio_second: 0.0001 } }
      },
      keys: [
        { name: "rich", secret, balance_usd: 100 },
        { name: "poor", secret: poor, balance_usd: 0.00025 }
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

const path = "/v1/audio/transcriptions"
const ask = (
  fields: Readonly<Record<string, string | File>>,
  { key = secret, to = path, headers = {}, signal }: Asking = {}
) => {
  const body = new FormData()
  for (const [name, value] of Object.entries({ file: wav(), ...fields })) body.append(name, value)
  return fetch(gateway.url + to, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, ...headers },
    body,
    ...(signal && { signal })
  })
}
interface Asking {
  readonly key?: string
  readonly to?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}
const rowOf = async (headers: Headers) => {
  const database = new Database(join(folder, "data/gateway.db"), { readonly: true })
  for (;;) {
    const row = database
      .query<{ cost: number; seconds: number; estimated: number }, [string]>(
        "SELECT cost_nano_usd AS cost, audio_seconds AS seconds, estimated FROM usage WHERE request_id = ?"
      )
      .get(headers.get("x-request-id") ?? "")
    if (row !== null) return row
    await Bun.sleep(10)
  }
}
const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 })

describe("sandbox-transcribe", () => {
  it.each([
    ["json", '{"text":"Sound of 3 s in'],
    ["text", "Sound of 3 s in"],
    ["srt", "1\n00:00:00,000 --> 00:00:03,000\nSound"],
    ["vtt", "WEBVTT\n\n00:00:00.000 --> 00:00:03.000\nSound"],
    ["verbose_json", '{"task":"transcribe","language":"english","duration":3'],
    ["diarized_json", '{"task":"transcribe","duration":3']
  ])("answers in the format %s", async (response_format, begins) => {
    const response = await ask({ model: "sandbox-transcribe", response_format })
    expect(await response.text()).toContain(begins)
  })

  it("streams to OpenAI's client, and translates", async () => {
    const { audio } = client()
    const stream = await audio.transcriptions.create({ model: "sandbox-transcribe", file: wav(), stream: true })
    const types: Array<string> = []
    for await (const event of stream) types.push(event.type)
    expect(types.at(0)).toBe("transcript.text.delta")
    expect(types.at(-1)).toBe("transcript.text.done")
    expect((await audio.translations.create({ model: "sandbox-transcribe", file: wav() })).text).toContain(
      "Sound of 3 s"
    )
  })

  it("obeys directives", async () => {
    expect((await ask({ model: "sandbox-transcribe", prompt: "[[sandbox: error=429]]" })).status).toBe(429)
  })
})

describe("an upstream that transcribes", () => {
  it("gets the form as it came, by the next route if the first fails", async () => {
    const fields = { prompt: "seconds", language: "en", "timestamp_granularities[]": "word", tomorrow: "field" }
    const named = new File([await wav().arrayBuffer()], '../../etc/pass"wd.wav', { type: "audio/wav" })
    const response = await ask({ model: "whisper-9", ...fields, file: named })
    expect(await response.json()).toEqual({ text: "A fox.", usage: { type: "duration", seconds: 4 } })
    const { file = new File([], "none"), length, ...rest } = asked.at(-1) ?? {}
    expect(rest).toEqual({ path, fields: { model: "theirs", ...fields } })
    expect(Buffer.from(await file.arrayBuffer()).equals(Buffer.from(await wav().arrayBuffer()))).toBe(true)
    expect([file.name.includes("/"), Number(length) > samples.length]).toEqual([false, true])
    expect(await rowOf(response.headers)).toEqual({ cost: 400_000, seconds: 4, estimated: 0 })
  })

  it.each([
    ["gpt-5o-transcribe", "tokens", 25 * 6_000 + 5 * 2_500 + 4 * 10_000, 3, 0],
    ["whisper-9", "duration", 700_000, 7, 0],
    // By tokens, of which OpenAI's models take ten a second.
    ["gpt-5o-transcribe", "seconds", 40 * 6_000 + 3 * 10_000, 4, 1]
  ])("is paid for what it tells: %s, %s", async (model, prompt, cost, seconds, estimated) => {
    const response = await ask({ model, prompt })
    expect(response.status).toBe(200)
    expect(await rowOf(response.headers)).toMatchObject({ cost, seconds, estimated })
  })

  it("is paid for the file's length where it tells none, and its text is no event stream", async () => {
    const response = await ask({ model: "whisper-9", prompt: "untold", response_format: "text" })
    expect([response.headers.get("content-type"), await response.text()]).toEqual(["text/plain", "event: A fox.\n"])
    expect(await rowOf(response.headers)).toEqual({ cost: 300_000, seconds: 3, estimated: 1 })
  })

  it.each(["endless", "no number", "no seconds"])(
    "is paid for the file's length where the one that it tells can't be: %s",
    async (prompt) => {
      const response = await ask({ model: "whisper-9", prompt })
      expect(await rowOf(response.headers)).toEqual({ cost: 300_000, seconds: 3, estimated: 1 })
    }
  )

  it("streams", async () => {
    const response = await ask({ model: "gpt-5o-transcribe", prompt: "stream", stream: "true" })
    expect(await response.text()).toContain("transcript.text.done")
    expect(await rowOf(response.headers)).toMatchObject({ cost: 30 * 2_500 + 4 * 10_000 })
    const cut = await ask({ model: "gpt-5o-transcribe", prompt: "cut", stream: "true" })
    expect(await cut.text()).toContain("event: error")
    expect(await rowOf(cut.headers)).toMatchObject({ cost: 0 })
    const timed = await ask({ model: "gpt-5o-transcribe", prompt: "timed stream", stream: "true" })
    expect(await timed.text()).toContain("transcript.text.done")
    expect(await rowOf(timed.headers)).toEqual({ cost: 40 * 6_000 + 3 * 10_000, seconds: 4, estimated: 1 })
  })

  it("is asked for a whole translation, and refused a stream that nobody asked for", async () => {
    const to = "/v1/audio/translations"
    const response = await ask({ model: "gpt-5o-transcribe", prompt: "tokens", stream: "true" }, { to })
    expect([response.headers.get("x-gateway-adapted"), (await response.json()).text]).toEqual(["stream", "A fox."])
    expect(asked.at(-1)?.fields).toEqual({ model: "theirs", prompt: "tokens" })
    expect((await ask({ model: "bad-whisper", prompt: "stream" })).status).toBe(500)
  })

  it("is paid for the file's length if the client leaves before a stream begins", async () => {
    const before = asked.length
    const leave = new AbortController()
    const asking = ask({ model: "whisper-9", prompt: "late", stream: "true" }, { signal: leave.signal })
    await expect.poll(() => asked.length).toBe(before + 1)
    leave.abort()
    await expect(asking).rejects.toThrow()
    const rows = () => {
      const database = new Database(join(folder, "data/gateway.db"), { readonly: true })
      return database
        .query("SELECT cost_nano_usd AS cost, audio_seconds AS seconds FROM usage WHERE outcome = 'hang-up'")
        .all()
    }
    await expect.poll(rows).toEqual([{ cost: 300_000, seconds: 3 }])
  })

  it.each([
    ["an error", 400],
    ["a page", 500],
    ["anything else", 500]
  ])("is refused an answer that is none: %s", async (prompt, status) => {
    expect((await ask({ model: "bad-whisper", prompt })).status).toBe(status)
  })

  it("is asked once for an Idempotency-Key", async () => {
    const before = asked.length
    const headers = { "idempotency-key": "sound-1" }
    const say = async () => (await ask({ model: "whisper-9", prompt: "seconds" }, { headers })).text()
    expect(await say()).toBe(await say())
    expect(asked.length).toBe(before + 1)
  })
})

describe("admission", () => {
  it("holds the seconds of the file, and refuses what the balance can't pay", async () => {
    const broke = await ask({ model: "whisper-9", prompt: "seconds" }, { key: poor })
    expect([broke.status, (await broke.json()).error.code]).toEqual([402, "insufficient_quota"])
  })

  it.each([
    [{ file: new File([], "a.wav") }, 400, "file"],
    [{ file: "text" }, 400, "file"],
    [{ file: new File([new Uint8Array(26 * 1024 * 1024)], "a.wav") }, 413, null],
    [{ model: "sandbox-text" }, 400, "model"]
  ])("refuses %#", async (wrong, status, param) => {
    const refused = await ask({ model: "whisper-9", ...wrong })
    expect([refused.status, (await refused.json()).error.param]).toEqual([status, param])
  })

  it.each([
    ["ends too early", '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nwhisper-9'],
    ["another boundary", '--y\r\ncontent-disposition: form-data; name="model"\r\n\r\nwhisper-9\r\n--y--\r\n'],
    ["many fields", `${'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(100_000)}--x--\r\n`]
  ])("refuses a form: %s", async (_, body) => {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "multipart/form-data; boundary=x" }
    expect((await fetch(gateway.url + path, { method: "POST", headers, body })).status).toBe(400)
  })
})
