import { Context, Effect, Layer, Option } from "effect"
import type { Scope } from "effect"
import { Configuration } from "../config/Configuration.ts"
import { Settings } from "../config/Settings.ts"
import { withoutSlash } from "../config/withoutSlash.ts"
import { InvalidRequest, ToolsFailed } from "../contract/failures/Failure.ts"
import type { FunctionTool } from "../generation/Conversation.ts"
import type { McpServerRequest, ServerWords } from "../generation/McpServerRequest.ts"
import { serverToolNames } from "../generation/serverToolName.ts"
import type { NamedTool } from "../generation/serverToolName.ts"
import { AddressGuard } from "../guard/AddressGuard.ts"
import type { OfferedTools } from "../tools/ServerTool.ts"
import { callsOf } from "./callsOf.ts"
import type { ServedTool } from "./callsOf.ts"
import type { McpConnection } from "./McpClient.ts"
import type { McpServer } from "./McpServer.ts"
import { sendGuarded } from "./sendTo.ts"

/** The tools of a request's servers, with their functions for the model. */
export interface ServedTools extends OfferedTools {
  readonly functions: ReadonlyArray<FunctionTool>
  /** The tools with the model's names for them. */
  readonly listed: ReadonlyArray<NamedTool & { readonly name: string }>
}

interface Serving {
  /** Asks all servers for their tools. Connections end with the scope. */
  readonly offer: (asked: RequestServers) => Effect.Effect<ServedTools, InvalidRequest | ToolsFailed, Scope.Scope>
}

interface RequestServers {
  readonly servers: ReadonlyArray<McpServerRequest>
  /** True if the caller's key and account let it use a tool. */
  readonly mayUse: (tool: string) => boolean
  /** The names of the caller's own tools. */
  readonly taken: ReadonlySet<string>
  /** The most calls that the caller allows. */
  readonly mostCalls: number | undefined
  readonly words: ServerWords
  readonly requestId: string
}

/** The most tools of a request's servers. */
const mostTools = 256
const callMs = 60_000

/** Lists the MCP servers that a caller's request names, and makes their tools ready to be called. */
export class CallerServers extends Context.Reference<CallerServers>()("gateway/mcp/CallerServers", {
  defaultValue: (): Serving => ({
    offer: ({ servers }) => refuse(servers[0]?.param ?? "tools", "servers are not called by this gateway")
  })
}) {
  static readonly layer = Layer.suspend(() => Layer.effect(CallerServers, make))
}

const make = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  /** A client of its own: a caller who names a registered server's address gets nothing that is kept of that. */
  const loaded = yield* Effect.promise(() => import("./McpClient.ts")).pipe(
    Effect.flatMap(({ McpClient }) => Effect.provide(McpClient, McpClient.Default)),
    Effect.provide(context),
    Effect.uninterruptible,
    Effect.cached
  )
  const send = sendGuarded(yield* AddressGuard)
  const configuration = yield* Configuration
  const { server } = yield* Settings
  const plain = (url: string): string => `${withoutSlash(URL.parse(url)?.href ?? url)}/`
  const own = Option.map(server.publicUrl, plain)

  /** A request must not come back to the gateway, where each round would begin anew. */
  const isOwn = (url: string): boolean => Option.exists(own, (start) => plain(url).startsWith(start))

  const serverOf = (
    { headers, label, param, url }: McpServerRequest,
    { urlField }: ServerWords
  ): Effect.Effect<McpServer, InvalidRequest> => {
    const address = `${param}.${urlField}`
    if (url === undefined) {
      return refuse(address, `expected an address: the label alone names no server here yet; got "${label}"`)
    }
    if (configuration.current().value.mcp?.own_servers === "off") {
      return refuse(address, "servers by address are off at this gateway (mcp.own_servers)")
    }
    if (isOwn(url)) return refuse(address, "expected an address of another server than this gateway")
    return Effect.succeed({ url, headers, send, callMs, listMs: 0 })
  }

  const listOf = (
    asked: McpServerRequest,
    { mayUse, words }: RequestServers
  ): Effect.Effect<ReadonlyArray<ServedTool>, InvalidRequest | ToolsFailed, Scope.Scope> =>
    Effect.gen(function* () {
      const client = yield* loaded
      const connection: McpConnection = yield* client.connect(yield* serverOf(asked, words))
      const offers = (tool: Parameters<Parameters<McpConnection["list"]>[0]>[0]) =>
        mayUse(tool.name)
          ? asked.offer({ name: tool.name, isReadOnly: tool.annotations.readOnlyHint === true })
          : undefined
      const { tools, warnings } = yield* Effect.mapError(
        connection.list((tool) => offers(tool) !== undefined),
        (why) => new ToolsFailed({ message: words.unlisted(asked.label, why) })
      )
      if (warnings.length > 0) {
        yield* Effect.logDebug("tools of an MCP server are left out").pipe(Effect.annotateLogs({ warnings }))
      }
      return tools.flatMap((tool) => {
        const offer = offers(tool)
        return offer === undefined ? [] : [{ asked, connection, offer, tool }]
      })
    })

  const offer = (all: RequestServers) => {
    const { mostCalls, requestId, servers, taken, words } = all
    return Effect.map(
      Effect.filterOrFail(
        Effect.map(
          Effect.forEach(servers, (one) => listOf(one, all), { concurrency: 4 }),
          (lists) => lists.flat()
        ),
        (tools) => tools.length <= mostTools,
        (tools) =>
          wrong(
            "tools",
            `expected at most ${mostTools} tools of servers; got ${tools.length}: use ${words.filterField}`
          )
      ),
      (tools): ServedTools => {
        const names = serverToolNames(
          tools.map(({ asked, tool }) => ({ label: asked.label, tool: tool.name })),
          taken
        )
        const named = new Map(tools.map((tool, index) => [names[index] ?? "", tool] as const))
        return {
          functions: [...named].map(([name, served]) => functionOf(name, served)),
          listed: [...named].map(([name, { asked, tool }]) => ({ name, label: asked.label, tool: tool.name })),
          tools: [callsOf(named, { mostCalls, requestId })],
          opening: servers.map((asked) => ({
            type: "server-tools",
            server: asked.label,
            tools: tools.filter((one) => one.asked === asked).map(({ tool }) => shownTool(tool))
          }))
        }
      }
    )
  }

  return CallerServers.of({ offer })
})

const wrong = (param: string, rule: string) => new InvalidRequest({ param, message: `${param}: ${rule}` })

const refuse = (param: string, rule: string): Effect.Effect<never, InvalidRequest> => Effect.fail(wrong(param, rule))

const shownTool = ({ annotations, description, inputSchema, name }: ServedTool["tool"]) => ({
  name,
  description,
  inputSchema,
  isReadOnly: annotations.readOnlyHint === true
})

const functionOf = (name: string, { asked, tool }: ServedTool): FunctionTool => {
  const description = [asked.description, tool.description].filter((text) => text !== undefined).join("\n")
  return {
    type: "function",
    name,
    description: description === "" ? undefined : description,
    parameters: tool.inputSchema,
    strict: undefined
  }
}
