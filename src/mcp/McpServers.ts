import { Effect, Redacted } from "effect"
import { Configuration } from "../config/Configuration.ts"
import { sandboxAddress } from "../config/sections/Mcp.ts"
import type { McpEntry } from "../config/sections/Mcp.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import { mayUseServer, mayUseTool } from "../contract/callers/toolRule.ts"
import { matches } from "../contract/text/matches.ts"
import { plainTls } from "../upstreams/configured/fromSettings.ts"
import { McpClient } from "./McpClient.ts"
import type { McpServer, McpTool, ServerWatch } from "./McpServer.ts"
import { sendSandbox } from "./sandboxTools.ts"
import { sendTo } from "./sendTo.ts"
import { serverEntries } from "./serverEntries.ts"
import { ServerStates } from "./ServerStates.ts"
import type { Watching } from "./ServerStates.ts"

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
    const states = yield* ServerStates
    let servers: ReadonlyMap<string, RegisteredServer> = new Map()

    yield* configuration.follow(({ value: { mcp } }) =>
      Effect.sync(() => {
        const entries = serverEntries(mcp?.servers)
        const next = new Map(
          Object.entries(entries).map(([name, entry]) => [name, registered(name, entry, states.watch)])
        )
        return () => {
          servers = next
          states.keep(entries)
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

/** The server of an entry of the configuration. @param watch absent for a server that is not watched */
export const registered = (
  name: string,
  entry: McpEntry,
  watch?: (name: string, watching: Watching) => ServerWatch
): RegisteredServer => {
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
  const needsToken = entry.auth === "caller"
  const watched = watch?.(name, { entry, offers, hasOneList: !needsToken })
  return {
    name,
    description,
    needsToken,
    isTrusted: entry.trusted === true,
    reached: (token = api_key) => ({
      url,
      headers: Redacted.make({
        ...headers,
        ...(token !== undefined && { authorization: `Bearer ${Redacted.value(token)}` })
      }),
      send,
      callMs: call_seconds * 1_000,
      listMs: list_seconds * 1_000,
      watch: watched
    }),
    offers,
    admits: (caller, tool) => offers(tool) && mayUseTool(caller, name, tool.name),
    exists: (caller) => mayUseServer(caller, name)
  }
}
