import { noUsage } from "../../generation/GenerationEvent.ts"
import type { ServerCall, ServerCallEnd } from "../ServerTool.ts"

const content = [{ type: "text", text: "It is not known whether this call took effect." }] as const
const [{ text }] = content

/**
 * The end of a call that left, and whose answer was lost with the process.
 *
 * @param isShown true if the client has seen the call
 */
export const unknownEnd = ({ arguments: written, id, name }: ServerCall, isShown: boolean): ServerCallEnd => ({
  events: isShown
    ? [{ type: "server-call-end", id, result: { text, error: { type: "mcp_tool_execution_error", content } } }]
    : [],
  usage: noUsage,
  items: () => [
    { type: "tool-call", callId: id, name, arguments: written.trim() === "" ? "{}" : written, kind: "function" },
    { type: "tool-result", callId: id, content, isError: true }
  ]
})
