import { Effect, Redacted } from "effect"
import type { Scope } from "effect"
import { Configuration } from "../config/Configuration.ts"
import { sandboxAddress } from "../config/sections/Mcp.ts"
import type { McpEntry } from "../config/sections/Mcp.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import { mayUseServer, mayUseTool } from "../contract/callers/toolRule.ts"
import { matches } from "../contract/text/matches.ts"
import { plainTls } from "../upstreams/configured/fromSettings.ts"
import { McpClient } from "./McpClient.ts"
import type { McpConnection } from "./McpClient.ts"
import { personalConnection } from "./personalConnection.ts"
import { PersonGrants } from "./PersonGrants.ts"
import type { PersonServer } from "./PersonGrants.ts"
import type { McpServer, McpTool, ServerWatch } from "./McpServer.ts"
import { pricePerCall } from "./pricePerCall.ts"
import { sendSandbox } from "./sandboxTools.ts"
import { sendTo } from "./sendTo.ts"
import { serverEntries } from "./serverEntries.ts"
import { ServerStates } from "./ServerStates.ts"
import type { Watching } from "./ServerStates.ts"

/** A server of the configuration. */
export interface RegisteredServer {
  readonly name: string
  readonly description: string | undefined
  /** Present if each person has an account of their own there. */
  readonly personal?: PersonServer
  /** True if each caller sends a token of its own for the server. */
  readonly needsToken: boolean
  /** The most time of a call, in ms. */
  readonly callMs: number
  /** True if the operator believes what the server says of its tools. */
  readonly isTrusted: boolean
  /** True if only the server's own list tells which tools may be used. */
  readonly needsHints: boolean
  /** The price of a call of a tool, in nano-dollars. */
  readonly priceOf: (tool: string) => number
  /** The server with the account that a request uses there. @param token the caller's */
  readonly reached: (token?: Redacted.Redacted) => McpServer
  /** True if the configuration offers a tool of the server. */
  readonly offers: (tool: McpTool) => boolean
  /** The same, and the caller's key and account may use it. */
  readonly admits: (caller: Caller, tool: McpTool) => boolean
  /** False if the caller's key and account may use none of its tools: for them the server does not exist. */
  readonly exists: (caller: Caller) => boolean
}

type TextHeaders = Readonly<Record<string, string>>

/** A caller's own token and headers for a server with `auth: caller`. */
interface CallersOwn {
  readonly token?: Redacted.Redacted | undefined
  readonly sent?: TextHeaders
}

/** The MCP servers of the configuration, which a reload changes at once. A request keeps those that it began with. */
export class McpServers extends Effect.Service<McpServers>()("gateway/mcp/McpServers", {
  dependencies: [McpClient.Default],
  scoped: Effect.gen(function* () {
    const configuration = yield* Configuration
    const { connect, dropLists } = yield* McpClient
    const states = yield* ServerStates
    const { tokenOf } = yield* PersonGrants
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

    /** A connection to a server, with the account that the caller has there. */
    const open = (
      server: RegisteredServer,
      caller: Pick<Caller, "person">,
      { sent = {}, token }: CallersOwn
    ): Effect.Effect<McpConnection, never, Scope.Scope> => {
      const { personal, reached } = server
      if (personal !== undefined) {
        return personalConnection({ server: personal, person: caller.person?.id, reached, tokenOf, connect })
      }
      const at = reached(token)
      return connect({ ...at, headers: Redacted.make(withOwn(sent, Redacted.value(at.headers))) })
    }

    return {
      open,
      get: (name: string): RegisteredServer | undefined => servers.get(name),
      all: (): ReadonlyArray<RegisteredServer> => [...servers.values()]
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
  const personal = entry.auth === "person"
  const { client_id: clientId, client_secret: clientSecret, issuer, scopes } = entry
  const watched = watch?.(name, { entry, offers, hasOneList: !needsToken && !personal })
  return {
    name,
    description,
    needsToken,
    ...(personal && { personal: { name, url, send, clientId, clientSecret, issuer, scopes } }),
    callMs: call_seconds * 1_000,
    isTrusted: entry.trusted === true,
    needsHints: entry.read_only === true,
    priceOf: (tool) => pricePerCall(entry.price_per_call, tool),
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

/** The caller's headers with the operator's, which are kept in any spelling. @param sent with names in lower case */
const withOwn = (sent: TextHeaders, own: TextHeaders): TextHeaders => {
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()))
  return { ...Object.fromEntries(Object.entries(sent).filter(([name]) => !names.has(name))), ...own }
}
