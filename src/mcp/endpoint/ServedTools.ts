import { Effect, Either, Redacted } from "effect"
import type { Scope } from "effect"
import type { Caller } from "../../contract/callers/Caller.ts"
import type { Incoming } from "../../contract/handlers.ts"
import { randomHex } from "../../contract/text/randomHex.ts"
import { isHeaderValue } from "../../contract/text/headerValue.ts"
import { serverToolNames } from "../../generation/serverToolName.ts"
import type { McpConnection } from "../McpClient.ts"
import { late } from "../McpFailure.ts"
import type { McpFailure } from "../McpFailure.ts"
import type { McpTool } from "../McpServer.ts"
import { McpServers } from "../McpServers.ts"
import type { RegisteredServer } from "../McpServers.ts"
import { makeRecordedCalls } from "../recordedCalls.ts"
import { called, codes, errorAnswer, failed, personLed, toolsListed } from "./answers.ts"
import type { Answer } from "./answers.ts"
import { makeChargedCalls } from "./chargedCalls.ts"
import { wrongArguments } from "./headers.ts"
import type { ToolRequest } from "./readMessage.ts"

/** The tools at one address. */
export interface ServedTools {
  /** Told to clients for their model; undefined if there is nothing to say. */
  readonly instructions: string | undefined
  readonly answer: (request: ToolRequest, caller: Caller, incoming: Incoming) => Effect.Effect<Answer>
}

/** A tool that the caller may use, under the name that it has at the address. */
interface Offered {
  readonly name: string
  readonly tool: McpTool
  readonly server: string
  readonly connection: McpConnection
  readonly callMs: number
  /** The price of a call. */
  readonly nanoUsd: number
}

/** The reason that a server offers nothing at the moment, for people and models. */
interface Unavailable {
  readonly server: string
  readonly reason: string
  /** The page at which the person connects an account that is missing. */
  readonly connectUrl?: string | undefined
}

/** How many servers are asked at once. */
const atOnce = 8
/** How long a list of several servers waits for one of them, in ms. It is asked on, and is in the next list. */
const patienceMs = 5_000

export const makeServedTools = Effect.gen(function* () {
  const { all, get, open } = yield* McpServers
  const { recorded, unsent } = yield* makeRecordedCalls
  const { charged } = yield* makeChargedCalls
  const offeredBy = (
    server: RegisteredServer,
    caller: Caller,
    headers: Headers,
    isOneOfMany: boolean
  ): Effect.Effect<ReadonlyArray<Omit<Offered, "name">>, Unavailable, Scope.Scope> =>
    Effect.gen(function* () {
      const { name } = server
      const token = server.needsToken ? tokenIn(headers, name) : undefined
      if (server.needsToken && token === undefined) return yield* Effect.fail(wantsToken(name))
      const connection = yield* open(server, caller, { token })
      const list = connection.list((tool) => server.admits(caller, tool))
      const { tools } = yield* (isOneOfMany ? briefly(list) : list).pipe(
        Effect.tapError((failure) => notListed(name, failure)),
        Effect.mapError(({ connectUrl, reason }) => ({
          server: name,
          reason: `The tools of "${name}" can't be listed: ${reason}.`,
          connectUrl
        }))
      )
      const { callMs, priceOf } = server
      return tools.map((tool) => ({ tool, server: name, connection, callMs, nanoUsd: priceOf(tool.name) }))
    })

  /** The tools of servers, and why others offer none. */
  const offers = (servers: ReadonlyArray<RegisteredServer>, naming: Naming, caller: Caller, headers: Headers) => {
    const isOneOfMany = servers.length > 1
    return Effect.map(
      Effect.forEach(servers, (server) => Effect.either(offeredBy(server, caller, headers, isOneOfMany)), {
        concurrency: atOnce
      }),
      (found) => {
        const tools = found.flatMap((one) => (Either.isRight(one) ? one.right : []))
        const names = naming(tools)
        return {
          tools: tools.map((tool, index): Offered => ({ ...tool, name: names[index] ?? tool.tool.name })),
          missing: found.flatMap((one) => (Either.isLeft(one) ? [one.left] : []))
        }
      }
    )
  }

  /** A list lacks the servers that don't answer, unless none does. */
  const listed = (
    request: ToolRequest,
    { missing, tools }: Effect.Effect.Success<ReturnType<typeof offers>>,
    naming: Naming
  ): Answer => {
    const connecting = missing.flatMap(({ connectUrl, server }) =>
      connectUrl === undefined ? [] : [{ server, tool: connectTool(server) }]
    )
    const names = naming(connecting)
    const all = [...tools, ...connecting.map(({ tool }, index) => ({ tool, name: names[index] ?? tool.name }))]
    const [first] = missing
    return all.length > 0 || first === undefined
      ? toolsListed(request, all)
      : errorAnswer(request.id, { code: codes.internal, message: first.reason })
  }

  const call = (
    request: ToolRequest,
    { input, name }: NonNullable<ToolRequest["call"]>,
    found: Effect.Effect.Success<ReturnType<typeof offers>>,
    caller: Caller,
    incoming: Incoming,
    unlisted: { readonly server: string; readonly tool: string } | undefined
  ): Effect.Effect<Answer> => {
    const offered = found.tools.find((tool) => tool.name === name)
    if (offered === undefined) {
      // A row is no hint that the server has it.
      const isRecorded = unlisted !== undefined && found.missing.length === 0
      const refused = isRecorded
        ? unsent({ caller, request: incoming }, { id: randomHex(), ...unlisted }, "refused")
        : Effect.void
      return Effect.as(refused, notOffered(request, name, found.missing))
    }
    const { callMs, connection, nanoUsd, server, tool } = offered
    const { headers, record } = incoming
    const wrong = request.era === "modern" ? wrongArguments(headers, tool.mirrored, input) : undefined
    if (wrong !== undefined) return Effect.succeed(errorAnswer(request.id, wrong, 400))
    if (record !== undefined) record.tags = [...record.tags, `tool=${server}/${tool.name}`]
    const departure = { hasLeft: false }
    const text = JSON.stringify(input)
    const run = connection.call(tool, text, departure)
    const one = { id: randomHex(), server, tool: tool.name, arguments: text, callMs, nanoUsd, departure, run }
    const made = recorded({ caller, request: incoming }, one)
    return Effect.match(charged({ caller, incoming, server, nanoUsd, departure }, made), {
      onFailure: ({ message }) => failed(request, message),
      onSuccess: (end) => {
        if (end.outcome !== "completed") record?.noted(`tool:${end.outcome}`)
        const { connectUrl, reason = "" } = end.failure ?? {}
        return connectUrl === undefined ? called(request, end) : unconnected(request, { server, reason, connectUrl })
      }
    })
  }

  const served = (
    servers: (caller: Caller, name: string | undefined) => ReadonlyArray<RegisteredServer>,
    naming: Naming,
    instructions?: string
  ): ServedTools => ({
    instructions,
    answer: (request, caller, incoming) => {
      const asked = servers(caller, request.call?.name)
      const [only, ...others] = asked
      return Effect.scoped(
        Effect.flatMap(offers(asked, naming, caller, incoming.headers), (found) => {
          if (request.call === undefined) return Effect.succeed(listed(request, found, naming))
          const { name } = request.call
          const isOne = only !== undefined && others.length === 0
          const unlisted = isOne
            ? { server: only.name, tool: naming === jointNames ? name.slice(prefixOf(only).length) : name }
            : undefined
          return call(request, request.call, found, caller, incoming, unlisted)
        })
      )
    }
  })

  return {
    /** The tools of all servers. A call asks only those that a name can belong to. */
    ofAll: served(
      (caller, name) =>
        all().filter((server) => server.exists(caller) && (name === undefined || name.startsWith(prefixOf(server)))),
      jointNames
    ),
    /** The tools of one server; undefined if the caller may use none of that name. */
    ofOne: (name: string, caller: Caller): ServedTools | undefined => {
      const server = get(name)
      return server?.exists(caller) === true ? served(() => [server], ownNames, server.description) : undefined
    }
  } as const
})

const briefly = Effect.timeoutFail({ duration: patienceMs, onTimeout: () => late(patienceMs) })

/** The names of tools at an address. */
type Naming = (tools: ReadonlyArray<Pick<Offered, "server" | "tool">>) => ReadonlyArray<string>

const ownNames: Naming = (tools) => tools.map(({ tool }) => tool.name)

const jointNames: Naming = (tools) =>
  serverToolNames(
    tools.map(({ server, tool }) => ({ label: server, tool: tool.name })),
    new Set()
  )

/** The start of all joint names of a server's tools. */
const prefixOf = ({ name }: RegisteredServer): string => (/^[a-z]/.test(name) ? `${name}__` : `_${name}__`)

const tokenHeader = (server: string): string => `x-gateway-mcp-${server}`

const tokenIn = (headers: Headers, server: string): Redacted.Redacted | undefined => {
  const token = headers.get(tokenHeader(server))
  return token === null || token === "" || !isHeaderValue(token) ? undefined : Redacted.make(token)
}

const wantsToken = (server: string): Unavailable => ({
  server,
  reason: `"${server}" wants a token of your own: send it in the header ${tokenHeader(server)}.`
})

/** Stands for a server's tools until the person's account is connected there: clients show no server that lists none. */
const connectTool = (server: string): McpTool => ({
  name: "connect",
  description: `Connects the person's own account at ${server}, which its tools need.`,
  inputSchema: { type: "object", properties: {} },
  annotations: {},
  mirrored: []
})

/** Leads the person to the page to connect at, once; other clients' models read where it is. */
const unconnected = (request: ToolRequest, { connectUrl, reason, server }: Unavailable): Answer =>
  request.call?.leads === true && connectUrl !== undefined
    ? personLed(request, `Connect your account at ${server} to go on.`, connectUrl)
    : failed(request, reason)

const notOffered = (request: ToolRequest, name: string, [missing]: ReadonlyArray<Unavailable>): Answer =>
  missing === undefined
    ? errorAnswer(request.id, { code: codes.params, message: `Unknown tool: ${name.slice(0, 128)}` })
    : unconnected(request, missing)

const notListed = (server: string, { outcome, reason }: McpFailure): Effect.Effect<void> =>
  Effect.logWarning("the tools of a server can't be listed").pipe(Effect.annotateLogs({ server, outcome, reason }))
