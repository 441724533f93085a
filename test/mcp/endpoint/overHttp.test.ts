import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { fakeServer, modern, result, said, tool } from "../fakeServer.ts"

const scope = Effect.runSync(Scope.make())
const fake = (...given: Parameters<typeof fakeServer>) => Effect.runPromise(Scope.extend(fakeServer(...given), scope))

const narrowKey = "sk-narrow-0123456789abcdef"
const slowKey = "sk-slow-0123456789abcdefgh"

const region = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } }
const tools = [
  tool("search"),
  tool("get.issue", { description: "Reads an issue." }),
  tool("near", { inputSchema: region })
]

let gateway: GatewayHere
let tickets: Awaited<ReturnType<typeof fake>>
let own: Awaited<ReturnType<typeof fake>>
/** Resolves once the connection of a call is closed. */
const closed = Promise.withResolvers<void>()
const silent = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: async (request) => {
    const { id, method } = await request.json()
    if (method === "tools/list")
      return Response.json({ jsonrpc: "2.0", id, result: { tools: [tool("wait")], resultType: "complete" } })
    request.signal.addEventListener("abort", () => closed.resolve())
    return closed.promise.then(() => new Response())
  }
})
beforeAll(async () => {
  tickets = await fake(modern(tools, (seen) => result(seen, said(`called ${String(seen.rpc.params?.["name"])}`))))
  own = await fake(modern([tool("mine")]))
  const folder = mkdtempSync(join(tmpdir(), "gateway-mcp-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      mcp: {
        servers: {
          tickets: { url: tickets.url, description: "Tickets of the house", api_key: "for-tickets-alone" },
          mine: { url: own.url, auth: "caller" },
          silent: { url: `http://127.0.0.1:${silent.port}/mcp`, tools: ["wait"] },
          away: { url: "http://127.0.0.1:9/mcp" }
        }
      },
      keys: [
        { name: "narrow", secret: narrowKey, tools: ["tickets/search"] },
        { name: "slow", secret: slowKey, limits: { requests_per_minute: 2 } }
      ]
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await silent.stop(true)
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })

interface Rpc {
  readonly error?: { readonly code: number; readonly message: string }
  readonly result?: { readonly [name: string]: unknown; readonly tools?: ReadonlyArray<{ readonly name: string }> }
}

const ask = async (path: string, method: string, params: object = {}, headers: Record<string, string> = {}) => {
  const answer = await send(path, { jsonrpc: "2.0", id: 1, method, params }, headers)
  return { status: answer.status, ...((await answer.json()) as Rpc) }
}

const namesAt = async (path: string, headers: Record<string, string> = {}) =>
  (await ask(path, "tools/list", {}, headers)).result?.tools?.map(({ name }) => name)

const by = (key: string) => ({ authorization: `Bearer ${key}` })

const textOf = (rpc: Rpc) => [rpc.result?.["isError"] ?? false, JSON.stringify(rpc.result?.["content"])]

describe("tools", () => {
  it("have their servers' names in front at /mcp, in characters that models take", async () => {
    expect(await namesAt("/mcp")).toEqual(["tickets__search", "tickets__get_issue", "tickets__near", "silent__wait"])
    const called = await ask("/mcp", "tools/call", { name: "tickets__get_issue", arguments: { id: 1 } })
    expect(textOf(called)).toEqual([false, expect.stringContaining("called get.issue")])
  })

  it("have their own names at their server's path", async () => {
    expect(await namesAt("/mcp/tickets")).toEqual(["search", "get.issue", "near"])
    const called = await ask("/mcp/tickets", "tools/call", { name: "search" })
    expect(textOf(called)).toEqual([false, expect.stringContaining("called search")])
  })

  it("are those that the key may use, in lists and in calls", async () => {
    expect(await namesAt("/mcp", by(narrowKey))).toEqual(["tickets__search"])
    expect(await namesAt("/mcp/tickets", by(narrowKey))).toEqual(["search"])
    const before = tickets.seen.length
    for (const [path, name] of [
      ["/mcp", "tickets__get_issue"],
      ["/mcp/tickets", "get.issue"],
      ["/mcp", "search"],
      ["/mcp", "tickets__none"]
    ] as const) {
      const { error } = await ask(path, "tools/call", { name }, by(narrowKey))
      expect(error).toEqual({ code: -32_602, message: `Unknown tool: ${name}` })
    }
    expect(tickets.seen.slice(before).filter(({ rpc }) => rpc.method === "tools/call")).toEqual([])
  })

  it("are of no server that the key may use nothing of: it does not exist, and is not asked", async () => {
    const before = tickets.seen.length + own.seen.length
    for (const method of ["initialize", "tools/list", "ping"]) {
      expect((await ask("/mcp/mine", method, {}, by(narrowKey))).status).toBe(404)
    }
    expect((await ask("/mcp", "tools/call", { name: "mine__mine" }, by(narrowKey))).error?.code).toBe(-32_602)
    expect((await ask("/mcp", "tools/call", { name: "away__any" }, by(narrowKey))).error?.code).toBe(-32_602)
    expect(tickets.seen.length + own.seen.length).toBe(before)
  })

  it("get the server's own key, and nothing of the caller's", async () => {
    await ask("/mcp", "tools/call", { name: "tickets__search" }, { "x-gateway-mcp-mine": "for-mine-alone" })
    const { headers } = tickets.seen.at(-1)!
    expect(headers.get("authorization")).toBe("Bearer for-tickets-alone")
    const sent = JSON.stringify([...headers])
    expect(sent).not.toContain(gateway.key)
    expect(sent).not.toContain("for-mine-alone")
  })

  it("are refused where a header does not repeat an argument that its server wants there", async () => {
    const params = {
      name: "near",
      arguments: { region: "eu" },
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}
      }
    }
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "near" }
    const near = (more: Record<string, string>) => ask("/mcp/tickets", "tools/call", params, { ...headers, ...more })
    for (const wrong of [{}, { "mcp-param-region": "us" }]) {
      expect(await near(wrong)).toMatchObject({ status: 400, error: { code: -32_020 } })
    }
    for (const right of ["eu", "=?base64?ZXU=?="]) {
      expect((await near({ "mcp-param-region": right })).status).toBe(200)
    }
  })
})

describe("a server that wants a token of each caller", () => {
  it("says by which header, where its tools are meant", async () => {
    const said = expect.stringContaining("send it in the header x-gateway-mcp-mine")
    expect(await ask("/mcp/mine", "tools/list")).toMatchObject({ status: 200, error: { code: -32_603, message: said } })
    for (const [path, name] of [
      ["/mcp/mine", "mine"],
      ["/mcp", "mine__mine"]
    ] as const) {
      expect(textOf(await ask(path, "tools/call", { name }))).toEqual([true, said])
    }
    expect(own.seen).toEqual([])
  })

  it("gets that of the caller", async () => {
    const token = { "x-gateway-mcp-mine": "caller-token" }
    expect(await namesAt("/mcp", token)).toContain("mine__mine")
    expect(textOf(await ask("/mcp", "tools/call", { name: "mine__mine" }, token))[0]).toBe(false)
    const sent = own.seen.map(({ headers }) => headers.get("authorization"))
    expect(new Set(sent)).toEqual(new Set(["Bearer caller-token"]))
  })
})

describe("a server that is away", () => {
  it("is left out of all tools, and said at its own path", async () => {
    expect(await namesAt("/mcp")).toContain("tickets__search")
    const { error } = await ask("/mcp/away", "tools/list")
    expect(error).toEqual({ code: -32_603, message: expect.stringMatching(/^The tools of "away" can't be listed: /) })
    expect(textOf(await ask("/mcp", "tools/call", { name: "away__any" }))).toEqual([
      true,
      expect.stringContaining("can't be listed")
    ])
  })
})

describe("a client that leaves", () => {
  it("cancels its call at the server", async () => {
    const leaving = new AbortController()
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait" } }
    const asked = fetch(`${gateway.url}/mcp/silent`, {
      method: "POST",
      headers: by(gateway.key),
      body: JSON.stringify(call),
      signal: leaving.signal
    })
    await expect.poll(() => silent.pendingRequests).toBe(1)
    leaving.abort()
    await expect(asked).rejects.toThrow()
    await closed.promise
    await expect.poll(() => gateway.output()).toContain('"error":"hang_up"')
  })
})

describe("HTTP", () => {
  it("asks for the key before the method", async () => {
    for (const path of ["/mcp", "/mcp/tickets", "/mcp/none"]) {
      expect((await fetch(gateway.url + path)).status).toBe(401)
      const answer = await fetch(gateway.url + path, { headers: by(gateway.key) })
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"])
    }
  })

  it("refuses pages of other origins, by a name that leads here too", async () => {
    const { port } = new URL(gateway.url)
    for (const origin of ["http://evil.example.com", `http://evil.example.com:${port}`, "null"]) {
      expect((await ask("/mcp", "ping", {}, { origin, host: `evil.example.com:${port}` })).status).toBe(403)
    }
    expect((await ask("/mcp", "ping", {}, { origin: gateway.url })).status).toBe(200)
  })

  it("answers an unknown server and what is no message in the usual form of errors", async () => {
    const unknown = await send("/mcp/none", { jsonrpc: "2.0", id: 1, method: "ping" })
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      {
        error: {
          code: "invalid_request_error",
          message: expect.stringContaining('"none"'),
          param: null,
          type: expect.any(String)
        }
      }
    ])
    for (const body of [[{ jsonrpc: "2.0", id: 1, method: "ping" }], { id: 1, method: "ping" }]) {
      const answer = await send("/mcp", body)
      expect([answer.status, await answer.json()]).toEqual([400, { error: expect.anything() }])
    }
  })

  it("counts calls as requests, and no other message", async () => {
    const three = async (method: string, params: object = {}) => {
      const statuses = []
      for (let i = 0; i < 3; i++) statuses.push((await ask("/mcp", method, params, by(slowKey))).status)
      return statuses
    }
    expect(await three("ping")).toEqual([200, 200, 200])
    expect(await three("tools/call", { name: "tickets__search", arguments: {} })).toEqual([200, 200, 429])
  })
})
