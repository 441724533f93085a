import { appendText } from "../../generation/appendText.ts"
import type { ServerCallResult } from "../../generation/ServerCall.ts"
import { emit } from "../encoding.ts"
import type { Draft, OpenApproval, OpenServerCall, OpenServerTools } from "../encoding.ts"
import type { ItemStatus, OutputItem } from "../ResponseObject.ts"

/** The frames of a server's list before its end. */
export const beginList = (draft: Draft, open: OpenServerTools): void => {
  emit(draft, "response.output_item.added", {
    output_index: draft.output.length,
    item: listItem({ ...open, tools: [] })
  })
  emit(draft, "response.mcp_list_tools.in_progress", place(draft, open))
}

export const finishList = (draft: Draft, open: OpenServerTools): void =>
  emit(draft, "response.mcp_list_tools.completed", place(draft, open))

export const listItem = ({ id, server, tools }: OpenServerTools): OutputItem => ({
  id,
  type: "mcp_list_tools",
  server_label: server,
  tools: tools.map(({ description, inputSchema, isReadOnly, name }) => ({
    name,
    description: description ?? null,
    input_schema: inputSchema,
    annotations: { read_only: isReadOnly }
  }))
})

/** The frames of a call before its arguments. */
export const beginServerCall = (draft: Draft, open: OpenServerCall): void => {
  emit(draft, "response.output_item.added", {
    output_index: draft.output.length,
    item: serverCallItem(open, "in_progress", undefined)
  })
  emit(draft, "response.mcp_call.in_progress", place(draft, open))
}

export const writeServerCall = (draft: Draft, open: OpenServerCall, delta: string): void => {
  draft.open = { ...open, text: appendText(open.text, delta) }
  emit(draft, "response.mcp_call_arguments.delta", { ...place(draft, open), delta })
}

/** The arguments are whole. Clients parse them, so that none are an empty object. */
export const finishServerArguments = (draft: Draft, open: OpenServerCall): void => {
  if (open.text === "") writeServerCall(draft, open, "{}")
  emit(draft, "response.mcp_call_arguments.done", { ...place(draft, open), arguments: open.text || "{}" })
}

export const finishServerCall = (draft: Draft, open: OpenServerCall, result: ServerCallResult | undefined): void => {
  if (result === undefined) return
  emit(draft, `response.mcp_call.${result.error === undefined ? "completed" : "failed"}`, place(draft, open))
}

/** A call without a result is incomplete, however the answer ended. */
export const serverCallItem = (
  { approval, id, server, text, tool }: OpenServerCall,
  status: ItemStatus,
  result: ServerCallResult | undefined
): OutputItem => ({
  id,
  type: "mcp_call",
  status:
    result === undefined
      ? status === "in_progress"
        ? status
        : "incomplete"
      : result.error === undefined
        ? "completed"
        : "failed",
  approval_request_id: approval,
  server_label: server,
  name: tool,
  arguments: text,
  output: result === undefined || result.error !== undefined ? null : result.text,
  error: result?.error ?? null
})

/** A call that waits for the caller's approval. It is whole from its beginning, and has no events of its own. */
export const approvalItem = ({ id, server, text, tool }: OpenApproval): OutputItem => ({
  id,
  type: "mcp_approval_request",
  server_label: server,
  name: tool,
  arguments: text
})

const place = (draft: Draft, { id }: { readonly id: string }) => ({ output_index: draft.output.length, item_id: id })
