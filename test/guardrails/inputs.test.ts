import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { allow, blockWord, guardedGateway, hideNames, secret, startHook } from "./startGuarded.ts"

const hook = startHook()
const bounds = { url: hook.url, secret, timeout_seconds: 5, hold_ms: 2_000 }
const route = { upstream: "sandbox", model: "sandbox-text" }
let gateway: GatewayHere
beforeAll(async () => {
  gateway = await guardedGateway({
    guardrails: {
      block: { ...bounds, mode: "block" },
      redact: { ...bounds, mode: "redact" },
      observe: { ...bounds, mode: "observe" }
    },
    models: {
      ...Object.fromEntries(["block", "redact"].map((name) => [name, { routes: [route], guardrails: [name] }])),
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
      ranked: { kind: "rerank", routes: [{ upstream: "sandbox", model: "sandbox-rerank" }], guardrails: ["block"] }
    }
  })
})
afterAll(async () => {
  await gateway.dispose()
  await hook.stop()
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
