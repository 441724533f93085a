import type { ToolCallItem, ToolResultItem } from "../../generation/Conversation.ts"
import { imageSource } from "../parts.ts"
import type { Complain } from "../parts.ts"
import type { ClientItem } from "./ClientItem.ts"
import type { NameOf } from "./clientTools.ts"
import { commandOutputs } from "./shell.ts"

/** A call of a tool that the caller runs, or its output, as the function's that stands for the tool. */
export const clientItem = (
  item: ClientItem,
  path: string,
  nameOf: NameOf,
  complain: Complain
): ToolCallItem | ToolResultItem => {
  switch (item.type) {
    case "shell_call":
    case "local_shell_call":
    case "apply_patch_call":
    case "computer_call":
      return {
        type: "tool-call",
        callId: item.call_id,
        name: nameOf(item.type),
        arguments: JSON.stringify(callArguments(item)),
        kind: "function"
      }
    case "shell_call_output":
      return result(item.call_id, commandOutputs(item.output))
    case "local_shell_call_output":
      // OpenAI's own types have the call's id in `id`.
      return result(item.call_id ?? item.id ?? "", item.output)
    case "apply_patch_call_output": {
      const hasFailed = item.status === "failed"
      return result(item.call_id, item.output || (hasFailed ? "Failed." : "Done."), hasFailed)
    }
    case "computer_call_output":
      return {
        type: "tool-result",
        callId: item.call_id,
        content: [{ type: "image", source: imageSource(item.output, `${path}.output`, complain), detail: "auto" }],
        isError: false
      }
  }
}

type Call =
  | Extract<ClientItem, { readonly type: "shell_call" | "local_shell_call" | "apply_patch_call" | "computer_call" }>
  | { readonly type: "tool_search_call"; readonly arguments: unknown }

/** A call's arguments, as the function has them. */
export const callArguments = (item: Call): unknown => {
  switch (item.type) {
    case "shell_call":
      return said(item.action)
    case "local_shell_call": {
      const { type: _, ...rest } = item.action
      return said(rest)
    }
    case "apply_patch_call":
      return item.operation
    case "computer_call":
      return item.actions ? { actions: item.actions } : { action: item.action ?? {} }
    case "tool_search_call":
      return item.arguments
  }
}

const said = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))

const result = (callId: string, text: string, isError = false): ToolResultItem => ({
  type: "tool-result",
  callId,
  content: [{ type: "text", text }],
  isError
})
