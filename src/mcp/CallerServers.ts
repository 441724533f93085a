import { Context, Effect, Layer, Redacted } from "effect"
import type { Scope } from "effect"
import { Configuration } from "../config/Configuration.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import { mayUseTool } from "../contract/callers/toolRule.ts"
import { InvalidRequest, ToolsFailed } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { shorten } from "../contract/text/shorten.ts"
import type { FunctionTool } from "../generation/Conversation.ts"
import type { ApprovedCall, McpServerRequest, ServerWords } from "../generation/McpServerRequest.ts"
import { serverToolNames } from "../generation/serverToolName.ts"
import type { NamedTool } from "../generation/serverToolName.ts"
import { AddressGuard } from "../guard/AddressGuard.ts"
import type { OfferedTools } from "../tools/ServerTool.ts"
import { callsOf } from "./callsOf.ts"
import type { ServedTool } from "./callsOf.ts"
import { LoadedServers } from "./LoadedServers.ts"
import type { McpConnection } from "./McpClient.ts"
import type { McpServer, McpTool } from "./McpServer.ts"
import { deniedBy, makeRecordedCalls } from "./recordedCalls.ts"
import { sendGuarded } from "./sendTo.ts"
import { toolFinder } from "./toolFinder.ts"
import { functionOf, shownTool } from "./toolViews.ts"
import { makeServerPlaces } from "./serverPlaces.ts"
import type { ServerPlace } from "./serverPlaces.ts"

/** The tools of a request's servers, with their functions for the model. */
export interface ServedTools extends OfferedTools {
  readonly functions: ReadonlyArray<FunctionTool>
  /** The tools with the model's names for them. */
  readonly listed: ReadonlyArray<NamedTool & { readonly name: string; readonly isWithdrawn: boolean }>
  /** The functions that the model gets once it has looked for them. */
  readonly hidden: ReadonlyArray<FunctionTool>
  /** Records calls that the caller does not approve. */
  readonly deny: (calls: ReadonlyArray<ApprovedCall>) => Effect.Effect<void>
}

interface Serving {
  /** True if one of the servers is of the configuration: by its label, or by the gateway's own address. */
  readonly areRegistered: (servers: ReadonlyArray<McpServerRequest>, headers: Headers) => Effect.Effect<boolean>
  /** Fails if one of the servers may not be named. None is asked. */
  readonly admit: (asked: RequestServers) => Effect.Effect<unknown, InvalidRequest | ToolsFailed>
  /** Asks all servers for their tools. Connections end with the scope. */
  readonly offer: (asked: RequestServers) => Effect.Effect<ServedTools, InvalidRequest | ToolsFailed, Scope.Scope>
}

interface RequestServers {
  readonly servers: ReadonlyArray<McpServerRequest>
  readonly caller: Caller
  readonly request: Pick<Incoming, "headers" | "id" | "record" | "trace">
  /** The rule by which the caller may name no servers by their addresses; undefined if it may. */
  readonly ownRule: string | undefined
  /** The names of the caller's own tools. */
  readonly taken: ReadonlySet<string>
  /** The names of the tools that the conversation has calls of. Those are shown again without being looked for. */
  readonly called: ReadonlySet<string>
  /** The most calls that the caller allows. */
  readonly mostCalls: number | undefined
  readonly words: ServerWords
}

/** The name of all servers of requests in rules of tools. */
export const ownServers = "own"

/** The most tools of a request's servers. */
const mostTools = 256
const callMs = 60_000

/** Lists the MCP servers that a caller's request names, and makes their tools ready to be called. */
export class CallerServers extends Context.Reference<CallerServers>()("gateway/mcp/CallerServers", {
  defaultValue: (): Serving => ({
    areRegistered: () => Effect.succeed(false),
    admit: () => Effect.void,
    offer: ({ servers }) => refuse(servers[0]?.param ?? "tools", "servers are not called by this gateway")
  })
}) {
  static readonly layer = Layer.suspend(() => Layer.effect(CallerServers, make))
}

/** A server of a request as it is reached. */
interface Reached {
  readonly name: string
  readonly asked: McpServerRequest
  readonly connect: Effect.Effect<McpConnection, never, Scope.Scope>
  readonly admits: (tool: McpTool) => boolean
  readonly callMs: number
  readonly isTrusted: boolean
  readonly needsHints: boolean
  /** The price of a call of a tool, in nano-dollars. */
  readonly priceOf: (tool: string) => number
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
  const registered = yield* LoadedServers
  const send = sendGuarded(yield* AddressGuard)
  const configuration = yield* Configuration
  const placed = yield* makeServerPlaces
  const calls = yield* makeRecordedCalls

  const registeredServer = (
    asked: McpServerRequest,
    name: string,
    { caller, request: { headers: ofRequest }, words }: RequestServers
  ): Effect.Effect<Reached, InvalidRequest | ToolsFailed> =>
    Effect.gen(function* () {
      const { get, open } = yield* registered
      const server = get(name)
      if (server?.exists(caller) !== true) {
        const field = asked.url === undefined ? words.labelField : words.urlField
        return yield* refuse(`${asked.param}.${field}`, `there is no server "${shorten(name)}" that this key may use`)
      }
      const sent = Redacted.value(asked.headers)
      const token = asked.token !== undefined && isKeyOf(ofRequest, asked.token) ? undefined : asked.token
      if (!server.needsToken && (token !== undefined || Object.keys(sent).length > 0)) {
        const field = token === undefined ? "headers" : words.tokenField
        return yield* refuse(`${asked.param}.${field}`, "expected none: the gateway has its own account at this server")
      }
      if (server.needsToken && token === undefined && sent["authorization"] === undefined) {
        const reason = `it wants a token of your own in ${words.tokenField}`
        return yield* new ToolsFailed({ message: words.unlisted(asked.label, { reason, status: 0 }) })
      }
      const admits = (tool: McpTool) => server.admits(caller, tool)
      return {
        name,
        asked,
        connect: open(server, caller, { token, sent }),
        admits,
        callMs: server.callMs,
        isTrusted: server.isTrusted,
        needsHints: server.needsHints,
        priceOf: server.priceOf
      }
    })

  const callersServer = (
    asked: McpServerRequest,
    url: string,
    { caller, ownRule, words }: RequestServers
  ): Effect.Effect<Reached, InvalidRequest> => {
    if (configuration.current().value.mcp?.own_servers === "off") {
      return refuse(`${asked.param}.${words.urlField}`, "servers by address are off at this gateway (mcp.own_servers)")
    }
    if (ownRule !== undefined) return refuse(asked.param, ownRule)
    const { token } = asked
    const headers = Redacted.make({
      ...Redacted.value(asked.headers),
      ...(token !== undefined && { authorization: `Bearer ${Redacted.value(token)}` })
    })
    const server: McpServer = { url, headers, send, callMs, listMs: 0 }
    return Effect.succeed({
      name: ownServers,
      asked,
      connect: Effect.flatMap(loaded, ({ connect }) => connect(server)),
      admits: ({ name }) => mayUseTool(caller, ownServers, name),
      callMs,
      isTrusted: false,
      needsHints: false,
      priceOf: () => 0
    })
  }

  const reachedBy = (
    asked: McpServerRequest,
    place: ServerPlace,
    all: RequestServers
  ): Effect.Effect<Reached, InvalidRequest | ToolsFailed> => {
    switch (place.at) {
      case "registered":
        return registeredServer(asked, place.name, all)
      case "elsewhere":
        return callersServer(asked, place.url, all)
      case "here":
        return refuse(`${asked.param}.${all.words.urlField}`, "expected an address of another server than this gateway")
    }
  }

  const listOf = (
    { admits, asked, callMs, connect, isTrusted, name: server, needsHints, priceOf }: Reached,
    { words }: RequestServers
  ): Effect.Effect<ReadonlyArray<ServedTool>, InvalidRequest | ToolsFailed, Scope.Scope> =>
    Effect.gen(function* () {
      const connection = yield* connect
      const offers = (tool: McpTool) =>
        admits(tool) ? asked.offer({ name: tool.name, isReadOnly: tool.annotations.readOnlyHint === true }) : undefined
      const { pinned } = asked
      const names = pinned && new Set(pinned.map(({ name }) => name))
      const { tools, warnings } =
        pinned === undefined || needsHints
          ? yield* Effect.mapError(
              connection.list((tool) => names?.has(tool.name) !== false && offers(tool) !== undefined),
              (why) => new ToolsFailed({ message: words.unlisted(asked.label, why) })
            )
          : yield* Effect.map(loadedPins, ({ pinnedList }) => pinnedList(pinned, (tool) => offers(tool) !== undefined))
      if (warnings.length > 0) {
        yield* Effect.logDebug("tools of an MCP server are left out").pipe(Effect.annotateLogs({ warnings }))
      }
      return tools.flatMap((tool) => {
        const offer = offers(tool)
        return offer === undefined
          ? []
          : [{ asked, callMs, connection, isTrusted, nanoUsd: priceOf(tool.name), offer, server, tool }]
      })
    })

  const admit = (all: RequestServers) =>
    Effect.flatMap(placed(all.request.headers), (placeOf) =>
      Effect.forEach(all.servers, (one) => reachedBy(one, placeOf(one), all))
    )

  /** All servers with their lists, none of which is asked if one is refused. */
  const listsOf = (all: RequestServers) =>
    Effect.flatMap(admit(all), (reached) =>
      Effect.map(
        Effect.forEach(reached, (one) => listOf(one, all), { concurrency: 4 }),
        (lists) => ({ places: new Map(reached.map(({ asked, name }) => [asked.label, name])), tools: lists.flat() })
      )
    )

  const offer = (all: RequestServers) => {
    const { called, caller, mostCalls, request, servers, taken, words } = all
    return Effect.map(
      Effect.filterOrFail(
        listsOf(all),
        ({ tools }) => tools.length <= mostTools,
        ({ tools }) =>
          wrong(
            "tools",
            `expected at most ${mostTools} tools of servers; got ${tools.length}: use ${words.filterField}`
          )
      ),
      ({ places, tools }): ServedTools => {
        const names = serverToolNames(
          tools.map(({ asked, tool }) => ({ label: asked.label, tool: tool.name })),
          taken
        )
        const named = new Map(tools.map((tool, index) => [names[index] ?? "", tool] as const))
        const offered = new Map([...named].filter(([, { offer }]) => offer.isWithdrawn !== true))
        const isHidden = (name: string, { offer: { isDeferred } }: ServedTool) => isDeferred && !called.has(name)
        const functionsOf = (areHidden: boolean) =>
          [...offered].flatMap((entry) => (isHidden(...entry) === areHidden ? [functionOf(...entry)] : []))
        const [shown, hidden] = [functionsOf(false), functionsOf(true)]
        const finder = hidden.length === 0 ? undefined : toolFinder(hidden, new Set([...taken, ...names]))
        return {
          functions: finder === undefined ? shown : [...shown, finder.function],
          hidden,
          listed: [...named].map(([name, { asked, offer, tool }]) => ({
            name,
            label: asked.label,
            tool: tool.name,
            isWithdrawn: offer.isWithdrawn === true
          })),
          tools: [
            callsOf(offered, { calls, caller, mostCalls, places, request }),
            ...(finder === undefined ? [] : [finder.tool])
          ],
          opening: servers.map((asked) => ({
            type: "server-tools",
            server: asked.label,
            tools: tools.filter((one) => one.asked === asked).map(({ tool }) => shownTool(tool))
          })),
          deny: (denied) => Effect.forEach(denied, deniedBy(calls, { caller, request }, places), { discard: true })
        }
      }
    )
  }

  const areRegistered: Serving["areRegistered"] = (servers, headers) =>
    Effect.map(placed(headers), (placeOf) => servers.some((one) => placeOf(one).at === "registered"))

  return CallerServers.of({ areRegistered, admit, offer })
})

const loadedPins = Effect.promise(() => import("./pinnedList.ts"))

const wrong = (param: string, rule: string) => new InvalidRequest({ param, message: `${param}: ${rule}` })

const refuse = (param: string, rule: string): Effect.Effect<never, InvalidRequest> => Effect.fail(wrong(param, rule))

/** True for the caller's key of the gateway, which goes to no server. */
const isKeyOf = (headers: Headers, token: Redacted.Redacted): boolean => {
  const secret = Redacted.value(token)
  return headers.get("x-api-key") === secret || headers.get("authorization")?.endsWith(` ${secret}`) === true
}
