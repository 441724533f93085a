import type { Item } from "../generation/Conversation.ts"
import { summaryOf } from "./compact/summary.ts"
import { isClientItem } from "./clientTools/ClientItem.ts"
import { clientItem } from "./clientTools/readItem.ts"
import { isClientSearch } from "./InputItem.ts"
import type { InputItem } from "./InputItem.ts"
import { madeImage } from "./madeImage.ts"
import type { Approvals } from "./mcp/approvals.ts"
import { replayedCall } from "./mcp/replayedCall.ts"
import { partsOf } from "./parts.ts"
import { reasoningItem } from "../generation/origin.ts"
import { isSealed, unseal, unsealSearch } from "./seal.ts"
import type { ToolEntry } from "./ToolEntry.ts"
import { flatName } from "./tools.ts"
import type { Toolbox } from "./tools.ts"
import type { Complain } from "./parts.ts"
import { shorten } from "../contract/text/shorten.ts"

interface Reading extends Pick<Toolbox, "nameOf"> {
  readonly model: string
  readonly complain: Complain
  readonly approvals: Approvals
}

/** An input item as conversation items; none if it has nothing for the model. */
export const itemsOf = (item: InputItem, path: string, reading: Reading): ReadonlyArray<Item> => {
  const { approvals, complain, model, nameOf } = reading
  if (isClientItem(item)) return [clientItem(item, path, nameOf, complain)]
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
      return [
        {
          type: "search",
          query: queryOf(item.action),
          ...(unsealSearch(item.encrypted_content ?? "") ?? { id: item.id ?? "", outcome: undefined })
        }
      ]
    case "tool_search_call":
      if (!isClientSearch(item)) return []
      return [
        {
          type: "tool-call",
          callId: item.call_id,
          name: nameOf("tool_search_call"),
          arguments: typeof item.arguments === "string" ? item.arguments : JSON.stringify(item.arguments ?? {}),
          kind: "function"
        }
      ]
    case "tool_search_output":
      if (!isClientSearch(item)) return []
      return [
        {
          type: "tool-result",
          callId: item.call_id,
          content: [{ type: "text", text: foundTools(item.tools) }],
          isError: false
        }
      ]
    case "mcp_call":
      return replayedCall(item)
    case "mcp_approval_response":
      return approvals.toldOf(item)
    // References were resolved before, or reported as missing. Items of OpenAI's tools are dropped.
    default: {
      const image = madeImage(item)
      if (image !== undefined) return [{ type: "message", role: "assistant", content: [image] }]
      const text = summaryOf(item)
      return text === undefined ? [] : [{ type: "message", role: "user", content: [{ type: "text", text }] }]
    }
  }
}

/** The origin of encrypted reasoning in OpenAI's form (Fernet) that no gateway wrapped. */
const ownDialect = { by: "openai" }

/** Reasoning with the gateway's wrapper, or as OpenAI encrypted it. */
const reasoningOf = (item: Extract<InputItem, { readonly type: "reasoning" }>, model: string): ReadonlyArray<Item> => {
  const encrypted = item.encrypted_content ?? ""
  const ours = unseal(model, encrypted)
  if (ours !== undefined) return [reasoningItem(ours)]
  const text = (item.summary ?? []).map(({ text }) => text).join("\n\n")
  // Reasoning of another model. No upstream accepts it, so it is dropped and reported.
  if (encrypted !== "" && isSealed(encrypted)) return [reasoningItem({ text, signature: "" })]
  if (encrypted === "") return []
  return [reasoningItem({ text, signature: encrypted }, encrypted.startsWith("gAAAA") ? ownDialect : undefined)]
}

/** The result of a tool search. The tools themselves are added to the request's. */
const foundTools = (entries: ReadonlyArray<ToolEntry>): string => {
  const found = entries.flatMap((entry) => {
    if (entry.type === "function" || entry.type === "custom") return [listOf(entry, entry.name)]
    return entry.type === "namespace" ? entry.tools.map((tool) => listOf(tool, flatName(tool.name, entry.name))) : []
  })
  return found.length === 0 ? "No tools found." : `Tools found, which can be called now:\n${found.join("\n")}`
}

const listOf = ({ description }: { readonly description?: string | null | undefined }, name: string) =>
  description ? `- ${name}: ${description}` : `- ${name}`

const queryOf = (action: Readonly<Record<string, unknown>> | null | undefined): string =>
  typeof action?.["query"] === "string" ? action["query"] : ""

/** Every output needs an earlier call, and every call an output. The message is OpenAI's. */
export const checkPairs = (items: ReadonlyArray<Item>, complain: (message: string) => void): void => {
  const open = new Map<string, "function" | "custom">()
  const known = new Set<string>()
  for (const item of items) {
    if (item.type === "tool-call") {
      open.set(item.callId, item.kind)
      known.add(item.callId)
    } else if (item.type === "tool-result") {
      if (!known.has(item.callId)) {
        complain(`No tool call found for function call output with call_id ${shorten(item.callId)}.`)
      }
      open.delete(item.callId)
    }
  }
  for (const [callId, kind] of open) {
    complain(`No tool output found for ${kind === "custom" ? "custom tool" : "function"} call ${shorten(callId)}.`)
  }
}
