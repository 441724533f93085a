import { Effect } from "effect"
import type { ImagePart, TextPart } from "../generation/Conversation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { PaidCalls, Usage } from "../generation/GenerationEvent.ts"
import { imageLine } from "../generation/imageLine.ts"
import type { McpServerRequest, ToolOffer } from "../generation/McpServerRequest.ts"
import type { ServerCallError } from "../generation/ServerCall.ts"
import type { ServerCall, ServerCallEnd, ServerTool } from "../tools/ServerTool.ts"
import type { Departure } from "./Connection.ts"
import type { McpConnection } from "./McpClient.ts"
import type { McpTool } from "./McpServer.ts"
import type { CallingRequest, RecordedCalls } from "./recordedCalls.ts"
import { outputText } from "./toolResult.ts"

/** A tool of a server that the model may call. */
export interface ServedTool {
  readonly asked: McpServerRequest
  /** The server's name in the configuration; `own` for one that the caller names by address. */
  readonly server: string
  readonly connection: McpConnection
  readonly tool: McpTool
  /** The most time of a call, in ms. */
  readonly callMs: number
  readonly offer: ToolOffer
  /** True if the operator believes what the server says of its tools. */
  readonly isTrusted: boolean
  /** The price of a call, in nano-dollars. */
  readonly nanoUsd: number
}

type Parts = ReadonlyArray<TextPart | ImagePart>

interface Calling extends CallingRequest {
  readonly mostCalls: number | undefined
  readonly calls: RecordedCalls
  /** The servers' names in the configuration, by their labels. */
  readonly places: ReadonlyMap<string, string>
}

/** The most of a request's pictures, in Base64 characters: every later round sends them again. */
const mostPictures = 16 * 1_048_576

/** The calls of a request's servers, by the model's names of their tools. */
export const callsOf = (
  named: ReadonlyMap<string, ServedTool>,
  { calls: { recorded, unsent }, mostCalls = Infinity, places, ...calling }: Calling
): ServerTool => {
  /** The calls of this run. */
  const made: Array<Departing> = []
  const withinRoom = picturesWithin(mostPictures)
  /** A tool's server and name, as the caller knows them. */
  const shownAs = (name: string) => {
    const served = named.get(name)
    return { server: served?.asked.label ?? "", tool: served?.tool.name ?? name }
  }
  /** The end of a call that does not leave. */
  const refusing = (call: ServerCall, end: ServerCallEnd): Effect.Effect<ServerCallEnd> => {
    const { server: label, tool } = call.approval ?? shownAs(call.name)
    const server = places.get(label)
    return Effect.as(
      server === undefined ? Effect.void : unsent(calling, { id: call.id, server, tool }, "refused"),
      end
    )
  }
  return {
    names: new Set(named.keys()),
    asked: new Set([...named].flatMap(([name, { offer }]) => (offer.needsApproval ? [name] : []))),
    asks: ({ arguments: text, name }) => {
      const { server, tool } = shownAs(name)
      return [{ type: "approval-asked", server, tool, arguments: text.trim() === "" ? "{}" : text }]
    },
    mostCalls,
    mostUsage: ({ name }) => usageOf(paidBy(named.get(name))),
    paid: () => made.flatMap(({ departure, paid }) => (departure.hasLeft ? paid : [])),
    opens: ({ approval, id, name }) => [
      approval === undefined
        ? { type: "server-call-start", id, ...shownAs(name) }
        : { type: "server-call-start", id, server: approval.server, tool: approval.tool, approval: approval.id }
    ],
    writes: (id, text) => [{ type: "server-call-delta", id, text }],
    begins: ({ id }) => [{ type: "server-call-written", id }],
    run: (call) => {
      const served = named.get(call.name)
      if (served === undefined) return refusing(call, unlisted(call))
      const { connection, nanoUsd, tool } = served
      const departure = { hasLeft: false }
      const paid = paidBy(served)
      made.push({ departure, paid })
      const run = connection.call(tool, call.arguments, departure)
      return Effect.map(
        recorded(calling, { ...callOf(served, call), nanoUsd, departure, run }),
        ({ error, parts }) => ({
          ...ended(call, withinRoom(parts), error),
          usage: usageOf(departure.hasLeft ? paid : [])
        })
      )
    },
    // An approval is used once: a second call with it gets the first one's end.
    mayRepeat: ({ approval, name }) => approval !== undefined || isHarmless(named.get(name)),
    refuse: (call) => refusing(call, refused(call))
  }
}

interface Departing {
  readonly departure: Departure
  readonly paid: ReadonlyArray<PaidCalls>
}

const paidBy = (served: ServedTool | undefined): ReadonlyArray<PaidCalls> =>
  served === undefined || served.nanoUsd === 0
    ? []
    : [{ of: `${served.server}/${served.tool.name}`, count: 1, rate: served.nanoUsd }]

const usageOf = (paid: ReadonlyArray<PaidCalls>): Usage =>
  paid.length === 0 ? noUsage : { ...noUsage, toolCalls: paid }

/** True if two calls do what one does. */
const isHarmless = (served: ServedTool | undefined): boolean => {
  const { idempotentHint, readOnlyHint } = served?.tool.annotations ?? {}
  return served?.isTrusted === true && (readOnlyHint === true || idempotentHint === true)
}

const callOf = ({ callMs, server, tool }: ServedTool, { approval, arguments: text, id }: ServerCall) => ({
  id,
  arguments: text,
  server,
  tool: tool.name,
  callMs,
  approval: approval?.id
})

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

/** The caller approved it when the server still listed the tool, or when it was still allowed. */
const unlisted = (call: ServerCall): ServerCallEnd => {
  const text = "The tool is not among those of its server any more."
  return ended(call, [{ type: "text", text }], { type: "mcp_tool_execution_error", content: [{ type: "text", text }] })
}
