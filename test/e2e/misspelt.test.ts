import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { exchange } from "../http/rawSocket.ts"
import { request } from "../request.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const narrow = "narrow-key-0123456789abcdefgh"

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-misspelt-"))
  const key = { name: "narrow", secret: narrow, account: "narrow", limits: { requests_per_minute: 3 } }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ keys: [key] }))
  gateway = await startGateway({ folder })
})
afterAll(() => gateway.dispose())

const hello = [{ role: "user" as const, content: "Hi" }]

describe("a base URL with the version twice, or without it", () => {
  const openai = (path: string) => new OpenAI({ apiKey: gateway.key, baseURL: gateway.url + path, maxRetries: 0 })

  it("serves Anthropic's client with /v1 in its base URL", async () => {
    const client = new Anthropic({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const message = await client.messages.create({ model: "sandbox-text", max_tokens: 10, messages: hello })
    expect(message.type).toBe("message")
    expect(
      (await client.messages.countTokens({ model: "sandbox-text", messages: hello })).input_tokens
    ).toBeGreaterThan(0)
    expect((await client.models.retrieve("sandbox-text")).id).toBe("sandbox-text")
  })

  it.each(["", "/v1/v1"])("serves OpenAI's client with %j in its base URL", async (path) => {
    const client = openai(path)
    expect((await client.models.list()).data.length).toBeGreaterThan(0)
    const { id } = await client.responses.create({ model: "sandbox-text", input: "Hi" })
    expect((await client.responses.retrieve(id)).id).toBe(id)
    expect((await client.chat.completions.create({ model: "sandbox-text", messages: hello })).choices).toHaveLength(1)
    expect((await client.embeddings.create({ model: "sandbox-embed", input: "Hi" })).data).toHaveLength(1)
  })

  it.each(["/responses", "/v1/v1/responses"])("opens a socket at %s", async (path) => {
    const socket = new WebSocket(gateway.url.replace("http", "ws") + path, {
      headers: { authorization: `Bearer ${gateway.key}` }
    } as never)
    const event = await new Promise<string>((resolve, reject) => {
      socket.addEventListener("error", () => reject(new Error("refused")))
      socket.addEventListener("open", () =>
        socket.send(JSON.stringify({ type: "response.create", model: "sandbox-text", input: "Hi" }))
      )
      socket.addEventListener("message", ({ data }) => resolve(JSON.parse(String(data)).type))
    })
    socket.close()
    expect(event).toBe("response.created")
  })

  it("serves Ark's client with /api/v3 twice", async () => {
    const response = await request(gateway, "/api/v3/api/v3/contents/generations/tasks")
    expect([response.status, Object.keys((await response.json()) as object).toSorted()]).toEqual([
      200,
      ["items", "total"]
    ])
  })

  it("counts one Idempotency-Key for all of an endpoint's paths", async () => {
    const headers = { "idempotency-key": "misspelt-1" }
    const body = { model: "sandbox-text", max_tokens: 10, messages: hello }
    await request(gateway, "/v1/messages", { body, headers })
    const again = await request(gateway, "/messages", { body, headers })
    expect(again.headers.get("idempotent-replayed")).toBe("true")
  })

  it("counts the limits of the endpoint", async () => {
    const statuses = []
    for (const path of ["/v1/messages", "/messages", "/v1/v1/messages", "/messages", "/v1/v1/messages"]) {
      const body = { model: "sandbox-text", max_tokens: 10, messages: hello }
      statuses.push((await request(gateway, path, { body, key: narrow })).status)
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429])
  })
})

describe("a path that is almost one", () => {
  const paths = [
    "/v1/v1/responses",
    "/responses",
    "/messages/count_tokens",
    "/chat/completions",
    "/models",
    "/models/sandbox-text",
    "/v1/v1/account",
    "/v1%2Fv1/responses",
    "/v1/%761/messages",
    "/%6dessages",
    "//messages",
    "/v1//v1/messages",
    "/v1/v1//messages",
    "/v1/v1/v1/messages",
    "/v1/../v1/messages",
    "/account",
    "/v1/v1/admin/v1/keys",
    "/v1/v1/../../admin/v1/keys",
    "/models/%2e%2e/admin/v1/keys"
  ]

  it.each(paths)("is nothing without a key: %s", async (path) => {
    for (const method of ["GET", "POST"]) {
      const [answer] = await exchange(
        gateway.url,
        `${method} ${path} HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`
      )
      expect([401, 404]).toContain(answer?.status)
    }
  })

  it("is in no contract", async () => {
    const { paths: documented } = (await (await request(gateway, "/openapi.json")).json()) as { paths: object }
    expect(
      Object.keys(documented).filter((path) => !/^\/(v1\/(?!v1)|api\/v3\/(?!api)|files|mcp|health|readyz)/.test(path))
    ).toEqual([])
  })
})
