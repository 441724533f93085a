import { Effect, Fiber } from "effect"
import type { Scope } from "effect"
import { isObject, numberAt, objectAt, parseJson, textAt } from "../contract/json/json.ts"
import { bodyBounds } from "../contract/json/jsonBounds.ts"
import type { JsonObject } from "../contract/fields.ts"
import { NamedSlots } from "../flow/NamedSlots.ts"
import type { ImagePart, TextPart } from "../generation/Conversation.ts"
import { Connection } from "./Connection.ts"
import type { Answered, Departure } from "./Connection.ts"
import { Eras } from "./Eras.ts"
import { keyOf } from "./keyOf.ts"
import { Lists } from "./Lists.ts"
import { cutWords, errorOf, isRefusal, late, wrongAnswer } from "./McpFailure.ts"
import type { McpError, McpFailure, McpTrouble } from "./McpFailure.ts"
import type { McpList, McpServer, McpTool } from "./McpServer.ts"
import { mirrorHeaders } from "./mirrored.ts"
import { OwnMark } from "./OwnMark.ts"
import { readTools } from "./readTools.ts"
import { outputText, resultParts } from "./toolResult.ts"

/** The bounds of a list: its tools, its bytes, its pages and its time in ms. */
const listBounds = { tools: 128, bytes: 1_048_576, pages: 10, ms: 15_000 }
/** The most of a call's arguments, of its mirrored headers and of its answer, in bytes. */
const callBounds = { arguments: 262_144, headers: 8_192, answer: 4 * 1_048_576 }

/** JSON-RPC's code of a tool or arguments that the server does not know, and MCP's of headers that don't match. */
const codes = { params: -32_602, headers: -32_020 }

/** How a call ended. Every end is something that the model reads. */
export interface McpEnd {
  /** `failed` if the tool itself says so. */
  readonly outcome: "completed" | "failed" | McpTrouble
  /** For the model. */
  readonly parts: ReadonlyArray<TextPart | ImagePart>
  /** As it came; absent if none did. */
  readonly result?: JsonObject
  /** Absent if it completed. */
  readonly error?: McpError
  /** Present if no usable answer came. */
  readonly failure?: McpFailure
  readonly sentBytes: number
  /** Of a result. */
  readonly receivedBytes: number
}

/** A server as one generation uses it. */
export interface McpConnection {
  /** The tools that are admitted, 128 at most. */
  readonly list: (admits: (tool: McpTool) => boolean) => Effect.Effect<McpList, McpFailure>
  /**
   * Calls a tool. The call leaves once at most, whatever comes of it. Interruption closes its connection, which cancels it.
   * @param args the model's arguments, as JSON text
   * @param departure told as soon as the call leaves
   */
  readonly call: (tool: McpTool, args: string, departure?: Departure) => Effect.Effect<McpEnd>
}

/** Lists and calls the tools of MCP servers, of revisions 2026-07-28 and 2025-03-26 to 2025-11-25. */
export class McpClient extends Effect.Service<McpClient>()("gateway/mcp/McpClient", {
  effect: Effect.map(OwnMark, (mark) => {
    const eras = new Eras()
    const lists = new Lists()
    /** Lists on their way, by server. */
    const underway = new NamedSlots<Fiber.RuntimeFiber<McpList, McpFailure>>()

    /** @returns a connection that ends with the scope */
    const connect = (server: McpServer): Effect.Effect<McpConnection, never, Scope.Scope> =>
      Effect.map(Connection.make(server, eras, mark), (connection) => {
        const whole = Effect.flatMap(lists.get(server), (kept) => {
          if (kept !== undefined) return Effect.succeed(kept)
          return server.listMs > 0 ? shared(server) : listed(connection, server)
        })

        const ready = Effect.flatMap(connection.isKnown, (isKnown) =>
          isKnown ? Effect.void : Effect.asVoid(listed(connection, server))
        )

        const call = (tool: McpTool, args: string, departure?: Departure): Effect.Effect<McpEnd> => {
          const parsed = args.trim() === "" ? {} : parseJson(args, bodyBounds)
          if (!isObject(parsed)) return Effect.succeed(unsent("The arguments are no JSON object."))
          const sentBytes = Buffer.byteLength(args)
          if (sentBytes > callBounds.arguments) return Effect.succeed(unsent("The arguments are larger than 256 KiB."))
          const headers = mirrorHeaders(tool.mirrored, parsed)
          if (Object.values(headers).join("").length > callBounds.headers) {
            return Effect.succeed(unsent("The arguments that the server wants in headers are larger than 8 KiB."))
          }
          const params = { name: tool.name, arguments: parsed }
          const asking = { method: "tools/call", params, maxBytes: callBounds.answer, headers, departure }
          return Effect.zipRight(ready, connection.once(asking)).pipe(
            within(server.callMs),
            Effect.tapError((failure) => doubt(server, failure)),
            Effect.match({
              onSuccess: (answered) => endOf(answered, sentBytes),
              onFailure: (failure) => failedEnd(failure, sentBytes)
            })
          )
        }

        return { list: (admits) => Effect.map(whole, (list) => firstOf(list, admits)), call }
      })

    const listed = (connection: Connection, server: McpServer): Effect.Effect<McpList, McpFailure> =>
      Effect.gen(function* () {
        const { bytes, isCut, pages, ttlMs } = yield* pagesOf(connection)
        const { tools, warnings } = readTools(pages)
        const list = { tools, warnings: isCut ? [endless, ...warnings] : warnings }
        yield* lists.keep(server, list, bytes, ttlMs)
        if (server.watch !== undefined) yield* server.watch.listed(list, yield* eras.at(keyOf(server)))
        return list
      }).pipe(
        within(listBounds.ms),
        Effect.tapError((failure) => server.watch?.failed(failure, true) ?? Effect.void)
      )

    /** One list for all who ask for it at a time. It goes on without them: those who come next find it. */
    const shared = (server: McpServer): Effect.Effect<McpList, McpFailure> =>
      Effect.suspend(() => {
        const key = keyOf(server)
        const running = underway.get(key)
        if (running !== undefined) return Fiber.join(running)
        const asked = Effect.scoped(
          Effect.flatMap(Connection.make(server, eras, mark), (connection) => listed(connection, server))
        )
        const ended = Effect.sync(() => underway.delete(key))
        return Effect.flatMap(Effect.forkDaemon(Effect.ensuring(asked, ended)), (fiber) => {
          underway.set(key, fiber)
          return Fiber.join(fiber)
        })
      })

    /** Lists that a failed call shows to be old are asked for again, and so is the form of the protocol. */
    const doubt = (server: McpServer, failure: McpFailure): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (failure.code === codes.params || failure.code === codes.headers) lists.drop(server)
        else if (isRefusal(failure)) eras.forget(keyOf(server))
        const isServers = failure.outcome !== "protocol_error" && failure.outcome !== "refused"
        return isServers ? (server.watch?.failed(failure, false) ?? Effect.void) : Effect.void
      })

    return { connect, dropLists: () => lists.clear() } as const
  })
}) {}

const endless = `it lists more than ${listBounds.pages} pages: the rest is left out`

const pagesOf = (connection: Connection) =>
  Effect.gen(function* () {
    const pages: Array<JsonObject> = []
    const cursors = new Set<string>()
    let bytes = 0
    let ttlMs = Infinity
    for (let cursor: string | undefined; ;) {
      const params = cursor === undefined ? {} : { cursor }
      const answered = yield* connection.again({ method: "tools/list", params, maxBytes: listBounds.bytes - bytes })
      if (!Array.isArray(answered.result["tools"])) return yield* wrongAnswer("its list has no tools")
      pages.push(answered.result)
      bytes += answered.bytes
      ttlMs = Math.min(ttlMs, Math.max(0, numberAt(answered.result, "ttlMs") ?? 0))
      cursor = textAt(answered.result, "nextCursor")
      const isCut = cursor !== undefined && pages.length === listBounds.pages
      if (cursor === undefined || cursors.has(cursor) || isCut) return { pages, bytes, ttlMs, isCut }
      cursors.add(cursor)
    }
  })

/** The tools that are admitted, as many as a server may have. */
export const firstOf = ({ tools, warnings }: McpList, admits: (tool: McpTool) => boolean): McpList => {
  const admitted = tools.filter(admits)
  if (admitted.length <= listBounds.tools) return { tools: admitted, warnings }
  const warning = `it lists ${admitted.length} tools: those after the first ${listBounds.tools} are left out`
  return { tools: admitted.slice(0, listBounds.tools), warnings: [warning, ...warnings] }
}

const within = (ms: number) => Effect.timeoutFail({ duration: ms, onTimeout: () => late(ms) })

const endOf = ({ bytes, result }: Answered, sentBytes: number): McpEnd => {
  const ended = { sentBytes, receivedBytes: bytes }
  if (result["resultType"] === "input_required") return { ...needsPerson(result), ...ended }
  const parts = resultParts(result)
  if (result["isError"] !== true) return { outcome: "completed", parts, result, ...ended }
  return { outcome: "failed", parts, result, error: executionError(outputText(parts)), ...ended }
}

/** The tool asks a person, and none is there. */
const needsPerson = ({ inputRequests }: JsonObject): Pick<McpEnd, "outcome" | "parts" | "error"> => {
  const asked = isObject(inputRequests)
    ? Object.values(inputRequests).flatMap((request) => textAt(objectAt(request, "params"), "message") ?? [])
    : []
  const what = asked.length === 0 ? "" : `: ${cutWords(asked.join("; "))}`
  const text = `The tool asks a person for something, which is not possible here${what}`
  return { outcome: "refused", parts: [{ type: "text", text }], error: executionError(text) }
}

/** The end of a call without a usable answer. */
export const failedEnd = (failure: McpFailure, sentBytes: number): McpEnd => ({
  outcome: failure.outcome,
  failure,
  parts: [{ type: "text", text: wordsOf(failure) }],
  error: errorOf(failure),
  sentBytes,
  receivedBytes: 0
})

const wordsOf = ({ reason, said }: McpFailure): string =>
  `The tool's server failed: ${reason}.${said === undefined ? "" : ` It says: ${said}`}`

const unsent = (text: string): McpEnd => ({
  outcome: "refused",
  parts: [{ type: "text", text }],
  error: executionError(text),
  sentBytes: 0,
  receivedBytes: 0
})

const executionError = (text: string): McpError => ({
  type: "mcp_tool_execution_error",
  content: [{ type: "text", text: cutWords(text) }]
})
