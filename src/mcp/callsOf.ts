import { Duration, Effect } from "effect"
import type { ImagePart, TextPart } from "../generation/Conversation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import { imageLine } from "../generation/imageLine.ts"
import type { McpServerRequest } from "../generation/McpServerRequest.ts"
import type { ServerCallError } from "../generation/ServerCall.ts"
import type { ServerCall, ServerCallEnd, ServerTool } from "../tools/ServerTool.ts"
import type { McpConnection, McpEnd } from "./McpClient.ts"
import type { McpTool } from "./McpServer.ts"
import { outputText } from "./toolResult.ts"

/** A tool of a server that the model may call. */
export interface ServedTool {
  readonly asked: McpServerRequest
  readonly connection: McpConnection
  readonly tool: McpTool
}

type Parts = ReadonlyArray<TextPart | ImagePart>

interface Calling {
  readonly mostCalls: number | undefined
  readonly requestId: string
}

/** The most of a request's pictures, in Base64 characters: every later round sends them again. */
const mostPictures = 16 * 1_048_576

/** The calls of a request's servers, by the model's names of their tools. */
export const callsOf = (
  named: ReadonlyMap<string, ServedTool>,
  { mostCalls = Infinity, requestId }: Calling
): ServerTool => {
  const withinRoom = picturesWithin(mostPictures)
  return {
    names: new Set(named.keys()),
    mostCalls,
    mostUsage: noUsage,
    opens: ({ id, name }) => [
      {
        type: "server-call-start",
        id,
        server: named.get(name)?.asked.label ?? "",
        tool: named.get(name)?.tool.name ?? name
      }
    ],
    writes: (id, text) => [{ type: "server-call-delta", id, text }],
    begins: ({ id }) => [{ type: "server-call-written", id }],
    run: (call) => {
      const served = named.get(call.name)
      if (served === undefined) return Effect.succeed(refused(call))
      return served.connection.call(served.tool, call.arguments).pipe(
        Effect.timed,
        Effect.tap(([took, end]) => logEnd(end, Duration.toMillis(took), requestId)),
        Effect.map(([, end]) => ended(call, withinRoom(end.parts), end.error))
      )
    },
    refuse: (call) => refused(call)
  }
}

/** Shows pictures as lines once the earlier ones leave no room for them. */
const picturesWithin = (most: number) => {
  let room = most
  return (parts: Parts): Parts =>
    parts.map((part) => {
      const size = part.type === "image" && part.source.type === "base64" ? part.source.data.length : 0
      if (part.type === "image" && size > room) return { type: "text", text: imageLine(part) }
      room -= size
      return part
    })
}

const ended = (call: ServerCall, parts: Parts, error: ServerCallError | undefined): ServerCallEnd => ({
  events: [
    { type: "server-call-end", id: call.id, result: { text: outputText(parts), ...(error !== undefined && { error }) } }
  ],
  usage: noUsage,
  items: () => [
    {
      type: "tool-call",
      callId: call.id,
      name: call.name,
      arguments: call.arguments.trim() === "" ? "{}" : call.arguments,
      kind: "function"
    },
    { type: "tool-result", callId: call.id, content: parts, isError: error !== undefined }
  ]
})

const noMore = [{ type: "text", text: "No more calls are allowed. Answer from what you have." }] as const

const refused = (call: ServerCall): ServerCallEnd =>
  ended(call, noMore, { type: "mcp_tool_execution_error", content: noMore })

/** Neither arguments nor results are logged, nor what the server says. */
const logEnd = ({ outcome, receivedBytes, sentBytes }: McpEnd, durationMs: number, requestId: string) =>
  (outcome === "completed" ? Effect.logDebug : Effect.logWarning)("a call of an MCP server ended").pipe(
    Effect.annotateLogs({
      event: "tool.call",
      request_id: requestId,
      server: "own",
      outcome,
      duration_ms: Math.round(durationMs),
      sent_bytes: sentBytes,
      received_bytes: receivedBytes
    })
  )
