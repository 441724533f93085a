import { Effect, Layer, Redacted } from "effect"
import { AllowedAddresses, parseAllowed } from "../../src/guard/addresses.ts"
import { AddressGuard } from "../../src/guard/AddressGuard.ts"
import { Resolver } from "../../src/guard/Resolver.ts"
import { McpClient } from "../../src/mcp/McpClient.ts"
import type { McpServer, McpTool } from "../../src/mcp/McpServer.ts"
import { sendGuarded, sendTo } from "../../src/mcp/sendTo.ts"

/** A request that a fake server got. */
export interface Seen {
  readonly method: string
  readonly headers: Headers
  readonly rpc: {
    readonly id?: number
    readonly method?: string
    readonly params?: {
      readonly cursor?: string
      readonly protocolVersion?: string
      readonly _meta?: object
      readonly [name: string]: unknown
    }
    readonly result?: unknown
    readonly error?: unknown
  }
}

type Answer = (seen: Seen) => Response | Promise<Response>

/** A server of this process that answers as it is told. */
export const fakeServer = (answer: Answer) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const seen: Array<Seen> = []
        const server = Bun.serve({
          port: 0,
          hostname: "127.0.0.1",
          development: false,
          idleTimeout: 0,
          fetch: async (request) => {
            const text = await request.text()
            const one = { method: request.method, headers: request.headers, rpc: text === "" ? {} : JSON.parse(text) }
            seen.push(one)
            return answer(one)
          }
        })
        return { seen, server }
      }),
      ({ server }) => Effect.promise(() => server.stop(true))
    ),
    ({ seen, server }) => ({
      seen,
      url: `http://127.0.0.1:${server.port}/mcp`,
      methods: () => seen.map(({ method, rpc }) => rpc.method ?? (rpc.id === undefined ? method : "answer"))
    })
  )

export const result = ({ rpc }: Seen, value: object) => Response.json({ jsonrpc: "2.0", id: rpc.id, result: value })

export const rpcError = ({ rpc }: Seen, code: number, message: string, init: ResponseInit = {}, data?: unknown) =>
  Response.json({ jsonrpc: "2.0", id: rpc.id ?? null, error: { code, message, data } }, init)

/** A stream of these texts, which ends after them or stays open. */
export const stream = (events: ReadonlyArray<string>, isOpen = false, headers: Record<string, string> = {}) =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        for (const event of events) controller.enqueue(new TextEncoder().encode(event))
        if (!isOpen) controller.close()
      }
    }),
    { headers: { ...headers, "content-type": "text/event-stream" } }
  )

export const event = (message: unknown) => `event: message\ndata: ${JSON.stringify(message)}\n\n`

export const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: "object" }, ...more })

/** A server without a handshake. */
export const modern =
  (tools: ReadonlyArray<object>, call: Answer = (seen) => result(seen, said("done"))): Answer =>
  (seen) =>
    seen.rpc.method === "tools/list" ? result(seen, { resultType: "complete", tools }) : call(seen)

export const said = (text: string, more: object = {}) => ({
  resultType: "complete",
  content: [{ type: "text", text }],
  ...more
})

/** A server with sessions, which refuses what comes without one. */
export const legacy = (tools: ReadonlyArray<object>, call: Answer = (seen) => result(seen, said("done"))): Answer => {
  let sessions = 0
  return (seen) => {
    if (seen.method === "DELETE") return new Response(null, { status: 200 })
    if (seen.rpc.method === "initialize") {
      const opened = { protocolVersion: seen.rpc.params?.protocolVersion, capabilities: { tools: {} } }
      return stream(["data:\n\n", event({ jsonrpc: "2.0", id: seen.rpc.id, result: opened })], false, {
        "mcp-session-id": `session-${++sessions}`
      })
    }
    if (seen.headers.get("mcp-session-id") !== `session-${sessions}`) {
      return rpcError(seen, -32_000, "Server not initialized", { status: 400 })
    }
    if (seen.rpc.id === undefined || seen.rpc.method === undefined) return new Response(null, { status: 202 })
    return seen.rpc.method === "tools/list" ? result(seen, { tools }) : call(seen)
  }
}

export const serverAt = (url: string, more: Partial<McpServer> = {}): McpServer => ({
  url,
  headers: Redacted.make({}),
  send: sendTo({}),
  callMs: 5_000,
  listMs: 0,
  ...more
})

/** A connection to a server, with a client of its own. */
export const connected = (url: string, more: Partial<McpServer> = {}) =>
  Effect.flatMap(McpClient, (client) => client.connect(serverAt(url, more))).pipe(Effect.provide(McpClient.Default))

/** The one tool that a server lists. */
export const first = (tools: ReadonlyArray<McpTool>): McpTool => {
  const [one] = tools
  if (one === undefined) throw new Error("no tool is listed")
  return one
}

export const all = () => true

/** A guard with these names, which lets through these ranges. */
export const guard = (resolve: (host: string) => string, allowed: ReadonlyArray<string> = ["127.0.0.0/8"]) =>
  AddressGuard.Default.pipe(
    Layer.provide(Layer.succeed(Resolver, { resolve: (host) => Effect.succeed([resolve(host)]) })),
    Layer.provide(Layer.effect(AllowedAddresses, parseAllowed(allowed, "test")))
  )

/** The way to a server that a caller names. */
export const guarded = Effect.map(AddressGuard, sendGuarded)
