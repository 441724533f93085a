import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { McpClient } from "../../src/mcp/McpClient.ts"
import { all, connected, fakeServer, first, modern, result, rpcError, serverAt, tool } from "./fakeServer.ts"

describe("a list", () => {
  const paged = (pages: number, more: object = {}) =>
    fakeServer((seen) => {
      const at = Number(seen.rpc.params?.cursor ?? 0)
      const next = at + 1 < pages ? { nextCursor: String(at + 1) } : {}
      return result(seen, { resultType: "complete", tools: [tool(`t${at}`)], ...next, ...more })
    })

  it.scopedLive("is read page by page, in the server's order", () =>
    Effect.gen(function* () {
      const server = yield* paged(3)
      const { list } = yield* connected(server.url)
      expect((yield* list(all)).tools.map(({ name }) => name)).toEqual(["t0", "t1", "t2"])
      expect((yield* list(({ name }) => name !== "t1")).tools).toHaveLength(2)
    })
  )

  it.scopedLive("is kept for the time it names, and for the server's own where it names none", () =>
    Effect.gen(function* () {
      const asked = (more: object, listMs: number) =>
        Effect.gen(function* () {
          const server = yield* paged(1, more)
          const { list } = yield* connected(server.url, { listMs })
          yield* list(all)
          yield* list(all)
          return server.seen.length
        })
      expect(yield* asked({ ttlMs: 60_000 }, 0)).toBe(1)
      expect(yield* asked({ ttlMs: 0 }, 60_000)).toBe(1)
      expect(yield* asked({}, 0)).toBe(2)
    })
  )

  it.scopedLive("is never shared with other credentials, even if the server calls it public", () =>
    Effect.gen(function* () {
      const server = yield* paged(1, { ttlMs: 60_000, cacheScope: "public" })
      const client = yield* McpClient
      for (const token of ["a", "b", "a"]) {
        const headers = Redacted.make({ authorization: `Bearer ${token}` })
        yield* Effect.flatMap(client.connect(serverAt(server.url, { headers })), ({ list }) => list(all))
      }
      expect(server.seen.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer a", "Bearer b"])
    }).pipe(Effect.provide(McpClient.Default))
  )

  it.scopedLive("is asked for once by all who want it at a time, also if the first of them leaves", () =>
    Effect.gen(function* () {
      const gate = Promise.withResolvers<void>()
      const answers = modern([tool("one")])
      const server = yield* fakeServer((seen) => gate.promise.then(() => answers(seen)))
      const client = yield* McpClient
      const asked = Effect.scoped(
        Effect.flatMap(client.connect(serverAt(server.url, { listMs: 60_000 })), ({ list }) => list(all))
      )
      const first = yield* Effect.fork(asked)
      yield* Effect.repeat(Effect.sleep("5 millis"), { until: () => server.seen.length === 1 })
      const others = yield* Effect.fork(Effect.all([asked, asked], { concurrency: 2 }))
      yield* Effect.sleep("20 millis")
      yield* Fiber.interrupt(first)
      gate.resolve()
      for (const { tools } of yield* Fiber.join(others)) expect(tools).toHaveLength(1)
      expect(server.methods()).toEqual(["tools/list"])
    }).pipe(Effect.provide(McpClient.Default))
  )

  it.scopedLive("is asked for again once a call shows that it is old", () =>
    Effect.gen(function* () {
      const server = yield* fakeServer(
        modern([tool("gone")], (seen) => rpcError(seen, -32_602, "Unknown tool", { status: 400 }))
      )
      const { call, list } = yield* connected(server.url, { listMs: 60_000 })
      const gone = first((yield* list(all)).tools)
      expect(yield* call(gone, "{}")).toMatchObject({
        outcome: "protocol_error",
        error: { type: "mcp_protocol_error", code: -32_602, message: "Unknown tool" }
      })
      yield* list(all)
      expect(server.methods()).toEqual(["tools/list", "tools/call", "tools/list"])
    })
  )
})

describe("a call", () => {
  it.scopedLive("ends at the server when it is interrupted", () =>
    Effect.gen(function* () {
      const gone = Promise.withResolvers<void>()
      const begun = Promise.withResolvers<void>()
      const server = yield* Effect.acquireRelease(
        Effect.sync(() =>
          Bun.serve({
            port: 0,
            hostname: "127.0.0.1",
            fetch: async (request) => {
              const rpc = await request.json()
              if (rpc.method === "tools/list") {
                return Response.json({
                  jsonrpc: "2.0",
                  id: rpc.id,
                  result: { resultType: "complete", tools: [tool("long")] }
                })
              }
              request.signal.addEventListener("abort", () => gone.resolve())
              begun.resolve()
              return new Promise<Response>(() => {})
            }
          })
        ),
        (running) => Effect.promise(() => running.stop(true))
      )
      const { call, list } = yield* connected(`http://127.0.0.1:${server.port}/`)
      const long = first((yield* list(all)).tools)
      yield* Effect.raceFirst(
        call(long, "{}"),
        Effect.promise(() => begun.promise)
      )
      yield* Effect.promise(() => gone.promise)
    })
  )

  it.scopedLive("with arguments that are no object, or too large, does not leave", () =>
    Effect.gen(function* () {
      const server = yield* fakeServer(modern([tool("one")]))
      const { call, list } = yield* connected(server.url)
      const one = first((yield* list(all)).tools)
      expect(yield* call(one, "[1]")).toMatchObject({ outcome: "refused", sentBytes: 0 })
      expect(yield* call(one, '{"a": ')).toMatchObject({ outcome: "refused" })
      expect(yield* call(one, JSON.stringify({ a: "x".repeat(300_000) }))).toMatchObject({ outcome: "refused" })
      expect(server.methods()).toEqual(["tools/list"])
    })
  )

  it.scopedLive("carries the server's own headers, and none of them is shown", () =>
    Effect.gen(function* () {
      const server = yield* fakeServer(modern([tool("one")]))
      const headers = Redacted.make({ authorization: "Bearer planted", "x-tenant": "acme" })
      const { call, list } = yield* connected(server.url, { headers })
      const end = yield* call(first((yield* list(all)).tools), "{}")
      expect(server.seen.map((seen) => seen.headers.get("authorization"))).toEqual(["Bearer planted", "Bearer planted"])
      expect(JSON.stringify(end)).not.toContain("planted")
    })
  )
})
