import { Effect, Redacted } from "effect"
import { Configuration } from "../config/Configuration.ts"
import { sandboxAddress } from "../config/sections/Mcp.ts"
import type { McpEntry } from "../config/sections/Mcp.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import { mayUseServer, mayUseTool } from "../contract/callers/toolRule.ts"
import { matches } from "../contract/text/matches.ts"
import { plainTls } from "../upstreams/configured/fromSettings.ts"
import { McpClient } from "./McpClient.ts"
import type { McpServer, McpTool } from "./McpServer.ts"
import { sandboxServer, sendSandbox } from "./sandboxTools.ts"
import { sendTo } from "./sendTo.ts"

/** A server of the configuration. */
export interface RegisteredServer {
  readonly name: string
  readonly description: string | undefined
  /** True if each caller sends a token of its own for the server. */
  readonly needsToken: boolean
  /** True if the operator believes what the server says of its tools. */
  readonly isTrusted: boolean
  /** The server with the account that a request uses there. @param token the caller's */
  readonly reached: (token?: Redacted.Redacted) => McpServer
  /** True if the configuration offers a tool of the server. */
  readonly offers: (tool: McpTool) => boolean
  /** The same, and the caller's key and account may use it. */
  readonly admits: (caller: Caller, tool: McpTool) => boolean
  /** False if the caller's key and account may use none of its tools: for them the server does not exist. */
  readonly exists: (caller: Caller) => boolean
}

/** The MCP servers of the configuration, which a reload changes at once. A request keeps those that it began with. */
export class McpServers extends Effect.Service<McpServers>()("gateway/mcp/McpServers", {
  dependencies: [McpClient.Default],
  scoped: Effect.gen(function* () {
    const configuration = yield* Configuration
    const { connect, dropLists } = yield* McpClient
    let servers: ReadonlyMap<string, RegisteredServer> = new Map()

    yield* configuration.follow(({ value: { mcp } }) =>
      Effect.sync(() => {
        const entries = Object.entries(mcp?.servers ?? { [sandboxServer]: { url: sandboxAddress } })
        const next = new Map(entries.map(([name, entry]) => [name, registered(name, entry)]))
        return () => {
          servers = next
          dropLists()
        }
      })
    )

    return {
      get: (name: string): RegisteredServer | undefined => servers.get(name),
      all: (): ReadonlyArray<RegisteredServer> => [...servers.values()],
      connect
    } as const
  })
}) {}

/** The server of an entry of the configuration. */
export const registered = (name: string, entry: McpEntry): RegisteredServer => {
  const { api_key, call_seconds = 60, description, list_seconds = 60, not_tools = [], tools = ["*"], url } = entry
  const headers = Object.fromEntries(
    Object.entries(entry.headers ?? {}).map(([header, value]) => [header, Redacted.value(value)])
  )
  const { proxy, tls } = entry
  const send = url === sandboxAddress ? sendSandbox : sendTo({ proxy, tls: tls && plainTls(tls) })
  const offers = ({ annotations, name: tool }: McpTool): boolean =>
    tools.some((pattern) => matches(pattern, tool)) &&
    !not_tools.some((pattern) => matches(pattern, tool)) &&
    (entry.read_only !== true || annotations.readOnlyHint === true)
  return {
    name,
    description,
    needsToken: entry.auth === "caller",
    isTrusted: entry.trusted === true,
    reached: (token = api_key) => ({
      url,
      headers: Redacted.make({
        ...headers,
        ...(token !== undefined && { authorization: `Bearer ${Redacted.value(token)}` })
      }),
      send,
      callMs: call_seconds * 1_000,
      listMs: list_seconds * 1_000
    }),
    offers,
    admits: (caller, tool) => offers(tool) && mayUseTool(caller, name, tool.name),
    exists: (caller) => mayUseServer(caller, name)
  }
}
