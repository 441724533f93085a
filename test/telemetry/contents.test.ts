import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { allow, secret as hookSecret, startHook } from "../guardrails/startGuarded.ts"
import { ask, newTrace, startCollector } from "./tracedCalls.ts"

const upstreams = {
  chat: fakeUpstream("openai-chat"),
  vectors: fakeUpstream("openai-chat", {
    answer: () =>
      Response.json({
        object: "list",
        model: "v",
        data: [{ object: "embedding", index: 0, embedding: [0.5] }],
        usage: { prompt_tokens: 1, total_tokens: 1 }
      })
  }),
  responses: fakeUpstream("openai-responses"),
  anthropic: fakeUpstream("anthropic-messages")
}
const hook = startHook()
const folder = mkdtempSync(join(tmpdir(), "gateway-contents-"))
const session = "11111111-2222-4333-8444-555555555555"
const secret = "sk-aaaaaaaaaaaaaaaaaaaaaaaa"
const names = [
  "gen_ai.system_instructions",
  "gen_ai.input.messages",
  "gen_ai.output.messages",
  "gen_ai.tool.definitions"
]

const configured = (contents: string, ofAccount?: string) =>
  `upstreams:
  chat: { protocol: openai-chat, base_url: "${upstreams.chat.url}/v1" }
  responses: { protocol: openai-responses, base_url: "${upstreams.responses.url}/v1" }
  anthropic: { protocol: anthropic-messages, base_url: "${upstreams.anthropic.url}" }
  vectors: { protocol: openai-chat, base_url: "${upstreams.vectors.url}/v1" }
models:
  at-chat: chat
  at-responses: responses
  at-anthropic: anthropic
  guarded: { routes: [{ upstream: chat }], guardrails: [names] }
  vectors: { kind: embedding, routes: [{ upstream: vectors }] }
guardrails: { names: { url: "${hook.url}", secret: "${hookSecret}", mode: redact } }
telemetry: { contents: ${contents} }
accounts:
  default: { record: { bodies: off, redact: ["Ada [A-Z][a-z]+"] }${ofAccount === undefined ? "" : `, telemetry_contents: ${ofAccount}`} }
`

const Values = Schema.parseJson(Schema.Array(Schema.Unknown))

let collector: Awaited<ReturnType<typeof startCollector>>
let gateway: GatewayProcess

const tool = { name: "weather", description: "Tells it." }
const said = `I am Ada Lovelace with ${secret}`

const bodyOf = (path: string) => {
  switch (path) {
    case "/v1/messages":
      return {
        max_tokens: 100,
        system: "Be brief.",
        metadata: { user_id: JSON.stringify({ device_id: "d1", account_uuid: "ada", session_id: session }) },
        tools: [{ ...tool, input_schema: { type: "object", properties: {} } }],
        messages: [{ role: "user", content: said }]
      }
    case "/v1/chat/completions":
      return {
        user: "ada",
        prompt_cache_key: session,
        tools: [{ type: "function", function: { ...tool, parameters: { type: "object", properties: {} } } }],
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: said }
        ]
      }
    default:
      return {
        safety_identifier: "ada",
        prompt_cache_key: session,
        instructions: "Be brief.",
        tools: [{ type: "function", ...tool, parameters: { type: "object", properties: {} } }],
        input: said
      }
  }
}

/** Sends a request and reads its spans. */
const asked = async (path = "/v1/messages", model = "at-chat", more: object = {}) => {
  const { header, traceId } = newTrace()
  const reply = await ask(gateway, path, { model, ...bodyOf(path), ...more }, header)
  const text = await reply.text()
  expect([reply.status, text]).toEqual([200, text])
  await expect.poll(async () => (await collector.spans(traceId)).length, { timeout: 60_000 }).toBe(2)
  const spans = await collector.spans(traceId)
  const attributesOf = (kind: number) => spans.find((span) => span.kind === kind)?.attributes ?? {}
  const call = attributesOf(3)
  const [system, input, output, tools] = names.map((name) =>
    call[name] === undefined ? undefined : Schema.decodeUnknownSync(Values)(call[name])
  )
  const shown = JSON.stringify(spans)
  const told = input === undefined ? "off" : shown.includes("Lovelace") ? "all" : "redacted"
  return { call, server: attributesOf(2), system, input, output, tools, shown, told, text }
}

/** Changes the configuration, and waits until it is taken. */
const become = async (contents: string, ofAccount?: string) => {
  writeFileSync(join(folder, "gateway.yaml"), configured(contents, ofAccount))
  await expect.poll(async () => (await asked()).told, { timeout: 60_000 }).toBe(ofAccount ?? contents)
}

beforeAll(async () => {
  collector = await startCollector()
  writeFileSync(join(folder, "gateway.yaml"), configured("off"))
  gateway = await startGateway({
    folder,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "20" }
  })
})

afterAll(async () => {
  await gateway.dispose()
  await Promise.all(Object.values(upstreams).map((server) => server.stop()))
  await hook.stop()
  await collector.stop()
  rmSync(folder, { recursive: true, force: true })
})

const everywhere = ["/v1/messages", "/v1/chat/completions", "/v1/responses"].flatMap((path) =>
  ["at-chat", "at-responses", "at-anthropic"].map((model) => [path, model] as const)
)
const words = (content: string) => ({ type: "text", content })

describe.sequential("contents in traces", () => {
  it("stay here by default, and the conversation and the user are told", async () => {
    const { call, server, shown, told } = await asked()
    expect(told).toBe("off")
    for (const one of ["Lovelace", "Be brief.", "Tells it.", secret]) expect(shown).not.toContain(one)
    for (const attributes of [call, server]) {
      expect(attributes).toMatchObject({
        "gen_ai.conversation.id": session,
        "session.id": session,
        "user.id": "ada",
        "enduser.id": "ada"
      })
    }
  })

  it("have the forms of the conventions, whole and streamed, passed through and translated", async () => {
    await become("all")
    for (const [path, model] of everywhere) {
      const isChat = path === "/v1/chat/completions"
      const whole = await asked(path, model)
      const where = `${path} ${model}`
      const user = { role: "user", parts: [words(said)] }
      const brief = words("Be brief.")
      expect([where, whole.system]).toEqual([where, isChat ? undefined : [brief]])
      expect([where, whole.input]).toEqual([where, isChat ? [{ role: "system", parts: [brief] }, user] : [user]])
      expect(whole.tools).toEqual([{ type: "function", ...tool, parameters: { type: "object", properties: {} } }])
      expect(whole.output).toMatchObject([{ role: "assistant", finish_reason: "stop", parts: [{ type: "text" }] }])
      const streamed = await asked(path, model, { stream: true })
      expect([where, streamed.output, streamed.input]).toEqual([where, whole.output, whole.input])
      expect(streamed.call).not.toHaveProperty("gateway.contents_cut")
      // What lists of traces and sessions show.
      const shown = { "input.value": said, "output.value": expect.stringMatching(/./) }
      expect([whole.server, streamed.server]).toMatchObject([shown, shown])
    }
  })

  it("leave out secrets and what the account redacts", async () => {
    await become("off", "redacted")
    const { input, server, shown, system } = await asked()
    expect(input).toEqual([{ role: "user", parts: [words("I am [redacted] with [redacted]")] }])
    expect(system).toEqual([words("Be brief.")])
    expect(shown).not.toContain(secret)
    expect(server["input.value"]).toBe("I am [redacted] with [redacted]")
  })

  it("are left out under a guardrail that does not let all through, unless all is told", async () => {
    hook.answers(({ texts, type }) =>
      type === "guardrail.input" && texts.some(({ text }) => text.includes("Grace"))
        ? Response.json({ verdict: "replace", texts: texts.map(({ text }) => text.replaceAll("Grace", "<NAME>")) })
        : allow()
    )
    for (const stream of [false, true]) {
      const replaced = await asked("/v1/responses", "guarded", { input: "I am Grace", stream })
      expect([replaced.input, replaced.output, replaced.shown.includes("Grace")]).toEqual([undefined, undefined, false])
      expect(replaced.call["gateway.contents_cut"]).toEqual(["gen_ai.input.messages", "gen_ai.output.messages"])
      const allowed = await asked("/v1/responses", "guarded", { input: "I am Tom", stream })
      expect(allowed.input).toEqual([{ role: "user", parts: [words("I am Tom")] }])
      expect(allowed.output).toMatchObject([{ role: "assistant" }])
    }
    await become("all")
    const all = await asked("/v1/responses", "guarded", { input: "I am Grace" })
    expect(all.input).toEqual([{ role: "user", parts: [words("I am Grace")] }])
    await become("off", "redacted")
  })

  it("are at most 64 KB an attribute, of the newest messages, and told as cut", async () => {
    const long = (role: string, word: string) => ({ role, content: `${word} `.repeat(8_000) })
    const messages = [
      long("user", "first"),
      long("assistant", "second"),
      { role: "user", content: `the end ${secret}` }
    ]
    const { call, input, output, shown } = await asked("/v1/messages", "at-chat", { messages })
    expect(String(call["gen_ai.input.messages"]).length).toBeLessThanOrEqual(65_536)
    expect(String(call["gen_ai.input.messages"]).length).toBeGreaterThan(60_000)
    expect(input?.at(-1)).toEqual({ role: "user", parts: [words("the end [redacted]")] })
    expect(call["gateway.contents_cut"]).toEqual(["gen_ai.input.messages"])
    expect(output).toMatchObject([{ role: "assistant" }])
    expect(shown).not.toContain(secret)
  })

  it("leave no inputs of embeddings", async () => {
    const { shown, told } = await asked("/v1/embeddings", "vectors", { input: said })
    expect([told, shown.includes("Lovelace"), shown.includes("I am")]).toEqual(["off", false, false])
  })

  it("come with what runs in the background and with lines of batches, as accounts have it", async () => {
    await become("redacted")
    const { header, traceId } = newTrace()
    const body = (path: string) => ({ model: "at-chat", ...bodyOf(path) })
    const made = async (path: string, more: object) => {
      const reply = await ask(gateway, path, { ...body(path), ...more }, header)
      expect(reply.status).toBeLessThan(300)
      await reply.text()
    }
    await made("/v1/messages", { async: true })
    await made("/v1/responses", { background: true })
    const line = { custom_id: "one", params: body("/v1/messages") }
    expect((await ask(gateway, "/v1/messages/batches", { requests: [line] }, header)).status).toBe(200)
    const calls = async () => (await collector.spans()).filter(({ kind }) => kind === 3)
    const told = async () => {
      const all = await collector.spans()
      const of = (spanId: string) => all.find((span) => span.spanId === spanId)
      return (await calls())
        .map((call) => ({ call, above: of(call.parentSpanId), isOurs: call.traceId === traceId }))
        .filter(({ above, isOurs }) => (isOurs ? /turn/.test(above?.name ?? "") : above?.parentSpanId === ""))
    }
    // The line of a batch has a trace of its own.
    await expect.poll(async () => (await told()).length, { timeout: 60_000 }).toBe(3)
    for (const { above, call } of await told()) {
      const where = above?.name
      const [, input, output] = names.map((name) => call.attributes[name])
      expect([where, typeof input, typeof output]).toEqual([where, "string", "string"])
      expect([where, JSON.parse(String(input))]).toEqual([
        where,
        [{ role: "user", parts: [words("I am [redacted] with [redacted]")] }]
      ])
      expect([where, JSON.parse(String(output))]).toMatchObject([where, [{ role: "assistant", finish_reason: "stop" }]])
      expect(above?.attributes).toMatchObject({
        "input.value": "I am [redacted] with [redacted]",
        "output.value": expect.stringMatching(/./)
      })
      expect(JSON.stringify([above, call])).not.toMatch(new RegExp(`Lovelace|${secret}`))
    }
  })

  it("stay here again once they are off, and for an account alone", async () => {
    await become("all", "off")
    const { shown } = await asked("/v1/responses", "at-responses", { stream: true })
    for (const one of ["Lovelace", "Be brief.", "Tells it."]) expect(shown).not.toContain(one)
  })
})
