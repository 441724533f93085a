import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { adminKey, allow, blockWord, guardedGateway, hideNames, secret, startHook } from "./startGuarded.ts"
import type { Asked } from "./startGuarded.ts"

const hook = startHook()
const bounds = { url: hook.url, secret, timeout_seconds: 0.5, hold_ms: 400 }
const route = { upstream: "sandbox", model: "sandbox-text" }
let counts = 0
/** An upstream that counts tokens. */
const counter = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => {
    counts++
    return Response.json({ input_tokens: 12_345 })
  }
})
let gateway: GatewayHere
beforeAll(async () => {
  gateway = await guardedGateway({
    guardrails: {
      block: { ...bounds, mode: "block" },
      open: { ...bounds, mode: "block", fail: "open" },
      redact: { ...bounds, mode: "redact" },
      observe: { ...bounds, mode: "observe" },
      audited: { ...bounds, mode: "block" }
    },
    upstreams: {
      elsewhere: { protocol: "anthropic-messages", base_url: counter.url.origin },
      answering: { protocol: "openai-responses", base_url: `${counter.url.origin}/v1` }
    },
    models: {
      ...Object.fromEntries(
        ["block", "open", "redact", "observe"].map((name) => [name, { routes: [route], guardrails: [name] }])
      ),
      vectors: {
        routes: [{ upstream: "sandbox", model: "sandbox-embedding" }],
        kind: "embedding",
        guardrails: ["block"]
      },
      "vectors-observed": {
        routes: [{ upstream: "sandbox", model: "sandbox-embedding" }],
        kind: "embedding",
        guardrails: ["observe"]
      },
      "vectors-audited": {
        routes: [{ upstream: "sandbox", model: "sandbox-embedding" }],
        kind: "embedding",
        guardrails: ["audited"]
      },
      "vectors-redacted": {
        routes: [{ upstream: "sandbox", model: "sandbox-embedding" }],
        kind: "embedding",
        guardrails: ["redact"]
      },
      "counted-elsewhere": { routes: [{ upstream: "elsewhere" }] },
      "counted-here": { routes: [{ upstream: "elsewhere" }], guardrails: ["block"] },
      ranked: { kind: "rerank", routes: [{ upstream: "sandbox", model: "sandbox-rerank" }], guardrails: ["block"] },
      priced: { routes: [route], price: { input: 1, output: 1 }, guardrails: ["block"] },
      later: { routes: [{ upstream: "answering" }], guardrails: ["block"] },
      near: { routes: [route], fallbacks: { failed: ["block"] } },
      far: { routes: [route], fallbacks: { too_long: ["near"] } }
    }
  })
})
afterAll(async () => {
  await gateway.dispose()
  await hook.stop()
  await counter.stop(true)
})

/** Whole answers of each family of texts. */
const families = {
  chat: { path: "/v1/chat/completions", body: (text: string) => ({ messages: [{ role: "user", content: text }] }) },
  responses: { path: "/v1/responses", body: (text: string) => ({ input: text }) },
  messages: {
    path: "/v1/messages",
    body: (text: string) => ({ max_tokens: 100, messages: [{ role: "user", content: text }] })
  },
  completions: { path: "/v1/completions", body: (text: string) => ({ prompt: text }) }
}

const row = async (id: string | null) => {
  const read = async () => (await request(gateway, `/v1/requests/${id}`)).json()
  await expect.poll(async () => (await read()).guardrails?.length).toBeGreaterThan(0)
  return read()
}

describe.each(Object.entries(families))("a guardrail of %s", (family, { body, path }) => {
  const ask = (model: string, text: string, stream = false) =>
    request(gateway, path, { body: { ...body(text), model, stream } })

  it.each([false, true])("puts words back in the place of their placeholders, streamed: %s", async (stream) => {
    hook.answers(hideNames)
    const answer = await ask("redact", "Greet Ann Lee", stream)
    expect(answer.status).toBe(200)
    const text = await answer.text()
    expect(text).not.toContain("PERSON_1")
    expect(text).toContain("Ann Lee")
    expect(hook.seen.map(({ type }) => type)).toContain("guardrail.output")
    expect(JSON.stringify(hook.seen.at(-1))).toContain("<PERSON_1>")
    expect(JSON.stringify(hook.seen.at(-1))).not.toContain("Ann Lee")
    const { guardrails } = await row(answer.headers.get("x-request-id"))
    expect(guardrails).toMatchObject([
      { name: "redact", on: "input", calls: 1, verdict: "replaced" },
      { name: "redact", on: "output", verdict: "allowed" }
    ])
  })

  it("refuses a request that it blocks, and keeps none of its words", async () => {
    hook.answers(blockWord("hunter2"))
    const answer = await ask("block", "The password is hunter2")
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain("Not that word")
    expect(hook.seen).toMatchObject([{ type: "guardrail.input", guardrail: "block", mode: "block" }])
    const kept = await row(answer.headers.get("x-request-id"))
    expect(kept).toMatchObject({ guardrails: [{ name: "block", on: "input", calls: 1, verdict: "blocked" }] })
    expect(JSON.stringify(kept)).not.toContain("Not that word")
    expect(gateway.output()).not.toContain("Not that word")
  })

  it("looks at what its model may get as the fallback of a fallback", async () => {
    hook.answers(blockWord("hunter2"))
    expect((await ask("far", "The password is hunter2")).status).toBe(400)
  })

  it("refuses an answer that it blocks, whole and in a stream", async () => {
    hook.answers((asked) => (asked.type === "guardrail.input" ? allow() : blockWord("hunter2")(asked)))
    const answer = await ask("block", "The password is hunter2")
    expect(answer.status).toBe(400)
    expect(await answer.text()).not.toContain("hunter2")
    const streamed = await (await ask("block", "The password is hunter2", true)).text()
    expect(streamed).not.toContain("hunter2")
    expect(streamed).toContain("Not that word")
  })

  it("only tells its verdicts if it observes", async () => {
    hook.answers(blockWord("hunter2"))
    const answer = await ask("observe", "The password is hunter2")
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain("hunter2")
    const { guardrails } = await row(answer.headers.get("x-request-id"))
    expect(guardrails).toMatchObject([{ verdict: "blocked" }, { on: "output", verdict: "blocked" }])
  })

  it.each([
    ["is down", () => new Response(null, { status: 503 })],
    ["is slow", () => Bun.sleep(5_000).then(allow)],
    ["is no JSON", () => new Response("yes")],
    ["sends 10 MB", () => new Response(`{"verdict":"allow","x":"${"x".repeat(10_000_000)}"}`)],
    ["replaces other texts", () => Response.json({ verdict: "replace", texts: [] })],
    [
      "has placeholders of one letter",
      ({ texts }: Asked) =>
        Response.json({ verdict: "replace", texts: texts.map(() => "x"), placeholders: { e: "word" } })
    ],
    ["redirects", () => Response.redirect("http://127.0.0.1:1/")]
  ])("that %s refuses if it fails closed, and lets through if open", async (_, answers) => {
    hook.answers(answers)
    for (const stream of [false, true]) {
      const closed = await ask("block", "Hello there", stream)
      expect(closed.status === 503 || (stream && (await closed.clone().text()).includes("does not answer"))).toBe(true)
      expect(await closed.text()).not.toContain("Hello there")
      const open = await ask("open", "Hello there", stream)
      expect(open.status).toBe(200)
      expect(await open.text()).toContain("Hello")
    }
  })
})

describe("what operators see of a guardrail", () => {
  it("is the reason of another failure, if one that observes would have blocked the request", async () => {
    hook.answers(blockWord("hunter2"))
    const messages = [{ role: "user", content: "[[sandbox: error=500]] hunter2" }]
    const answer = await request(gateway, "/v1/chat/completions", { body: { model: "observe", messages } })
    expect(answer.status).toBeGreaterThanOrEqual(500)
    const kept = await row(answer.headers.get("x-request-id"))
    expect(kept.guardrails).toMatchObject([{ verdict: "blocked" }])
    expect(kept.reason).not.toContain("guardrail")
  })

  it("is an entry of the audit log for what it blocks, without its texts, and its calls in the metrics", async () => {
    hook.answers(({ texts }) =>
      texts.some(({ text }) => text.includes("hunter3"))
        ? Response.json({ verdict: "block", message: "Not hunter3", reason: "password" })
        : allow()
    )
    const body = { model: "vectors-audited", input: "The password is hunter3" }
    const answer = await request(gateway, "/v1/embeddings", { body })
    expect(answer.status).toBe(400)
    const ask = async (path: string) => {
      const headers = { authorization: `Bearer ${adminKey}` }
      return (await fetch(`${gateway.url}${path}`, { headers })).text()
    }
    const id = answer.headers.get("x-request-id") ?? ""
    const entries = "/admin/v1/audit?actor=guardrail:audited&action=guardrail&account=default"
    await expect.poll(() => ask(entries)).toContain(id)
    const told = await ask(entries)
    expect(told).toContain('"reasons":["password"]')
    expect(told).not.toContain("hunter")
    const counted = await ask("/metrics")
    expect(counted).toMatch(/gateway_guardrail_calls_total\{guardrail="audited",outcome="blocked"\} [1-9]/)
    expect(counted).toMatch(/gateway_guardrail_call_seconds_count\{guardrail="audited"\} [1-9]/)
  })

  it("says that it blocks what it would replace, where texts can't be replaced", async () => {
    hook.answers(hideNames)
    const body = { model: "vectors-redacted", input: "Greet Ann Lee" }
    const answer = await request(gateway, "/v1/embeddings", { body })
    expect([answer.status, (await answer.json()).error.code]).toEqual([400, "content_filter"])
    const { guardrails } = await row(answer.headers.get("x-request-id"))
    expect(guardrails).toMatchObject([{ name: "redact", verdict: "blocked" }])
  })
})

describe("each input of a request", () => {
  it("is looked at and replaced, of completions with several prompts", async () => {
    const prompts = ["Greet Ann Lee", "Greet Ann Lee, whose dog has a long and memorable name", "Greet Ann Lee at noon"]
    const ask = (model: string, prompt: ReadonlyArray<string>) =>
      request(gateway, "/v1/completions", { body: { model, prompt, n: 2 } })
    hook.answers(hideNames)
    const answer = await ask("redact", prompts)
    const { choices } = await answer.json()
    expect(choices).toHaveLength(6)
    for (const { index, text } of choices) expect(text).toContain(prompts[Math.floor(index / 2)])
    expect(hook.seen[0]?.texts).toEqual(prompts.map((text) => ({ at: "user", text })))
    const written = hook.seen.slice(1).map(({ texts }) => JSON.stringify(texts))
    expect(written).toHaveLength(6)
    for (const text of written) expect([text.includes("<PERSON_1>"), text.includes("Ann Lee")]).toEqual([true, false])
    hook.answers(blockWord("hunter2"))
    expect((await ask("block", ["A prompt that is the longest of all", "hunter2"])).status).toBe(400)
  })

  it("is sent once, however often it stands in the request", async () => {
    hook.answers(allow)
    const body = { model: "ranked", query: "Who?", documents: ["Ann", "Bob", "Ann"] }
    expect((await request(gateway, "/v1/rerank", { body })).status).toBe(200)
    expect(hook.seen).toHaveLength(1)
    expect(hook.seen[0]?.texts.map(({ text }) => text)).toEqual(["Who?", "Ann", "Bob"])
    hook.answers(hideNames)
    const messages = [
      { role: "user", content: "Ann Lee" },
      { role: "user", content: "Ann Lee" },
      { role: "user", content: "Greet Ann Lee" }
    ]
    const answer = await request(gateway, "/v1/chat/completions", { body: { model: "redact", messages } })
    expect(await answer.text()).toContain("Ann Lee")
    expect(hook.seen[0]?.texts).toHaveLength(2)
    expect(JSON.stringify(hook.seen.slice(1))).not.toContain("Ann Lee")
  })

  it("may be a file of text, also in Base64", async () => {
    const data = Buffer.from("Notes of Ann Lee").toString("base64")
    const url = `data:text/markdown;base64,${data}`
    const file = { filename: "notes.md", file_data: url }
    const sent = {
      "/v1/chat/completions": { messages: [{ role: "user", content: [{ type: "file", file }] }] },
      "/v1/responses": { input: [{ role: "user", content: [{ type: "input_file", ...file }] }] },
      "/v1/messages": {
        max_tokens: 50,
        messages: [
          {
            role: "user",
            content: [{ type: "document", source: { type: "base64", media_type: "text/markdown", data } }]
          }
        ]
      }
    }
    for (const [path, body] of Object.entries(sent)) {
      hook.answers(blockWord("Ann Lee"))
      expect((await request(gateway, path, { body: { model: "block", ...body } })).status).toBe(400)
      hook.answers(hideNames)
      const answer = await request(gateway, path, { body: { model: "redact", ...body } })
      expect(answer.status).toBe(200)
      expect(hook.seen[0]?.texts).toEqual([{ at: "document", text: "Notes of Ann Lee" }])
      expect(JSON.stringify(hook.seen.slice(1))).not.toContain("Ann Lee")
    }
  })

  it("is a text, of embeddings", async () => {
    hook.answers(allow)
    const ask = async (model: string, input: unknown) => {
      const answer = await request(gateway, "/v1/embeddings", { body: { model, input } })
      return [answer.status, (await answer.json()).error?.param]
    }
    expect(await ask("vectors", ["one", "two"])).toEqual([200, undefined])
    expect(hook.seen[0]?.texts).toEqual(["one", "two"].map((text) => ({ at: "user", text })))
    expect(await ask("vectors", [1, 2, 3])).toEqual([400, "input"])
    expect(await ask("vectors", [[1], [2]])).toEqual([400, "input[0]"])
    expect(await ask("vectors-observed", [1, 2, 3])).toEqual([200, undefined])
  })
})

describe("under a guardrail", () => {
  it("no upstream gets texts to count", async () => {
    const count = async (model: string) => {
      const body = { model, messages: [{ role: "user", content: "My name is Ann Lee" }] }
      return (await (await request(gateway, "/v1/messages/count_tokens", { body })).json()).input_tokens
    }
    expect(await count("counted-here")).toBeLessThan(100)
    expect(counts).toBe(0)
    expect(await count("counted-elsewhere")).toBe(12_345)
  })

  it("a background response that can't be translated is refused before it is stored", async () => {
    const body = { model: "later", background: true, input: "hi", prompt: { id: "pmpt_1" } }
    const answer = await request(gateway, "/v1/responses", { body })
    expect([answer.status, (await answer.json()).error?.param]).toEqual([400, "prompt"])
  })

  it.each([false, true])("an answer that is blocked costs its tokens, streamed: %s", async (stream) => {
    hook.answers((asked) => (asked.type === "guardrail.input" ? allow() : blockWord("hunter2")(asked)))
    const body = { model: "priced", messages: [{ role: "user", content: "The password is hunter2" }], stream }
    const answer = await request(gateway, "/v1/chat/completions", { body })
    expect(await answer.text()).not.toContain("hunter2")
    expect((await row(answer.headers.get("x-request-id"))).cost_usd).toBeGreaterThan(0)
  })

  it("a batch's line fails once its answer is made and gets no verdict", async () => {
    hook.answers(({ type }) => (type === "guardrail.input" ? allow() : new Response(null, { status: 503 })))
    const params = { model: "block", max_tokens: 100, messages: [{ role: "user", content: "Hello there" }] }
    const made = await request(gateway, "/v1/messages/batches", { body: { requests: [{ custom_id: "one", params }] } })
    const { id } = await made.json()
    const state = async () => (await request(gateway, `/v1/messages/batches/${id}`)).json()
    await expect.poll(async () => (await state()).processing_status, { timeout: 20_000 }).toBe("ended")
    expect((await state()).request_counts).toMatchObject({ errored: 1, succeeded: 0 })
    expect(hook.seen.filter(({ type }) => type === "guardrail.output")).toHaveLength(1)
  })

  it("documents have no fields beside their text", async () => {
    hook.answers(allow)
    const rank = async (document: unknown) =>
      (await request(gateway, "/v1/rerank", { body: { model: "ranked", query: "q", documents: [document] } })).status
    expect(await rank({ text: "a" })).toBe(200)
    expect(await rank({ text: "a", title: "b" })).toBe(400)
  })
})
