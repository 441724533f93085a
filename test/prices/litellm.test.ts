import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { cases } from "./cases.ts"
import type { Case } from "./cases.ts"
import { answerOf } from "./provider.ts"

/*
 * What LiteLLM's calculator makes of the worked prices, from its list, and what the gateway makes of them from the
 * built-in one. `litellm.py` made the file, once.
 */

const { nano_usd: theirs } = Schema.decodeUnknownSync(
  Schema.parseJson(
    Schema.Struct({
      calculator: Schema.Literal("litellm 1.110.2"),
      nano_usd: Schema.Record({ key: Schema.String, value: Schema.Int })
    })
  )
)(readFileSync(join(import.meta.dirname, "litellm.json"), "utf8"))

/** What it misses, in nano-dollars. */
const missed: Readonly<Record<string, number>> = {
  // Cached pictures and words of the image tool cost it as others: 300 at 8 for 2, 20 at 5 for 1.25.
  "openai-image-tool-edit-cached": 300 * 6_000 + 20 * 3_750,
  // It counts the advisor at the rates of the model that asks: 2 for 5, 10 for 25.
  "anthropic-advisor": -(2_600 * 3_000 + 700 * 15_000)
}

const compared = cases.filter(({ id }) => Object.hasOwn(theirs, id))

const surfaces = {
  responses: ["openai-responses", "/v1/responses", { input: "Say something.", store: false }],
  chat: ["openai-chat", "/v1/chat/completions", { messages: [{ role: "user", content: "Say something." }] }],
  messages: [
    "anthropic-messages",
    "/v1/messages",
    { max_tokens: 100_000, messages: [{ role: "user", content: "Say something." }] }
  ],
  gemini: ["gemini", "/v1/chat/completions", { messages: [{ role: "user", content: "Say something." }] }],
  embeddings: ["openai-chat", "/v1/embeddings", { input: ["Some words.", "And some more."] }]
} as const
const surfaceOf = ({ wire }: Case) =>
  wire === "bedrock-converse" || wire === "bedrock-invoke"
    ? expect.unreachable("its calculator was not asked")
    : surfaces[wire]

let gateway: GatewayHere
let database: Database
const upstream = Bun.serve({
  port: 0,
  fetch: (request) => {
    const found = compared.find(({ id }) => request.url.includes(`/${id}/`))
    return found === undefined ? new Response("", { status: 404 }) : answerOf(found, false)
  }
})

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-litellm-"))
  const config = {
    upstreams: Object.fromEntries(
      compared.map((one) => [
        one.id,
        {
          provider: one.provider === "google" ? "gemini" : one.provider,
          protocol: surfaceOf(one)[0],
          base_url: `http://127.0.0.1:${upstream.port}/${one.id}/v1`,
          api_key: "sk-test"
        }
      ])
    ),
    models: Object.fromEntries(
      compared.map(({ id, model, wire }) => [
        id,
        { routes: [{ upstream: id, model }], ...(wire === "embeddings" && { kind: "embedding" }) }
      ])
    )
  }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
  gateway = await startGateway({ folder })
  database = new Database(join(folder, "data/gateway.db"), { readonly: true })
}, 30_000)
afterAll(async () => {
  database.close()
  await gateway.dispose()
  await upstream.stop(true)
})

/** An upstream that tells much more input than it was sent is not believed. */
const long = "word ".repeat(60_000)
const isLong = ({ answer }: Case) => /"(?:input_tokens|cache_read_input_tokens)":\d{5}/.test(JSON.stringify(answer))

describe("LiteLLM's calculator", () => {
  it("was asked about each case that names it, and misses two of them", () => {
    expect(compared.map(({ id }) => id)).toEqual(cases.filter(({ how }) => how.includes("LiteLLM")).map(({ id }) => id))
    const agrees = (one: Case) => one.how.includes("agrees")
    for (const one of compared) {
      expect([one.id, theirs[one.id]]).toEqual([one.id, one.nano_usd + (missed[one.id] ?? 0)])
      expect([one.id, agrees(one)]).toEqual([one.id, missed[one.id] === undefined])
    }
    expect(compared.filter(agrees)).toHaveLength(23)
  })

  it.each(compared)("charges for $id what the gateway does by its built-in list", async (one) => {
    const [, path, plain] = surfaceOf(one)
    const response = await fetch(gateway.url + path, {
      signal: AbortSignal.timeout(5_000),
      method: "POST",
      headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: one.id,
        ...JSON.parse(JSON.stringify(plain).replace("Say something.", isLong(one) ? long : "Say something.")),
        ...(one.request["tools"] !== undefined && { tools: one.request["tools"] }),
        ...(one.id === "anthropic-us-searches" && { tools: [{ type: "web_search_20250305", name: "web_search" }] }),
        ...(one.request["context_management"] !== undefined && {
          context_management: one.request["context_management"]
        })
      })
    })
    expect(response.status, await response.text()).toBe(200)
    const rows = database
      .query("SELECT cost_nano_usd FROM usage WHERE request_id = ?")
      .values(response.headers.get("x-request-id") ?? "")
    expect(rows).toEqual([[(theirs[one.id] ?? 0) - (missed[one.id] ?? 0)]])
  })
})
