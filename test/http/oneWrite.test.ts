import { connect } from "node:net"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"

const words = "word ".repeat(8_000)
const chunk = (content: string) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const answer = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: words }, finish_reason: "stop" }],
  usage
}
/** More than sockets hold. */
const huge = 20_000_000
const end = `data: ${JSON.stringify({ ...answer, object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`

/** Of whose requests and answers the bodies are kept. */
const recordedKey = "recorded-key-0123456789abcdefghijklm"

let upstream: Bun.Server<undefined>
let gateway: GatewayProcess
beforeAll(async () => {
  upstream = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { model, stream } = (await request.json()) as { model: string; stream?: boolean }
      if (model === "huge") {
        const message = { role: "assistant", content: "x".repeat(huge) }
        return Response.json({ ...answer, choices: [{ index: 0, message, finish_reason: "stop" }] })
      }
      if (stream !== true) return Response.json(answer)
      return new Response(chunk("word ").repeat(300) + end, { headers: { "content-type": "text/event-stream" } })
    }
  })
  const folder = mkdtempSync(join(tmpdir(), "gateway-write-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams: { there: { protocol: openai-chat, base_url: "${upstream.url.href}v1", api_key: k } }
models:
  long: { routes: [{ upstream: there, model: m }] }
  huge: { routes: [{ upstream: there, model: huge }] }
keys: [{ name: kept, secret: "${recordedKey}", account: kept, models: ["*"] }]
accounts: { kept: { record: { bodies: on } } }`
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await upstream.stop(true)
})

interface Wire {
  /** How many pieces had come when the head was there as a whole. */
  readonly headPieces: number
  readonly text: string
}

/** An answer as read from a bare socket. */
const over = (path: string, body: object, version = "1.1"): Promise<Wire> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(gateway.url)
    const sent = JSON.stringify(body)
    let [text, pieces, headPieces] = ["", 0, 0]
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `POST ${path} HTTP/${version}\r\nhost: x\r\nauthorization: Bearer ${gateway.key}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${sent.length}\r\n\r\n${sent}`
      )
    )
    socket.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1")
      pieces++
      if (headPieces === 0 && text.includes("\r\n\r\n")) headPieces = pieces
    })
    socket.on("error", reject)
    socket.on("close", () => resolve({ headPieces, text }))
  })

const asked = { model: "long", max_tokens: 20_000, messages: [{ role: "user", content: "Go on." }] }

describe("an answer longer than the server's buffer", () => {
  it.each(["/v1/messages", "/v1/chat/completions"])("leaves with its head (%s)", async (path) => {
    const { headPieces, text } = await over(path, asked)
    expect(text).toMatch(/^HTTP\/1\.1 200/)
    expect(headPieces).toBe(1)
    expect(text.match(/word /g)).toHaveLength(8_000)
  })

  it("is a stream whose head leaves with what is there by then", async () => {
    const { headPieces, text } = await over("/v1/chat/completions", { ...asked, stream: true })
    expect(headPieces).toBe(1)
    expect(text.match(/word /g)).toHaveLength(300)
    expect(text).toContain("data: [DONE]\n\n")
  })

  it("is no chunks to a client of HTTP/1.0, which knows none", async () => {
    const { text } = await over("/v1/chat/completions", asked, "1.0")
    const [head = "", body = ""] = text.split("\r\n\r\n")
    expect(head.toLowerCase()).not.toContain("chunked")
    expect(JSON.parse(body)).toMatchObject({ model: "long", usage })
  })

  it("is the same through a client that checks it, and when it is given again for its key, or recorded", async () => {
    const given: Array<string | null> = []
    const ask = async (key: string, idempotency: Readonly<Record<string, string>>) => {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...idempotency },
        body: JSON.stringify(asked)
      })
      given.push(response.headers.get("idempotent-replayed"))
      expect(await response.json()).toEqual({ ...answer, model: "long" })
    }
    for (const key of [gateway.key, recordedKey]) {
      for (const idempotency of [{}, { "idempotency-key": "a" }, { "idempotency-key": "a" }])
        await ask(key, idempotency)
    }
    expect(given).toEqual([null, null, "true", null, null, "true"])
  })

  // The last: the server stops after it.
  it("is given whole to a slow reader while the gateway stops, which SIGHUP does not cut short", async () => {
    const { hostname, port } = new URL(gateway.url)
    const body = JSON.stringify({ ...asked, model: "huge" })
    let taken = 0
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
      )
    )
    const begun = Promise.withResolvers<void>()
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()))
    socket.on("data", (bytes: Buffer) => {
      taken += bytes.length
      begun.resolve()
      gateway.signal("SIGHUP")
      socket.pause()
      setTimeout(() => socket.resume(), 5)
    })
    await begun.promise
    gateway.signal("SIGTERM")
    await closed
    expect(taken).toBeGreaterThan(huge)
    expect(await gateway.exited).toBe(0)
  })
})
