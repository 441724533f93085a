import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const own: Array<{ readonly authorization: string | null; readonly headers: Headers; readonly method: string }> = []
const wiki = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const rpc = await request.json()
    own.push({ authorization: request.headers.get("authorization"), headers: request.headers, method: rpc.method })
    const tool = (name: string, readOnlyHint: boolean) => ({
      name,
      inputSchema: { type: "object" },
      annotations: { readOnlyHint }
    })
    const result =
      rpc.method === "tools/list"
        ? { tools: [tool("read.page", true), tool("search", true), tool("drop", false)] }
        : { content: [{ type: "text", text: `did ${rpc.params.name}` }], structuredContent: { a: 1 } }
    return Response.json({ jsonrpc: "2.0", id: rpc.id, result: { resultType: "complete", ...result } })
  }
})

const secrets = {
  all: "mcp-all-secret-0123456789-0123",
  few: "mcp-few-secret-0123456789-0123",
  one: "mcp-one-secret-0123456789-0123"
}
let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-mcp-"))
  const url = `http://127.0.0.1:${wiki.port}/mcp`
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      mcp: {
        servers: {
          "sandbox-tools": { url: "sandbox" },
          wiki: { url, api_key: "wiki-key", headers: { "x-tenant": "acme" }, description: "Pages", not_tools: ["dr*"] },
          reading: { url, read_only: true, tools: ["search", "drop"] },
          personal: { url, auth: "caller", tools: ["search"] },
          away: { url: "http://127.0.0.1:1/mcp" }
        }
      },
      keys: [
        { name: "all", secret: secrets.all, account: "a" },
        { name: "few", secret: secrets.few, account: "b", tools: ["*/search", "sandbox-tools/*"] },
        { name: "one", secret: secrets.one, account: "c", limits: { requests_per_minute: 1 } }
      ],
      accounts: { b: { not_tools: ["sandbox-tools/d*"] } }
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await wiki.stop(true)
})

const ask = (path: string, message: object, headers: Record<string, string> = {}, key = secrets.all) =>
  fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message })
  })

const answered = async (...asked: Parameters<typeof ask>) => {
  const response = await ask(...asked)
  return { status: response.status, body: await response.json() }
}

const namesOf = async (path: string, key: string) => {
  const { body } = await answered(path, { method: "tools/list" }, {}, key)
  return body.result.tools.map(({ name }: { readonly name: string }) => name)
}

const modern = (method: string, params: object = {}) => ({
  method,
  params: {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {}
    }
  }
})
const modernHeaders = (method: string, more: Record<string, string> = {}) => ({
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": method,
  ...more
})

describe("the tools of a key", () => {
  it("are those of all servers, by names that clients take, without those of servers that don't answer", async () => {
    expect(await namesOf("/mcp", secrets.all)).toEqual([
      "sandbox-tools__clock",
      "sandbox-tools__dice",
      "sandbox-tools__echo",
      "sandbox-tools__slow",
      "sandbox-tools__failing",
      "wiki__read_page",
      "wiki__search",
      "reading__search"
    ])
    expect(gateway.output()).toContain("it could not be reached")
  })

  it("are those that the key and its account may use", async () => {
    expect(await namesOf("/mcp", secrets.few)).toEqual([
      "sandbox-tools__clock",
      "sandbox-tools__echo",
      "sandbox-tools__slow",
      "sandbox-tools__failing",
      "wiki__search",
      "reading__search"
    ])
    expect(await namesOf("/mcp/wiki", secrets.few)).toEqual(["search"])
    const before = own.length
    const { body } = await answered(
      "/mcp/wiki",
      { method: "tools/call", params: { name: "read.page" } },
      {},
      secrets.few
    )
    expect(body.error).toEqual({ code: -32_602, message: "Unknown tool: read.page" })
    expect(own.slice(before).map(({ method }) => method)).not.toContain("tools/call")
  })

  it("have their own names at their server's own address", async () => {
    expect(await namesOf("/mcp/wiki", secrets.all)).toEqual(["read.page", "search"])
    expect((await ask("/mcp/nothing", { method: "tools/list" })).status).toBe(404)
  })
})

describe("a call", () => {
  it("reaches its server with the operator's key and headers, and nothing of the caller's", async () => {
    const before = own.length
    const call = { method: "tools/call", params: { name: "wiki__read_page", arguments: { a: 1 } } }
    const { body } = await answered("/mcp", call, { "x-secret": "of the caller" })
    expect(body.result).toEqual({ content: [{ type: "text", text: "did read.page" }], structuredContent: { a: 1 } })
    const [called] = own.slice(before).filter(({ method }) => method === "tools/call")
    expect(called?.authorization).toBe("Bearer wiki-key")
    expect(called?.headers.get("x-tenant")).toBe("acme")
    expect(JSON.stringify([...(called?.headers ?? [])])).not.toMatch(/of the caller|mcp-all-secret/)
  })

  it("of a server with callers' accounts needs a token, which goes to that server alone", async () => {
    const call = { method: "tools/call", params: { name: "search" } }
    const without = await answered("/mcp/personal", call)
    expect(without.body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("x-gateway-mcp-personal") }]
    })
    const before = own.length
    const token = { "x-gateway-mcp-personal": "token-of-ann" }
    expect((await answered("/mcp/personal", call, token)).body.result.content[0].text).toBe("did search")
    expect(own.slice(before).map(({ authorization }) => authorization)).toEqual([
      "Bearer token-of-ann",
      "Bearer token-of-ann"
    ])
    await answered("/mcp/wiki", call, token)
    expect(own.at(-1)?.authorization).toBe("Bearer wiki-key")
  })

  it("that fails, or whose server is away, is a result that the model can read", async () => {
    const failing = await answered("/mcp", { method: "tools/call", params: { name: "sandbox-tools__failing" } })
    expect(failing.body.result).toEqual({
      isError: true,
      content: [{ type: "text", text: "This tool always fails." }]
    })
    const away = await answered("/mcp/away", { method: "tools/call", params: { name: "any" } })
    expect(away.body.result).toMatchObject({ isError: true })
    const listed = await answered("/mcp/away", { method: "tools/list" })
    expect(listed.body.error).toMatchObject({ code: -32_603 })
  })

  it("has a row, which names the tool; other messages have none", async () => {
    await answered("/mcp/wiki", { method: "ping" })
    const response = await ask("/mcp/sandbox-tools", {
      method: "tools/call",
      params: { name: "echo", arguments: { text: "hello" } }
    })
    expect((await response.json()).result.content).toEqual([{ type: "text", text: "hello" }])
    const id = response.headers.get("x-request-id") ?? ""
    await expect.poll(() => rowOf(id)).toMatchObject({ endpoint: "/mcp/:server", tags: ["tool=sandbox-tools/echo"] })
  })
})

describe("the limit of a key with one request a minute", () => {
  it("counts calls alone, and all messages up to ten", async () => {
    const send = async (method: string, params: object = {}) =>
      (await ask("/mcp/sandbox-tools", { method, params }, {}, secrets.one)).status
    const call = () => send("tools/call", { name: "echo", arguments: { text: "hello" } })
    const first = [await send("initialize"), await send("tools/list"), await call(), await call()]
    expect(first).toEqual([200, 200, 200, 429])
    const others: Array<number> = []
    while (others.length < 7) others.push(await send("ping"))
    expect(others).toEqual([200, 200, 200, 200, 200, 200, 429])
  })
})

const rowOf = async (id: string) => {
  const response = await fetch(`${gateway.url}/v1/requests/${id}`, {
    headers: { authorization: `Bearer ${secrets.all}` }
  })
  return response.json()
}

describe("a client of before 2026-07-28", () => {
  it("opens with a version that it knows, needs no session, and has its notifications taken", async () => {
    const opened = await ask("/mcp/wiki", { method: "initialize", params: { protocolVersion: "2025-06-18" } })
    expect(opened.headers.has("mcp-session-id")).toBe(false)
    expect(await opened.json()).toMatchObject({
      result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, instructions: "Pages" }
    })
    const newer = await answered("/mcp", { method: "initialize", params: { protocolVersion: "2031-01-01" } })
    expect(newer.body.result.protocolVersion).toBe("2025-11-25")
    const notified = await fetch(`${gateway.url}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${secrets.all}` },
      body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })
    })
    expect([notified.status, await notified.text()]).toEqual([202, ""])
    expect((await answered("/mcp", { method: "ping" })).body).toEqual({ jsonrpc: "2.0", id: 1, result: {} })
    expect((await answered("/mcp", { method: "resources/list" })).body.error.code).toBe(-32_601)
    expect((await answered("/mcp", { method: "tools/list" })).body.result).not.toHaveProperty("ttlMs")
  })

  it("gets 405 for a stream with a key, and 401 without one", async () => {
    const headers = { authorization: `Bearer ${secrets.all}` }
    const opened = await fetch(`${gateway.url}/mcp`, { headers })
    expect([opened.status, opened.headers.get("allow")]).toEqual([405, "POST"])
    expect((await fetch(`${gateway.url}/mcp/wiki`)).status).toBe(401)
  })
})

describe("a client of 2026-07-28", () => {
  it("discovers, lists and calls", async () => {
    const found = await answered("/mcp", modern("server/discover"), modernHeaders("server/discover"))
    expect(found.body.result).toMatchObject({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} }
    })
    const listed = await answered("/mcp/wiki", modern("tools/list"), modernHeaders("tools/list"))
    expect(listed.body.result).toMatchObject({ resultType: "complete", ttlMs: 60_000, cacheScope: "private" })
    const call = modern("tools/call", { name: "search", arguments: {} })
    const headers = modernHeaders("tools/call", { "mcp-name": "=?base64?c2VhcmNo?=" })
    expect((await answered("/mcp/wiki", call, headers)).body.result).toMatchObject({ resultType: "complete" })
  })

  it.each([
    ["another method", modern("tools/list"), modernHeaders("tools/call"), 400, -32_020],
    ["another version", modern("tools/list"), { "mcp-protocol-version": "2025-11-25" }, 400, -32_020],
    ["no method", modern("tools/list"), { "mcp-protocol-version": "2026-07-28" }, 400, -32_020],
    ["no name", modern("tools/call", { name: "search" }), modernHeaders("tools/call"), 400, -32_020],
    ["no version in the body", { method: "tools/list" }, modernHeaders("tools/list"), 400, -32_602],
    ["an unknown version", { method: "tools/list" }, { "mcp-protocol-version": "2031-01-01" }, 400, -32_022],
    ["an unknown method", modern("prompts/list"), modernHeaders("prompts/list"), 404, -32_601]
  ])("is told of %s", async (_, message, headers, status, code) => {
    const { body, status: got } = await answered("/mcp/wiki", message, headers)
    expect([got, body.error.code]).toEqual([status, code])
  })
})

describe("a message", () => {
  it.each([{ jsonrpc: "1.0" }, { method: undefined }, { id: true }, { params: [] }])(
    "is refused: %j",
    async (message) => {
      expect((await ask("/mcp", { method: "ping", ...message })).status).toBe(400)
    }
  )

  it("of another site's page is refused, whatever its key", async () => {
    expect((await ask("/mcp", { method: "ping" }, { origin: "https://evil.example" })).status).toBe(403)
  })
})
