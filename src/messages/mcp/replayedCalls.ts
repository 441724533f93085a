import { listAt, objectAt, textAt } from "../../contract/json/json.ts"
import type { Item } from "../../generation/Conversation.ts"
import { serverToolNames } from "../../generation/serverToolName.ts"
import type { HostedBlock } from "../Blocks.ts"

/** True for a call that has a result. */
type Calls = Map<string, boolean>

/** Notes a call, or the result of an earlier one. */
export const noteCall = (calls: Calls, block: HostedBlock): void => {
  const id = idOf(block)
  if (block.type === "mcp_tool_use") calls.set(id, false)
  else if (calls.has(id)) calls.set(id, true)
}

/**
 * An earlier call of a server's tool, or its result, under the model's name of the tool, also where the request no longer
 * names the server. A call without a result has nothing for the model.
 */
export const replayedCall = (block: HostedBlock, calls: Calls | undefined): Item | "nothing" => {
  const callId = idOf(block)
  if (calls?.get(callId) !== true) return "nothing"
  if (block.type === "mcp_tool_use") {
    const tool = { label: textAt(block, "server_name") ?? "", tool: textAt(block, "name") ?? "" }
    const [name = ""] = serverToolNames([tool], new Set())
    const input = JSON.stringify(objectAt(block, "input") ?? {})
    return { type: "tool-call", callId, name, arguments: input, kind: "function" }
  }
  const { content } = block
  const texts = listAt(block, "content").flatMap((part) => textAt(part, "text") ?? [])
  const text = typeof content === "string" ? content : texts.join("\n")
  return { type: "tool-result", callId, content: [{ type: "text", text }], isError: block["is_error"] === true }
}

const idOf = (block: HostedBlock): string => textAt(block, block.type === "mcp_tool_use" ? "id" : "tool_use_id") ?? ""
