import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@effect/vitest"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { request } from "../request.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const keyOf = (name: string) => `sk-${name}-0123456789-0123456789-${name}`
const names = ["alfa", "beta", "gama"]
const nameIn = (headers: Record<string, string>) => headers["authorization"]?.slice(-4) ?? ""
let limited = ""

/** Reasons, and takes back only what the organisation of the same key encrypted. */
const upstream = fakeUpstream("openai-responses", {
  answer: ({ body, headers }) => {
    const name = nameIn(headers)
    if (limited === name) {
      const error = { code: "rate_limit_exceeded", message: "too many" }
      return Response.json({ error }, { status: 429, headers: { "retry-after": "1" } })
    }
    const input: ReadonlyArray<{ type: string; encrypted_content?: string }> = Array.isArray(body.input)
      ? body.input
      : []
    const foreign = input.some(
      ({ encrypted_content: text = "", type }) => type === "reasoning" && !text.startsWith(`of-${name}`)
    )
    if (foreign) {
      const message =
        "The encrypted content could not be verified. Reason: Encrypted content organization_id did not match the target organization."
      const error = { message, type: "invalid_request_error", param: null, code: "invalid_encrypted_content" }
      return Response.json({ error }, { status: 400 })
    }
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
    const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: `of-${name}-${"x".repeat(40)}` }
    const content = [{ type: "output_text", text: "a fox", annotations: [] }]
    const said = { type: "message", id: "msg_1", status: "completed", role: "assistant", content }
    const response = { id: "resp_1", object: "response", created_at: 1, status: "completed", model: "gpt-5.1" }
    return Response.json({ ...response, output: [reasoning, said], usage })
  }
})

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-reasoning-keys-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: {
        pool: { protocol: "openai-responses", base_url: `${upstream.url}/v1`, keys: names.map(keyOf) }
      },
      // Two, because a limited key rests for its model.
      models: { passed: { routes: [{ upstream: "pool", model: "gpt-5.1" }] }, told: { routes: [{ upstream: "pool" }] } }
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await upstream.stop()
})
beforeEach(() => {
  limited = ""
})

// oxlint-disable-next-line typescript/no-explicit-any -- whatever came
type Json = any

const post = async (path: string, body: object) => {
  const before = upstream.asked.length
  const response = await request(gateway, path, { body })
  const json: Json = await response.json()
  const asked = upstream.asked.slice(before)
  const keys = asked.map(({ headers }) => nameIn(headers))
  return { status: response.status, json, keys, asked, adapted: response.headers.get("x-gateway-adapted") }
}

describe("reasoning that one of several keys encrypted", () => {
  it("is left out in passthrough where its key is limited", async () => {
    const first = { role: "user", content: "a fox?" }
    const one = await post("/v1/responses", { model: "passed", input: [first], store: false })
    const [key = ""] = one.keys
    const input = [first, ...one.json.output, { role: "user", content: "and then?" }]
    const next = { model: "passed", input, store: false }
    expect(await post("/v1/responses", next)).toMatchObject({ status: 200, keys: [key], adapted: null })
    limited = key
    const moved = await post("/v1/responses", next)
    expect(moved).toMatchObject({ status: 200, adapted: "reasoning" })
    const [, refused, served] = moved.keys
    expect(moved.keys).toEqual([key, refused, refused])
    expect(served).not.toBe(key)
    expect(JSON.stringify(moved.asked.at(-1)?.body.input)).not.toContain("reasoning")
  })

  it("goes back to its key from another family, wherever the conversation would begin now", async () => {
    const turn = (text: string) => ({ role: "user", content: text })
    const ask = (messages: ReadonlyArray<object>) =>
      post("/v1/messages", {
        model: "told",
        max_tokens: 2_000,
        thinking: { type: "enabled", budget_tokens: 1_024 },
        messages
      })
    const one = await ask([turn("a fox?")])
    const [key = ""] = one.keys
    const answer = { role: "assistant", content: one.json.content }
    for (const begins of ["a", "b", "c", "d", "e", "f"]) {
      const next = await ask([turn(`${begins} fox?`), answer, turn("and then?")])
      expect(next).toMatchObject({ status: 200, keys: [key], adapted: "thinking.budget_tokens" })
      expect(JSON.stringify(next.asked[0]?.body.input)).toContain(`"encrypted_content":"of-${key}`)
    }
    limited = key
    const moved = await ask([turn("a fox?"), answer, turn("and then?")])
    expect(moved).toMatchObject({ status: 200, adapted: expect.stringContaining("reasoning") })
    expect(moved.keys).toHaveLength(2)
  })
})
