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
import { called, codes, errorAnswer, failed, toolsListed } from "./answers.ts"
import type { Answer } from "./answers.ts"
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
}

/** The reason that a server offers nothing at the moment, for people and models. */
type Unavailable = string

/** How many servers are asked at once. */
const atOnce = 8
/** How long a list of several servers waits for one of them, in ms. It is asked on, and is in the next list. */
const patienceMs = 5_000

export const makeServedTools = Effect.gen(function* () {
  const { all, connect, get } = yield* McpServers
  const { recorded } = yield* makeRecordedCalls
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
      const reached = server.reached(token)
      const connection = yield* connect(reached)
      const list = connection.list((tool) => server.admits(caller, tool))
      const { tools } = yield* (isOneOfMany ? briefly(list) : list).pipe(
        Effect.tapError((failure) => notListed(name, failure)),
        Effect.mapError(({ reason }) => `The tools of "${name}" can't be listed: ${reason}.`)
      )
      return tools.map((tool) => ({ tool, server: name, connection, callMs: reached.callMs }))
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
  const listed = (request: ToolRequest, found: Effect.Effect.Success<ReturnType<typeof offers>>): Answer => {
    const [missing] = found.missing
    return found.tools.length > 0 || missing === undefined
      ? toolsListed(request, found.tools)
      : errorAnswer(request.id, { code: codes.internal, message: missing })
  }

  const call = (
    request: ToolRequest,
    { input, name }: NonNullable<ToolRequest["call"]>,
    found: Effect.Effect.Success<ReturnType<typeof offers>>,
    caller: Caller,
    incoming: Incoming
  ): Effect.Effect<Answer> => {
    const offered = found.tools.find((tool) => tool.name === name)
    if (offered === undefined) return Effect.succeed(notOffered(request, name, found.missing))
    const { callMs, connection, server, tool } = offered
    const { headers, record } = incoming
    const wrong = request.era === "modern" ? wrongArguments(headers, tool.mirrored, input) : undefined
    if (wrong !== undefined) return Effect.succeed(errorAnswer(request.id, wrong, 400))
    if (record !== undefined) record.tags = [...record.tags, `tool=${server}/${tool.name}`]
    const one = { id: randomHex(), server, tool: tool.name, callMs }
    const run = connection.call(tool, JSON.stringify(input))
    return Effect.map(recorded({ caller, request: incoming }, one, run), (end) => {
      if (end.outcome !== "completed") record?.noted(`tool:${end.outcome}`)
      return called(request, end)
    })
  }

  const served = (
    servers: (caller: Caller, name: string | undefined) => ReadonlyArray<RegisteredServer>,
    naming: Naming,
    instructions?: string
  ): ServedTools => ({
    instructions,
    answer: (request, caller, incoming) =>
      Effect.scoped(
        Effect.flatMap(offers(servers(caller, request.call?.name), naming, caller, incoming.headers), (found) =>
          request.call === undefined
            ? Effect.succeed(listed(request, found))
            : call(request, request.call, found, caller, incoming)
        )
      )
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

const wantsToken = (server: string): Unavailable =>
  `"${server}" wants a token of your own: send it in the header ${tokenHeader(server)}.`

const notOffered = (request: ToolRequest, name: string, [missing]: ReadonlyArray<Unavailable>): Answer =>
  missing === undefined
    ? errorAnswer(request.id, { code: codes.params, message: `Unknown tool: ${name.slice(0, 128)}` })
    : failed(request, missing)

const notListed = (server: string, { outcome, reason }: McpFailure): Effect.Effect<void> =>
  Effect.logWarning("the tools of a server can't be listed").pipe(Effect.annotateLogs({ server, outcome, reason }))
