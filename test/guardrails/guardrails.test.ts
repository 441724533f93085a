import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { allow, blockWord, guardedGateway, hideNames, secret, startHook } from "./startGuarded.ts"
import type { HookQuestion } from "./startGuarded.ts"

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
      observe: { ...bounds, mode: "observe" }
    },
    upstreams: {
      elsewhere: { protocol: "anthropic-messages", base_url: counter.url.origin },
      answering: { protocol: "openai-responses", base_url: `${counter.url.origin}/v1` }
    },
    models: {
      ...Object.fromEntries(
        ["block", "open", "redact", "observe"].map((name) => [name, { routes: [route], guardrails: [name] }])
      ),
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
      ({ texts }: HookQuestion) =>
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
