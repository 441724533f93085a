import { Effect, Either, Redacted } from "effect"
import type { Scope } from "effect"
import { version } from "../../../package.json"
import { PublicUrl } from "../../config/PublicUrl.ts"
import { isHeaderValue } from "../../contract/text/headerValue.ts"
import type { Caller } from "../../contract/callers/Caller.ts"
import { Forbidden, NotFound } from "../../contract/failures/Failure.ts"
import type { Incoming } from "../../contract/handlers.ts"
import { isObject, textAt } from "../../contract/json/json.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { serverToolNames } from "../../generation/serverToolName.ts"
import { isForeign } from "../../guard/foreign.ts"
import type { McpConnection, McpEnd } from "../McpClient.ts"
import { McpFailure } from "../McpFailure.ts"
import type { McpTool } from "../McpServer.ts"
import { McpServers } from "../McpServers.ts"
import type { RegisteredServer } from "../McpServers.ts"
import { legacyVersions, modernVersion } from "../requests.ts"
import { outputText } from "../toolResult.ts"
import { rpcCodes, understand } from "./understand.ts"
import type { RpcRefusal, RpcRequest } from "./understand.ts"

/** A request, who sends it, and the servers that it is for. */
interface Asked {
  readonly caller: Caller
  readonly incoming: Incoming
  readonly servers: ReadonlyArray<RegisteredServer>
  /** True for `/mcp`, where tools have the names of their servers in front. */
  readonly isJoint: boolean
}

/** A tool as clients see it. */
interface OfferedTool {
  readonly name: string
  readonly tool: McpTool
  readonly server: RegisteredServer
  readonly connection: McpConnection
}

/** How long clients may keep a list, in ms. */
const listMs = 60_000
const capabilities = { tools: {} }
const serverInfo = { name: "model-gateway", version }

/** Serves the tools of registered servers to clients of MCP, of the revisions with and without a handshake. */
export class McpEndpoint extends Effect.Service<McpEndpoint>()("gateway/mcp/endpoint/McpEndpoint", {
  dependencies: [McpServers.Default],
  effect: Effect.gen(function* () {
    const registered = yield* McpServers
    const publicUrl = yield* PublicUrl

    /** Answers a message. @param name the server of the path; undefined for all */
    const answer = (
      caller: Caller,
      incoming: Incoming,
      name: string | undefined
    ): Effect.Effect<Response, Forbidden | NotFound> =>
      Effect.gen(function* () {
        const isAllowed = "access-control-allow-origin" in incoming.replyHeaders
        if (!isAllowed && isForeign(incoming.headers, yield* publicUrl.get)) {
          return yield* new Forbidden({ message: "Origin: expected the gateway's own, or one of server.cors_origins" })
        }
        const servers =
          name === undefined ? registered.all() : [registered.get(name)].filter((one) => one !== undefined)
        if (name !== undefined && servers.length === 0) {
          return yield* new NotFound({ param: "server", message: "server: no server of tools has this name" })
        }
        const body = isObject(incoming.body) ? incoming.body : {}
        const understood = understand(incoming.headers, body)
        const request = Either.isRight(understood) ? understood.right : undefined
        if (incoming.record !== undefined && request?.method !== "tools/call") incoming.record.hasRow = false
        if (Either.isLeft(understood)) return refused(idIn(body), understood.left)
        if (request === undefined) return new Response(null, { status: 202 })
        const asked = { caller, incoming, servers, isJoint: name === undefined }
        return yield* Effect.scoped(resultOf(asked, request)).pipe(
          Effect.match({
            onSuccess: (result) => json(200, { id: request.id, result: finished(request, result) }),
            onFailure: (refusal) => refused(request.id, refusal)
          })
        )
      })

    const resultOf = (asked: Asked, request: RpcRequest): Effect.Effect<JsonObject, RpcRefusal, Scope.Scope> => {
      const { isModern, method, params } = request
      if (method === "tools/list") return Effect.map(offeredTools(asked), listOf)
      if (method === "tools/call") return call(asked, params)
      if (method === "ping") return Effect.succeed({})
      const instructions = instructionsOf(asked)
      if (isModern && method === "server/discover") {
        const lives = { ttlMs: listMs, cacheScope: "private" }
        return Effect.succeed({
          supportedVersions: [modernVersion],
          capabilities,
          serverInfo,
          ...instructions,
          ...lives
        })
      }
      if (!isModern && method === "initialize") {
        const wanted = textAt(params, "protocolVersion") ?? ""
        const protocolVersion = legacyVersions.includes(wanted) ? wanted : legacyVersions[0]
        return Effect.succeed({ protocolVersion, capabilities, serverInfo, ...instructions })
      }
      return Effect.fail({ status: isModern ? 404 : 200, code: rpcCodes.unknownMethod, message: "Method not found" })
    }

    /** The tools that the caller may use. A server that does not answer is left out of those of all. */
    const offeredTools = (asked: Asked): Effect.Effect<ReadonlyArray<OfferedTool>, RpcRefusal, Scope.Scope> =>
      Effect.map(
        Effect.forEach(
          asked.servers,
          (server) =>
            toolsOf(asked, server).pipe(
              Effect.catchAll((failure) =>
                asked.isJoint ? Effect.as(logFailure(server, failure), []) : Effect.fail(unlisted(failure))
              )
            ),
          { concurrency: 8 }
        ),
        (lists) => named(lists.flat(), asked.isJoint)
      )

    const toolsOf = ({ caller, incoming }: Asked, server: RegisteredServer) =>
      Effect.gen(function* () {
        const token = server.needsToken ? tokenIn(incoming.headers, server) : undefined
        if (server.needsToken && token === undefined) return yield* noToken(server)
        const connection = yield* registered.connect(server.reached(token))
        const { tools } = yield* connection.list((tool) => server.admits(caller, tool))
        return tools.map((tool) => ({ tool, server, connection }))
      })

    const call = (asked: Asked, params: JsonObject): Effect.Effect<JsonObject, RpcRefusal, Scope.Scope> =>
      Effect.gen(function* () {
        const { arguments: input = {}, name } = params
        if (typeof name !== "string" || !isObject(input)) {
          return yield* Effect.fail(wrongParams("expected name, and arguments as an object"))
        }
        const offered = yield* Effect.either(offeredTools(asked))
        if (Either.isLeft(offered)) return failedResult(offered.left.message)
        const one = offered.right.find((tool) => tool.name === name)
        if (one === undefined) return yield* Effect.fail(wrongParams(`Unknown tool: ${name.slice(0, 128)}`))
        const { record } = asked.incoming
        if (record !== undefined) record.tags = [...record.tags, `tool=${one.server.name}/${one.tool.name}`]
        const end = yield* one.connection.call(one.tool, JSON.stringify(input))
        if (end.outcome !== "completed") record?.noted(`tool:${end.outcome}`)
        yield* logCall(one, end)
        return end.result ?? failedResult(outputText(end.parts))
      })

    return { answer } as const
  })
}) {}

const listOf = (offered: ReadonlyArray<OfferedTool>): JsonObject => ({
  tools: offered.map(({ name, tool: { annotations, description, inputSchema } }) => ({
    name,
    ...(description !== undefined && { description }),
    inputSchema,
    ...(Object.keys(annotations).length > 0 && { annotations })
  })),
  ttlMs: listMs,
  cacheScope: "private"
})

const named = (tools: ReadonlyArray<Omit<OfferedTool, "name">>, isJoint: boolean): ReadonlyArray<OfferedTool> => {
  if (!isJoint) return tools.map((one) => ({ ...one, name: one.tool.name }))
  const names = serverToolNames(
    tools.map(({ server, tool }) => ({ label: server.name, tool: tool.name })),
    new Set<never>()
  )
  return tools.map((one, index) => ({ ...one, name: names[index] ?? one.tool.name }))
}

/** The caller's own token for a server. */
const tokenIn = (headers: Headers, { name }: RegisteredServer): Redacted.Redacted | undefined => {
  const token = headers.get(tokenHeader(name))
  return token === null || token === "" || !isHeaderValue(token) ? undefined : Redacted.make(token)
}

const tokenHeader = (server: string): string => `x-gateway-mcp-${server}`

const noToken = ({ name }: RegisteredServer): McpFailure =>
  new McpFailure({
    outcome: "refused",
    status: 0,
    code: 0,
    reason: `it needs a token of the caller's: send it in the header ${tokenHeader(name)}`
  })

const unlisted = ({ reason }: McpFailure): RpcRefusal => ({
  status: 200,
  code: rpcCodes.internal,
  message: `The server's tools can't be listed: ${reason}`
})

const wrongParams = (message: string): RpcRefusal => ({ status: 200, code: rpcCodes.invalidParams, message })

/** A result that the model reads, so that it can go on without the tool. */
const failedResult = (text: string): JsonObject => ({ content: [{ type: "text", text }], isError: true })

const instructionsOf = ({ isJoint, servers: [server] }: Asked): JsonObject =>
  isJoint || server?.description === undefined ? {} : { instructions: server.description }

/** A result in the form of the request's revision. */
const finished = ({ isModern }: RpcRequest, result: JsonObject): JsonObject => {
  if (isModern) return { ...result, resultType: "complete" }
  return Object.fromEntries(Object.entries(result).filter(([name]) => !newMembers.has(name)))
}

/** Members of results that earlier revisions don't have. */
const newMembers: ReadonlySet<string> = new Set(["resultType", "ttlMs", "cacheScope"])

const refused = (id: string | number | null, { code, data, message, status }: RpcRefusal): Response =>
  json(status, { id, error: { code, message, ...(data !== undefined && { data }) } })

const idIn = ({ id }: JsonObject): string | number | null =>
  typeof id === "string" || typeof id === "number" ? id : null

const json = (status: number, message: JsonObject): Response =>
  Response.json({ jsonrpc: "2.0", ...message }, { status })

const logFailure = ({ name }: RegisteredServer, { outcome, reason }: McpFailure): Effect.Effect<void> =>
  Effect.logWarning("the tools of a server can't be listed").pipe(
    Effect.annotateLogs({ server: name, outcome, reason })
  )

const logCall = ({ server, tool }: OfferedTool, { error, outcome }: McpEnd): Effect.Effect<void> =>
  (error === undefined || outcome === "failed" ? Effect.logDebug : Effect.logWarning)("tool.call").pipe(
    Effect.annotateLogs({ server: server.name, tool: tool.name, outcome })
  )
