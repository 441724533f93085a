import { mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@effect/vitest"
import { request } from "../request.ts"
import { arkKey, fakeArk } from "../upstreams/fakes/ark.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"
import { program } from "./program.ts"
import { json, path as arkPath, until } from "./videoTask.ts"

/** What the process may open: a small bound, so that a test reaches it. */
const limit = 1_200
/** Three quarters of that, a quarter of which is one key's. */
const ofKey = 225
const attacker = "attacker-secret-0123456789abcdef"

const chunk = (text: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`

/** A chat upstream whose streams go on for as long as they are read, on a connection each. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: async (asked) => {
    const { stream } = (await asked.json()) as { readonly stream?: boolean }
    const done = { index: 0, message: { role: "assistant", content: "here" }, finish_reason: "stop" }
    if (stream !== true) return Response.json({ choices: [done], usage: { prompt_tokens: 1, completion_tokens: 1 } })
    const words = new ReadableStream<string>({
      pull: async (controller) => {
        await Bun.sleep(20)
        controller.enqueue(chunk("word "))
      }
    })
    return new Response(words, { headers: { "content-type": "text/event-stream", connection: "close" } })
  }
})
const callbacks: Array<string> = []
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (callback) => {
    callbacks.push(((await callback.json()) as { readonly status: string }).status)
    return new Response()
  }
})
const ark = fakeArk()

let gateway: GatewayProcess
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-forms-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams:
  chat: { protocol: openai-chat, base_url: "http://127.0.0.1:${upstream.port}/v1" }
  ark: { protocol: ark-video, base_url: "${ark.baseUrl}", api_key: ${arkKey} }
models:
  words: chat
  seedance: { routes: [{ upstream: ark, model: doubao-seedance-1-0-pro }] }
keys:
  - { name: attacker, secret: ${attacker} }
callbacks: { allow: [127.0.0.0/8] }
`
  )
  const limited = ["bash", "-c", `ulimit -n ${limit} && exec "$@"`, "--", ...program(), "serve"]
  gateway = await startGateway({ folder, command: limited, env: { GATEWAY_ADMIN_KEY: "admin-key-of-24-characters-x" } })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([upstream, receiver, ark].map((server) => server.stop(true)))
})

const opened: Array<{ readonly end: () => unknown }> = []
afterEach(() => opened.splice(0).map((socket) => socket.end()))

/** A connection that sends a beginning and then nothing. Tells the first line of the answer, if one comes. */
const connect = async (beginning: string) => {
  const answer = Promise.withResolvers<string>()
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(gateway.url).port),
    socket: {
      open: (own) => void (beginning === "" || own.write(beginning)),
      data: (_, bytes) => answer.resolve(bytes.toString()),
      close: () => answer.resolve("closed"),
      error: () => answer.resolve("failed")
    }
  })
  opened.push(socket)
  return { answer: answer.promise }
}

const part = (at: number, content: string) =>
  `--b\r\ncontent-disposition: form-data; name="input_reference"; filename="${at}.png"\r\n\r\n${content}\r\n`

/** Sixty files of a byte, in a form that does not end. */
const form = [
  "POST /v1/videos HTTP/1.1",
  "host: gateway",
  `authorization: Bearer ${attacker}`,
  "content-type: multipart/form-data; boundary=b",
  "content-length: 1000000",
  "",
  Array.from({ length: 60 }, (_, at) => part(at, "x")).join("")
].join("\r\n")

const descriptors = () => readdirSync(`/proc/${gateway.pid}/fd`).length

/** A stream, and how many words have come so far. */
const stream = async () => {
  const abort = new AbortController()
  const body = { model: "words", stream: true, messages: [{ role: "user", content: "go on" }] }
  const { body: answer, status } = await request(gateway, "/v1/chat/completions", { body, signal: abort.signal })
  expect(status).toBe(200)
  let words = 0
  const read = async () => {
    for await (const bytes of answer ?? []) words += Buffer.from(bytes).toString().split("word").length - 1
  }
  void read().catch(() => {})
  return { words: () => words, end: () => abort.abort() }
}

/** A stream that is under way goes on, and so do a video that is, and its callback. */
const goesOn = async (under: Awaited<ReturnType<typeof stream>>, video: string) => {
  const before = under.words()
  await until(under.words, (words) => words > before + 20)
  const task = ark.tasks.find(({ body }) => JSON.stringify(body).includes(video))
  ark.move(task?.id ?? "", "succeeded")
  await until(
    () => callbacks,
    (told) => told.includes("succeeded")
  )
  callbacks.length = 0
}

const video = async (prompt: string) => {
  const created = await request(gateway, arkPath, {
    body: {
      model: "seedance",
      content: [{ type: "text", text: prompt }],
      callback_url: `http://127.0.0.1:${receiver.port}/`
    }
  })
  expect(created.status).toBe(200)
  await until(
    () => ark.tasks,
    (tasks) => tasks.some(({ body }) => JSON.stringify(body).includes(prompt))
  )
}

const circuits = async () => {
  const answer = await json(request(gateway, "/admin/v1/upstreams", { key: "admin-key-of-24-characters-x" }))
  return JSON.stringify(answer).includes('"open"')
}

describe("a thousand forms of one key that do not end", () => {
  it("hold the key's share, are refused beyond it, and leave others' streams, videos and callbacks alone", async () => {
    await video("first")
    const under = await stream()
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => connect(form)))
    const refused = await until(
      async () => {
        const settled = await Promise.all(
          answers.map(({ answer }) => Promise.race([answer.then((text) => text), Bun.sleep(1).then(() => "open")]))
        )
        return settled.filter((text) => text !== "open")
      },
      (texts) => texts.length >= 1_000 - ofKey
    )
    expect(refused).toHaveLength(1_000 - ofKey)
    for (const text of refused) {
      expect(text).toContain("HTTP/1.1 429")
      expect(text.toLowerCase()).toContain("retry-after: 1")
      expect(text.toLowerCase()).toContain("connection: close")
      expect(text).toContain('"error"')
    }
    await until(descriptors, (open) => open < (limit * 3) / 4)
    await goesOn(under, "first")
    const body = { model: "words", messages: [{ role: "user", content: "hi" }] }
    expect((await request(gateway, "/v1/chat/completions", { body })).status).toBe(200)
    const another = await stream()
    another.end()
    await video("second")
    expect(await circuits()).toBe(false)
    under.end()
  })

  it("give everything back when they are left", async () => {
    const { length } = await Promise.all(Array.from({ length: ofKey }, () => connect(form)))
    expect(length).toBe(ofKey)
    await until(descriptors, (open) => open >= ofKey)
    for (const socket of opened.splice(0)) socket.end()
    const body = { model: "words", messages: [{ role: "user", content: "hi" }] }
    await until(
      async () => (await request(gateway, "/v1/chat/completions", { body, key: attacker })).status,
      (status) => status === 200
    )
  })
})

describe("connections that send nothing, which are nobody's", () => {
  it("use no more than is not kept free, and what is under way goes on", async () => {
    await video("third")
    const under = await stream()
    for (let batch = 0; batch < (limit + 200) / 50; batch++) {
      await Promise.all(Array.from({ length: 50 }, () => connect("").catch(() => undefined)))
    }
    await until(descriptors, (open) => open > (limit * 3) / 4)
    await goesOn(under, "third")
    // A busy machine accepts many at once; then they are closed.
    await until(descriptors, (open) => open < limit)
    expect(gateway.output()).toContain("descriptors.scarce")
    under.end()
    for (const socket of opened.splice(0)) socket.end()
    const body = { model: "words", messages: [{ role: "user", content: "hi" }] }
    await until(
      () =>
        request(gateway, "/v1/chat/completions", { body }).then(
          ({ status }) => status,
          () => 0
        ),
      (status) => status === 200
    )
    expect(await circuits()).toBe(false)
  })
})
