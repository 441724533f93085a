import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { readMessage } from "../../../src/mcp/endpoint/readMessage.ts"
import type { Received } from "../../../src/mcp/endpoint/readMessage.ts"

const versionKey = "io.modelcontextprotocol/protocolVersion"
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
const meta = { [versionKey]: "2026-07-28", [capabilitiesKey]: {} }

const read = (message: Omit<Received, "jsonrpc">, headers: Record<string, string> = {}, instructions?: string) =>
  readMessage({ jsonrpc: "2.0", ...message }, new Headers(headers), instructions)

/** What is answered without a server: its status, and its error's code or its result. */
const answered = (...given: Parameters<typeof read>) => {
  const { body, status } = Either.getOrThrow(Either.flip(read(...given)))
  return [status, body?.error?.code ?? body?.result, body?.id] as const
}

/** A request of revision 2026-07-28, with its headers. */
const modern = (method: string, params: object = {}, headers: Record<string, string> = {}) =>
  [
    { id: 1, method, params: { _meta: meta, ...params } },
    { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...headers }
  ] as const

describe("a client before 2026-07-28", () => {
  it.each(["2025-11-25", "2025-06-18", "2025-03-26"])("gets its version %s", (protocolVersion) => {
    const [status, result] = answered({ id: "a", method: "initialize", params: { protocolVersion } })
    expect(status).toBe(200)
    expect(result).toEqual({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "model-gateway", version: expect.any(String) }
    })
  })

  it.each(["2024-11-05", "2026-07-28", "2099-01-01", 7, undefined])("is offered 2025-11-25 for %s", (wanted) => {
    const [, result] = answered({ id: 1, method: "initialize", params: { protocolVersion: wanted } }, {}, "Tickets")
    expect(result).toMatchObject({ protocolVersion: "2025-11-25", instructions: "Tickets" })
  })

  it("pings, lists and calls, with the version of its handshake or without one", () => {
    expect(answered({ id: 1, method: "ping" })).toEqual([200, {}, 1])
    for (const headers of [{}, { "mcp-protocol-version": "2025-06-18" }]) {
      const list = read({ id: 1, method: "tools/list" }, headers)
      expect(list).toEqual(Either.right({ id: 1, era: "legacy" }))
    }
    // Codex sends a `_meta` of its own.
    const params = { name: "echo", arguments: { text: "a" }, _meta: { threadId: "x" } }
    const call = read({ id: 2, method: "tools/call", params }, { "mcp-protocol-version": "2025-06-18" })
    expect(call).toEqual(Either.right({ id: 2, era: "legacy", call: { name: "echo", input: { text: "a" } } }))
  })

  it.each(["server/discover", "prompts/list", "constructor"])("is told that %s is unknown, with a 200", (method) => {
    expect(answered({ id: 1, method })).toEqual([200, -32_601, 1])
  })

  it("is refused with a version that is none", () => {
    const headers = { "mcp-protocol-version": "1999-01-01" }
    expect(answered({ id: 1, method: "tools/list" }, headers)).toEqual([400, -32_022, 1])
  })
})

describe("a client of 2026-07-28", () => {
  it("discovers that version alone", () => {
    const [status, result] = answered(...modern("server/discover"))
    expect(status).toBe(200)
    expect(result).toEqual({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      ttlMs: 60_000,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "model-gateway", version: expect.any(String) } }
    })
  })

  it("lists and calls", () => {
    expect(read(...modern("tools/list"))).toEqual(Either.right({ id: 1, era: "modern" }))
    const call = modern("tools/call", { name: "a" }, { "mcp-name": "a" })
    expect(read(...call)).toEqual(Either.right({ id: 1, era: "modern", call: { name: "a", input: {} } }))
  })

  it.each(["initialize", "ping", "logging/setLevel", "subscriptions/listen", "no/such"])(
    "gets a 404 for %s",
    (method) => {
      expect(answered(...modern(method))).toEqual([404, -32_601, 1])
    }
  )

  it.each([
    ["no _meta", {}],
    ["no version", { _meta: { [capabilitiesKey]: {} } }],
    ["no capabilities", { _meta: { [versionKey]: "2026-07-28" } }]
  ])("is refused with %s", (_, params) => {
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" }
    expect(answered({ id: 1, method: "tools/list", params }, headers)).toEqual([400, -32_602, 1])
  })

  it("is told the versions that it may use in place of its own", () => {
    const other = { _meta: { ...meta, [versionKey]: "2099-01-01" } }
    const answer = read(...modern("server/discover", other, { "mcp-protocol-version": "2099-01-01" }))
    expect(Either.getOrThrow(Either.flip(answer))).toMatchObject({
      status: 400,
      body: { error: { code: -32_022, data: { supported: ["2026-07-28"], requested: "2099-01-01" } } }
    })
  })

  it.each([
    ["another version", { "mcp-protocol-version": "2025-11-25" }],
    ["another method", { "mcp-method": "TOOLS/CALL" }],
    ["another name", { "mcp-name": "b" }],
    ["a name in broken Base64", { "mcp-name": "=?base64?YQ?=" }]
  ])("is refused with %s in its headers", (_, headers) => {
    expect(answered(...modern("tools/call", { name: "a" }, { "mcp-name": "a", ...headers }))).toEqual([400, -32_020, 1])
  })

  it("is refused without these headers", () => {
    const [message] = modern("tools/call", { name: "a" })
    for (const headers of [
      {},
      { "mcp-protocol-version": "2026-07-28" },
      { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call" }
    ]) {
      expect(answered(message, headers)).toEqual([400, -32_020, 1])
    }
  })

  it("may send a name in Base64", () => {
    const call = modern("tools/call", { name: "ü" }, { "mcp-name": "=?base64?w7w=?=" })
    expect(Either.isRight(read(...call))).toBe(true)
  })
})

describe("a message", () => {
  it.each([
    ["a notification", { method: "notifications/initialized" }],
    // Claude Code cancels without `Mcp-Method`.
    ["a notification of 2026-07-28", { method: "notifications/cancelled", params: { _meta: meta, requestId: 1 } }],
    ["one whose id is null", { id: null, method: "tools/list" }],
    ["an answer", { id: 1, result: {} }],
    ["an answer that is an error", { id: 1, error: { code: 1 } }]
  ])("that is %s gets a 202 without a body", (_, message) => {
    expect(Either.flip(read(message))).toEqual(Either.right({ status: 202 }))
  })

  it("without a method is refused", () => {
    expect(answered({ id: 1 })).toEqual([400, -32_600, 1])
    expect(answered({})).toEqual([400, -32_600, null])
  })

  it.each([
    ["no name", {}],
    ["an empty name", { name: "" }],
    ["arguments that are no object", { name: "a", arguments: [1] }]
  ])("with %s calls nothing", (_, params) => {
    expect(answered({ id: 1, method: "tools/call", params })).toEqual([200, -32_602, 1])
  })
})
