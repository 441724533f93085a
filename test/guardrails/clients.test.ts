import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { GatewayHere } from "../gatewayHere.ts"
import { allow, guardedGateway, hideNames, secret, startHook } from "./startGuarded.ts"

const hook = startHook()
let gateway: GatewayHere
let openai: OpenAI
let anthropic: Anthropic
beforeAll(async () => {
  const guardrails = { redact: { url: hook.url, secret, mode: "redact" } }
  const models = { house: { routes: [{ upstream: "sandbox", model: "sandbox-text" }] } }
  gateway = await guardedGateway({ guardrails, models, accounts: { default: { guardrails: ["redact"] } } })
  openai = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  anthropic = new Anthropic({ apiKey: gateway.key, baseURL: gateway.url, maxRetries: 0 })
})
afterAll(async () => {
  await gateway.dispose()
  await hook.stop()
})

// Word by word, so that there are sentences to wait for.
const asked = "[[sandbox: pace=10ms]] Ann Lee wrote. Ask Ann Lee again! The password is hunter2. Goodbye"

/** The texts of a stream as the client's library reads them, and its error. */
const clients: Readonly<Record<string, (text: string) => AsyncGenerator<string>>> = {
  chat: async function* (content) {
    const messages = [{ role: "user", content } as const]
    const stream = await openai.chat.completions.create({ model: "house", stream: true, messages })
    for await (const { choices } of stream) yield choices[0]?.delta.content ?? ""
  },
  responses: async function* (input) {
    const stream = await openai.responses.create({ model: "house", stream: true, input })
    for await (const event of stream) {
      if (event.type === "response.output_text.delta") yield event.delta
      if (event.type === "response.failed") throw new Error(event.response.error?.message)
    }
  },
  messages: async function* (content) {
    const messages = [{ role: "user", content } as const]
    const stream = anthropic.messages.stream({ model: "house", max_tokens: 200, messages })
    for await (const event of stream) {
      if (event.type === "content_block_delta" && event.delta.type === "text_delta") yield event.delta.text
    }
  },
  completions: async function* (prompt) {
    const stream = await openai.completions.create({ model: "house", stream: true, prompt })
    for await (const { choices } of stream) yield choices[0]?.text ?? ""
  }
}

describe.each(Object.entries(clients))("the library's stream of %s", (_, streamed) => {
  it("has the words of the request, sentence by sentence", async () => {
    hook.answers(hideNames)
    const pieces: Array<string> = []
    for await (const piece of streamed(asked)) if (piece !== "") pieces.push(piece)
    expect(pieces.join("")).toContain("Ask Ann Lee again!")
    expect(pieces.length).toBeGreaterThan(1)
    const looked = hook.seen.filter(({ type }) => type === "guardrail.output")
    expect(looked.length).toBeGreaterThan(1)
    expect(JSON.stringify(hook.seen.slice(1))).not.toContain("Ann Lee")
  })

  it("ends with an error at a sentence that is blocked, of which nothing is told", async () => {
    hook.answers(({ texts, type }) =>
      type === "guardrail.output" && texts.some(({ text }) => text.includes("hunter2"))
        ? Response.json({ verdict: "block", message: "Not that word" })
        : allow()
    )
    let told = ""
    const read = async () => {
      for await (const piece of streamed(asked)) told += piece
    }
    await expect(read()).rejects.toThrow("Not that word")
    expect(told).toContain("Ask Ann Lee again!")
    expect(told).not.toContain("password")
  })
})
