import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI, { APIError } from "openai"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import type { Asked } from "../../upstreams/fakes/fakeUpstream.ts"
import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"

const secret = "mine-key-0123456789-0123456789-0123"
const asked: Array<Asked["body"]> = []
/** Without usage, so that the gateway counts. */
let isCounted = false
let isBroken = false

const head = { id: "chatcmpl-theirs", created: 7, model: "gpt-theirs", system_fingerprint: "fp" }
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const chunk = (choices: ReadonlyArray<object>, more: object = {}) =>
  `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices, ...more })}\n\n`

const upstream = fakeUpstream("openai-chat", {
  answer: ({ body }) => {
    asked.push(body)
    const count = body.n ?? 1
    const indexes = Array.from({ length: count }, (_, index) => index)
    if (body.stream !== true) {
      const choices = indexes.map((index) => ({
        index,
        message: { role: "assistant", content: `Hi ${index}` },
        finish_reason: "stop"
      }))
      return Response.json({ ...head, object: "chat.completion", choices, ...(isCounted ? {} : { usage }) })
    }
    const frames = [
      ...indexes.map((index) => chunk([{ index, delta: { role: "assistant", content: "" } }])),
      ...indexes.map((index) => chunk([{ index, delta: { content: "Hi " } }])),
      ...indexes.map((index) => chunk([{ index, delta: { content: `${index}` } }])),
      ...(isBroken ? [] : indexes.map((index) => chunk([{ index, delta: {}, finish_reason: "stop" }]))),
      ...(isBroken || isCounted ? [] : [chunk([], { usage })]),
      ...(isBroken ? [] : ["data: [DONE]\n\n"])
    ]
    return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } })
  }
})
afterAll(() => upstream.stop())

describe("a stored completion of an upstream of the same dialect", () => {
  let gateway: GatewayHere
  let client: OpenAI
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-stored-"))
    writeFileSync(
      join(folder, "gateway.yaml"),
      JSON.stringify({
        upstreams: { own: { protocol: "openai-chat", base_url: `${upstream.url}/v1`, api_key: "x" } },
        models: { m: "own" },
        keys: [{ name: "mine", account: "mine", secret }],
        unpriced: "allow"
      })
    )
    gateway = await startGateway({ folder })
    client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 })
  })
  afterAll(() => gateway.dispose())

  const body = { model: "m", messages: [{ role: "user" as const, content: "Hi" }], metadata: { a: "b" } }
  const stored = (id: string) => client.chat.completions.retrieve(id)
  const choices = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      index,
      finish_reason: "stop",
      message: { role: "assistant", content: `Hi ${index}` }
    }))
  const streamed = async (n: number, more: object = {}) => {
    const stream = await client.chat.completions.create({ ...body, store: true, stream: true, n, ...more })
    const ids = new Set<string>()
    for await (const { id, model } of stream) {
      expect(model).toBe("m")
      ids.add(id)
    }
    expect(ids.size).toBe(1)
    return [...ids][0] ?? ""
  }

  it("has the gateway's id, and the upstream stores nothing", async () => {
    // Of a long body, what does not change is sent as it came.
    for (const content of ["Hi", "Hi ".repeat(400_000)]) {
      const messages = [{ role: "user" as const, content }]
      const answered = await client.chat.completions.create({ ...body, messages, store: true })
      expect(answered.id).toMatch(/^chatcmpl-[0-9a-f]{32}$/)
      expect(asked.at(-1)).not.toHaveProperty("store")
      expect(asked.at(-1)).not.toHaveProperty("metadata")
      expect(asked.at(-1).messages).toEqual(messages)
      expect(await stored(answered.id)).toEqual({ ...answered, metadata: { a: "b" } })
    }
  })

  it("is passed through as it came without it", async () => {
    const answered = await client.chat.completions.create({ ...body, store: false })
    expect(answered.id).toBe(head.id)
    expect(asked.at(-1)).toMatchObject({ store: false, metadata: { a: "b" } })
  })

  it("is whole after a stream, also of several answers", async () => {
    for (const count of [1, 2]) {
      expect(await stored(await streamed(count))).toMatchObject({
        created: 7,
        model: "m",
        object: "chat.completion",
        system_fingerprint: "fp",
        choices: choices(count),
        usage,
        metadata: { a: "b" }
      })
    }
  })

  it("has the usage that the gateway counted", async () => {
    isCounted = true
    const found = [
      await stored((await client.chat.completions.create({ ...body, store: true })).id),
      await stored(await streamed(1)),
      await stored(await streamed(1, { stream_options: { include_usage: true } }))
    ]
    isCounted = false
    for (const one of found) expect(one.usage?.completion_tokens).toBeGreaterThan(0)
  })

  it("is not stored if its stream breaks off", async () => {
    const before = await client.chat.completions.list({ limit: 100 })
    isBroken = true
    await expect(streamed(1)).rejects.toThrow(APIError)
    isBroken = false
    expect((await client.chat.completions.list({ limit: 100 })).data).toHaveLength(before.data.length)
  })
})
