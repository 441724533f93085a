import type { Item } from "../generation/Conversation.ts"
import type { Complain } from "./Complaint.ts"
import type { InputItem } from "./InputItem.ts"
import { partsOf } from "./parts.ts"
import { unseal } from "./seal.ts"
import { flatName } from "./tools.ts"
import { signedBy } from "../upstreams/protocols/signature.ts"

/** An input item in the gateway's words; none where there is nothing to tell the model. */
export const itemsOf = (item: InputItem, model: string, path: string, complain: Complain): ReadonlyArray<Item> => {
  switch (item.type) {
    case undefined:
    case null:
    case "message":
      return [
        {
          type: "message",
          role: item.role === "developer" ? "system" : item.role,
          content: partsOf(item.content, `${path}.content`, complain)
        }
      ]
    case "function_call":
      return [
        {
          type: "tool-call",
          callId: item.call_id,
          name: flatName(item.name, item.namespace),
          arguments: item.arguments,
          kind: "function"
        }
      ]
    case "custom_tool_call":
      return [
        {
          type: "tool-call",
          callId: item.call_id,
          name: flatName(item.name, item.namespace),
          arguments: item.input,
          kind: "custom"
        }
      ]
    case "function_call_output":
    case "custom_tool_call_output":
      return [
        {
          type: "tool-result",
          callId: item.call_id,
          content: partsOf(item.output, `${path}.output`, complain),
          isError: false
        }
      ]
    case "reasoning":
      return reasoningOf(item, model)
    case "web_search_call":
      return [{ type: "search", id: item.id ?? "", query: queryOf(item.action), outcome: undefined }]
    // References are resolved before; one that is left was complained about. What tools of OpenAI's did is not for others.
    default:
      return []
  }
}

/** The gateway's own, or as OpenAI encrypted it; any other is left out. */
const reasoningOf = (item: Extract<InputItem, { readonly type: "reasoning" }>, model: string): ReadonlyArray<Item> => {
  const encrypted = item.encrypted_content ?? ""
  const ours = unseal(model, encrypted)
  if (ours !== undefined) return [ours]
  if (encrypted === "" || signedBy(encrypted) !== "openai") return []
  const text = (item.summary ?? []).map(({ text }) => text).join("\n\n")
  return [{ type: "reasoning", text, signature: encrypted, redacted: undefined }]
}

const queryOf = (action: Readonly<Record<string, unknown>> | null | undefined): string =>
  typeof action?.["query"] === "string" ? action["query"] : ""

/** Every output needs its call before it, every call its output; worded as OpenAI does. */
export const checkPairs = (items: ReadonlyArray<Item>, complain: (message: string) => void): void => {
  const open = new Map<string, "function" | "custom">()
  const known = new Set<string>()
  for (const item of items) {
    if (item.type === "tool-call") {
      open.set(item.callId, item.kind)
      known.add(item.callId)
    } else if (item.type === "tool-result") {
      if (!known.has(item.callId)) {
        complain(`No tool call found for function call output with call_id ${item.callId}.`)
      }
      open.delete(item.callId)
    }
  }
  for (const [callId, kind] of open) {
    complain(`No tool output found for ${kind === "custom" ? "custom tool" : "function"} call ${callId}.`)
  }
}
