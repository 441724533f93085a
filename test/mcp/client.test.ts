import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Scope } from "effect"
import { McpClient } from "../../src/mcp/McpClient.ts"
import {
  all,
  connected,
  event,
  fakeServer,
  first,
  legacy,
  modern,
  result,
  rpcError,
  said,
  serverAt,
  stream,
  tool
} from "./fakeServer.ts"

const text = (words: string) => [{ type: "text", text: words }]

describe("a server without a handshake", () => {
  it.scopedLive("is listed and called by one request each, which carry version, method, name and client", () =>
    Effect.gen(function* () {
      const server = yield* fakeServer(modern([tool("wünsch", { description: "Wishes" })]))
      const { call, list } = yield* connected(server.url)
      const { tools } = yield* list(all)
      expect(tools).toMatchObject([{ name: "wünsch", description: "Wishes", inputSchema: { type: "object" } }])
      expect(yield* call(first(tools), '{"a": 12345678901234567890}')).toMatchObject({
        outcome: "completed",
        parts: text("done")
      })
      expect(server.methods()).toEqual(["tools/list", "tools/call"])
      const called = server.seen[1]!
      expect(called.headers.get("mcp-protocol-version")).toBe("2026-07-28")
      expect(called.headers.get("mcp-method")).toBe("tools/call")
      expect(called.headers.get("mcp-name")).toBe("=?base64?d8O8bnNjaA==?=")
      expect(called.headers.get("accept")).toBe("application/json, text/event-stream")
      expect(called.rpc.params?._meta).toMatchObject({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}
      })
    })
  )

  it.scopedLive("answers by a stream, which is left at the answer", () =>
    Effect.gen(function* () {
      const server = yield* fakeServer(
        modern([tool("slow")], ({ rpc }) =>
          stream(
            [
              event({ jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } }),
              event({ jsonrpc: "2.0", id: rpc.id, result: said("streamed") })
            ],
            true
          )
        )
      )
      const { call, list } = yield* connected(server.url)
      const { tools } = yield* list(all)
      expect(yield* call(first(tools), "{}")).toMatchObject({ outcome: "completed", parts: text("streamed") })
    })
  )

  it.scopedLive("gets arguments in headers where its schema says so", () =>
    Effect.gen(function* () {
      const properties = {
        region: { type: "string", "x-mcp-header": "Region" },
        filter: { type: "object", properties: { deep: { type: "boolean", "x-mcp-header": "Deep" } } },
        count: { type: "integer", "x-mcp-header": "Count" }
      }
      const server = yield* fakeServer(modern([tool("search", { inputSchema: { type: "object", properties } })]))
      const { call, list } = yield* connected(server.url)
      const { tools } = yield* list(all)
      yield* call(first(tools), '{"region": " Köln ", "filter": {"deep": false}, "count": null}')
      const { headers } = server.seen[1]!
      expect(headers.get("mcp-param-region")).toBe(`=?base64?${Buffer.from(" Köln ").toString("base64")}?=`)
      expect([headers.get("mcp-param-deep"), headers.get("mcp-param-count")]).toEqual(["false", null])
    })
  )

  it.scopedLive("that asks a person for something refuses the call, in words for the model", () =>
    Effect.gen(function* () {
      const ask = { method: "elicitation/create", params: { message: "Your name?" } }
      const server = yield* fakeServer(
        modern([tool("greet")], (seen) => result(seen, { resultType: "input_required", inputRequests: { a: ask } }))
      )
      const { call, list } = yield* connected(server.url)
      const end = yield* call(first((yield* list(all)).tools), "")
      expect(end.outcome).toBe("refused")
      expect(end.parts).toEqual(text("The tool asks a person for something, which is not possible here: Your name?"))
    })
  )

  it.scopedLive("is told from one with sessions by its own errors, whatever their status", () =>
    Effect.gen(function* () {
      const server = yield* fakeServer((seen) => rpcError(seen, -32_021, "needs roots", { status: 400 }))
      const { list } = yield* connected(server.url)
      expect(yield* Effect.flip(list(all))).toMatchObject({
        outcome: "protocol_error",
        code: -32_021,
        said: "needs roots"
      })
      expect(server.methods()).toEqual(["tools/list"])
    })
  )

  it.scopedLive("may name a version with a handshake, which is then opened with", () =>
    Effect.gen(function* () {
      const sessions = legacy([tool("one")])
      const server = yield* fakeServer((seen) =>
        seen.headers.get("mcp-protocol-version") === "2026-07-28"
          ? rpcError(seen, -32_022, "unsupported", { status: 400 }, { supported: ["2024-11-05", "2025-06-18"] })
          : sessions(seen)
      )
      const { list } = yield* connected(server.url)
      expect((yield* list(all)).tools).toHaveLength(1)
      expect(server.seen[1]?.rpc.params?.protocolVersion).toBe("2025-06-18")
    })
  )
})

describe("a server with sessions", () => {
  it.scopedLive("is opened once a generation, called within it, and closed at its end", () =>
    Effect.gen(function* () {
      const server = yield* fakeServer(legacy([tool("one")]))
      const scope = yield* Scope.make()
      const { call, list } = yield* Scope.extend(connected(server.url), scope)
      const one = first((yield* list(all)).tools)
      const ends = yield* Effect.all([call(one, "{}"), call(one, "{}")], { concurrency: 2 })
      expect(ends.map(({ outcome }) => outcome)).toEqual(["completed", "completed"])
      yield* Scope.close(scope, Exit.void)
      yield* Effect.promise(() => until(() => server.methods().includes("DELETE")))
      expect(server.methods()).toEqual([
        "tools/list",
        "initialize",
        "notifications/initialized",
        "tools/list",
        "tools/call",
        "tools/call",
        "DELETE"
      ])
      expect(server.seen[1]?.rpc.params).toMatchObject({ protocolVersion: "2025-11-25", capabilities: {} })
      expect(server.seen[4]?.headers.get("mcp-session-id")).toBe("session-1")
      expect(server.seen[4]?.headers.get("mcp-protocol-version")).toBe("2025-11-25")
      expect(server.seen[4]?.rpc.params).toEqual({ name: "one", arguments: {} })
    })
  )

  it.scopedLive("is remembered, so that later generations begin with its form", () =>
    Effect.gen(function* () {
      const server = yield* fakeServer(legacy([tool("one")]))
      const client = yield* McpClient
      for (let generation = 0; generation < 2; generation++) {
        yield* Effect.scoped(Effect.flatMap(client.connect(serverAt(server.url)), ({ list }) => list(all)))
      }
      const opened = server.methods().filter((method) => method !== "DELETE")
      expect(opened).toEqual([
        "tools/list",
        "initialize",
        "notifications/initialized",
        "tools/list",
        "initialize",
        "notifications/initialized",
        "tools/list"
      ])
    }).pipe(Effect.provide(McpClient.Default))
  )

  it.scopedLive("is remembered for its credentials alone, and known anew if it refuses that form with a 200", () =>
    Effect.gen(function* () {
      let isModern = false
      const [ofModern, sessions] = [modern([tool("one")]), legacy([tool("one")])]
      const server = yield* fakeServer((seen) => {
        if (!isModern) return sessions(seen)
        return seen.rpc.method === "initialize" ? rpcError(seen, -32_601, "Method not found") : ofModern(seen)
      })
      const client = yield* McpClient
      const listed = (token: string) =>
        Effect.scoped(
          Effect.flatMap(
            client.connect(serverAt(server.url, { headers: Redacted.make({ authorization: token }) })),
            ({ list }) => list(all)
          )
        )
      yield* listed("a")
      isModern = true
      server.seen.length = 0
      expect((yield* listed("b")).tools).toHaveLength(1)
      expect(server.methods().filter((method) => method !== "DELETE")).toEqual(["tools/list"])
      server.seen.length = 0
      expect((yield* listed("a")).tools).toHaveLength(1)
      expect(server.methods().filter((method) => method !== "DELETE")).toEqual(["initialize", "tools/list"])
    }).pipe(Effect.provide(McpClient.Default))
  )

  it.scopedLive("may need none: a list without a form is asked for again in a session without an id", () =>
    Effect.gen(function* () {
      const server = yield* fakeServer((seen) => {
        if (seen.rpc.method === "initialize") return result(seen, { protocolVersion: "2025-03-26" })
        return seen.rpc.method === "tools/list"
          ? result(seen, { tools: [tool("one")] })
          : new Response(null, { status: 202 })
      })
      const { list } = yield* connected(server.url)
      expect((yield* list(all)).tools).toHaveLength(1)
      expect(server.seen.at(-1)?.headers.has("mcp-session-id")).toBe(false)
      expect(server.seen.at(-1)?.headers.has("mcp-protocol-version")).toBe(false)
    })
  )

  it.scopedLive("gets an answer to a ping, and a refusal to all else that it asks its client", () =>
    Effect.gen(function* () {
      const server = yield* fakeServer(
        legacy([tool("nosy")], ({ rpc }) =>
          stream([
            event({ jsonrpc: "2.0", id: "p", method: "ping" }),
            event({ jsonrpc: "2.0", id: 7, method: "roots/list" }),
            event({ jsonrpc: "2.0", method: "notifications/message", params: {} }),
            event({ jsonrpc: "2.0", id: rpc.id, result: said("knows enough") })
          ])
        )
      )
      const { call, list } = yield* connected(server.url)
      const end = yield* call(first((yield* list(all)).tools), "{}")
      expect(end.parts).toEqual(text("knows enough"))
      expect(server.seen.slice(-2).map(({ rpc }) => rpc)).toEqual([
        { jsonrpc: "2.0", id: "p", result: {} },
        { jsonrpc: "2.0", id: 7, error: { code: -32_601, message: "Method not found" } }
      ])
    })
  )

  it.scopedLive("that loses a session gets a new one for a list, and no call twice", () =>
    Effect.gen(function* () {
      let isLost = false
      let calls = 0
      const sessions = legacy([tool("one")], (seen) => {
        calls++
        return result(seen, said("done"))
      })
      const server = yield* fakeServer((seen) => {
        if (isLost && seen.rpc.method !== "initialize")
          return rpcError(seen, -32_001, "Session not found", { status: 404 })
        isLost = false
        return sessions(seen)
      })
      const { call, list } = yield* connected(server.url)
      const one = first((yield* list(all)).tools)
      isLost = true
      expect((yield* list(all)).tools).toHaveLength(1)
      isLost = true
      expect(yield* call(one, "{}")).toMatchObject({ outcome: "protocol_error" })
      expect(calls).toBe(0)
      expect(server.methods().filter((method) => method === "tools/call")).toHaveLength(1)
      expect(yield* call(one, "{}")).toMatchObject({ outcome: "completed" })
      expect(calls).toBe(1)
    })
  )
})

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}
