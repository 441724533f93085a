import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
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
  stream,
  tool
} from "./fakeServer.ts"
import type { Seen } from "./fakeServer.ts"

type Call = (seen: Seen) => Response | Promise<Response>

/** How a call ends at a server that lists properly. */
const called = (call: Call, callMs = 5_000) =>
  Effect.gen(function* () {
    const server = yield* fakeServer(modern([tool("bad")], call))
    const { call: callTool, list } = yield* connected(server.url, { callMs })
    const end = yield* callTool(first((yield* list(all)).tools), "{}")
    expect(server.methods()).toEqual(["tools/list", "tools/call"])
    return end
  })

/** Why a server has no list. */
const unlisted = (answer: Call) =>
  Effect.gen(function* () {
    const server = yield* fakeServer(answer)
    const { list } = yield* connected(server.url)
    return yield* Effect.flip(list(all))
  })

const never = () => new Promise<Response>(() => {})

/** A stream that says something at each of these times, for ever. */
const trickle = (text: string, ms: number) => {
  let timer: ReturnType<typeof setInterval> | undefined
  return new Response(
    new ReadableStream({
      start: (controller) => {
        timer = setInterval(() => controller.enqueue(new TextEncoder().encode(text)), ms)
      },
      cancel: () => clearInterval(timer)
    }),
    { headers: { "content-type": "text/event-stream" } }
  )
}

describe("a call ends in time", () => {
  it.scopedLive("at a server that says nothing", () =>
    Effect.gen(function* () {
      expect(yield* called(never, 100)).toMatchObject({
        outcome: "timeout",
        error: { type: "http_error", code: 0, message: "it did not answer within 0.1 s" }
      })
    })
  )

  it.scopedLive("at one whose stream trickles for ever", () =>
    Effect.gen(function* () {
      const progress = event({ jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } })
      expect(yield* called(() => trickle(progress, 5), 150)).toMatchObject({ outcome: "timeout" })
      expect(yield* called(() => trickle(": still here\n\n", 5), 150)).toMatchObject({ outcome: "timeout" })
    })
  )

  it.scopedLive.each([
    ["after the headers", "close", 200],
    ["a connection that it had kept", "keep-alive", 0]
  ] as const)("at one that closes %s, whose call is not sent again", ([, kept, code]) =>
    Effect.gen(function* () {
      let calls = 0
      const server = yield* Effect.acquireRelease(
        Effect.async<ReturnType<typeof createServer>>((resume) => {
          const tcp = createServer((socket) => {
            socket.on("error", () => {})
            socket.on("data", (data) => {
              const text = data.toString()
              if (text.includes("tools/list")) {
                const body = JSON.stringify({
                  jsonrpc: "2.0",
                  id: 1,
                  result: { resultType: "complete", tools: [tool("one")] }
                })
                socket.write(
                  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: ${kept}\r\n\r\n${body}`
                )
                if (kept === "close") socket.end()
              } else {
                calls++
                if (kept === "keep-alive") socket.destroy()
                else socket.end("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n")
              }
            })
          })
          tcp.listen(0, "127.0.0.1", () => resume(Effect.succeed(tcp)))
        }),
        (tcp) => Effect.sync(() => tcp.close())
      )
      const { call, list } = yield* connected(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      const end = yield* call(first((yield* list(all)).tools), "{}")
      expect(end).toMatchObject({ outcome: "http_error", error: { type: "http_error", code } })
      expect(calls).toBe(1)
    })
  )

  it.scopedLive("at one that ends its stream without an answer", () =>
    Effect.gen(function* () {
      expect(yield* called(() => stream(["data:\n\n"]))).toMatchObject({ outcome: "http_error" })
    })
  )
})

describe("an answer has bounds", () => {
  it.scopedLive("of its bytes: 10 MB are not read, whether or not they come as a stream", () =>
    Effect.gen(function* () {
      const big = "x".repeat(10_000_000)
      expect(yield* called((seen) => result(seen, said(big)))).toMatchObject({ outcome: "too_large" })
      expect(
        yield* called(({ rpc }) => stream([event({ jsonrpc: "2.0", id: rpc.id, result: said(big) })]))
      ).toMatchObject({ outcome: "too_large" })
      expect(yield* unlisted((seen) => result(seen, { tools: [tool("a", { description: big })] }))).toMatchObject({
        outcome: "too_large"
      })
    })
  )

  it.scopedLive("of the requests that it makes of its client", () =>
    Effect.gen(function* () {
      const nosy = event({ jsonrpc: "2.0", id: 1, method: "roots/list" })
      const server = yield* fakeServer(legacy([tool("nosy")], () => stream(Array.from({ length: 1_000 }, () => nosy))))
      const { call, list } = yield* connected(server.url)
      const end = yield* call(first((yield* list(all)).tools), "{}")
      expect(end.outcome).toBe("protocol_error")
      expect(server.methods().filter((method) => method === "answer").length).toBeLessThan(30)
    })
  )

  it.scopedLive("of a server's words in errors", () =>
    Effect.gen(function* () {
      const words = "w".repeat(50_000)
      const { error, failure, parts } = yield* called(({ rpc }) =>
        Response.json({ jsonrpc: "2.0", id: rpc.id, error: { code: -32_603, message: words } })
      )
      for (const one of [error, failure?.said, parts]) expect(JSON.stringify(one).length).toBeLessThan(2_500)
    })
  )
})

describe("a server's words in errors", () => {
  it.scopedLive("repeat neither its credentials nor its address", () =>
    Effect.gen(function* () {
      const secrets = ["token-of-the-server", "tenant-of-the-server", "key-in-the-address"]
      const refusing = (status: number) => (seen: Seen) =>
        rpcError(seen, -32_603, `${"w".repeat(1_990)} ${secrets.join(" ")}: no`, { status })
      const headers = Redacted.make({ authorization: `Bearer ${secrets[0]}`, "x-tenant": secrets[1] ?? "" })
      for (const form of [modern, legacy]) {
        for (const status of [200, 401]) {
          const server = yield* fakeServer(form([tool("bad")], refusing(status)))
          const { call, list } = yield* connected(`${server.url}?key=${secrets[2]}`, { headers })
          const end = JSON.stringify(yield* call(first((yield* list(all)).tools), "{}"))
          expect(end).toContain("www […]")
          for (const secret of secrets) expect(end).not.toContain(secret.slice(0, 6))
        }
      }
    })
  )
})

describe("an answer that is none", () => {
  it.scopedLive("of another request, of several at once, of no JSON", () =>
    Effect.gen(function* () {
      expect(yield* called(() => Response.json({ jsonrpc: "2.0", id: 4_711, result: said("x") }))).toMatchObject({
        outcome: "protocol_error",
        error: { type: "mcp_protocol_error", message: "its answer has another request's id" }
      })
      expect(
        yield* called(({ rpc }) => Response.json([{ jsonrpc: "2.0", id: rpc.id, result: said("x") }]))
      ).toMatchObject({ outcome: "protocol_error" })
      expect(yield* called(() => new Response("{", { headers: { "content-type": "application/json" } }))).toMatchObject(
        { outcome: "protocol_error" }
      )
    })
  )

  it.scopedLive("is HTML, with the status of an answer", () =>
    Effect.gen(function* () {
      const html = () => new Response("<h1>Sign in</h1>", { headers: { "content-type": "text/html" } })
      expect(yield* called(html)).toMatchObject({ outcome: "http_error", error: { type: "http_error", code: 200 } })
    })
  )

  it.scopedLive("redirects, which is never followed", () =>
    Effect.gen(function* () {
      const elsewhere = () =>
        new Response(null, { status: 302, headers: { location: "http://169.254.169.254/latest/meta-data" } })
      expect(yield* unlisted(elsewhere)).toMatchObject({ outcome: "http_error", status: 302 })
    })
  )

  it.scopedLive("refuses the credentials: nothing else is tried, and the next one is asked anew", () =>
    Effect.gen(function* () {
      let asked = 0
      const server = yield* fakeServer((seen) =>
        ++asked === 1 ? new Response("no", { status: 401 }) : modern([tool("one")])(seen)
      )
      const { list } = yield* connected(server.url)
      expect(yield* Effect.flip(list(all))).toMatchObject({ outcome: "http_error", status: 401 })
      expect(asked).toBe(1)
      expect((yield* list(all)).tools).toHaveLength(1)
    })
  )

  it.scopedLive("comes of the transport of 2024, which is named", () =>
    Effect.gen(function* () {
      const failure = yield* unlisted(() => new Response("Not allowed", { status: 405 }))
      expect(failure.reason).toContain("the HTTP+SSE transport of 2024 is not supported")
    })
  )

  it.scopedLive("is none at all: nobody listens", () =>
    Effect.gen(function* () {
      const { list } = yield* connected("http://127.0.0.1:1/")
      expect(yield* Effect.flip(list(all))).toMatchObject({ outcome: "http_error", code: 0 })
    })
  )
})

describe("a tool that failed", () => {
  it.scopedLive("is told to the model, even if it says nothing", () =>
    Effect.gen(function* () {
      expect(yield* called((seen) => result(seen, said("no such city", { isError: true })))).toMatchObject({
        outcome: "failed",
        parts: [{ type: "text", text: "no such city" }],
        error: { type: "mcp_tool_execution_error", content: [{ type: "text", text: "no such city" }] }
      })
      expect(yield* called((seen) => result(seen, { resultType: "complete", isError: true }))).toMatchObject({
        outcome: "failed",
        parts: [{ type: "text", text: "(no output)" }]
      })
    })
  )
})
