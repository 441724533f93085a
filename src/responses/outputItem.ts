import type { SearchOutcome } from "../generation/Conversation.ts"
import { argumentsObject } from "../contract/json/json.ts"
import { appendText } from "../generation/appendText.ts"
import { GrowingList } from "../generation/GrowingList.ts"
import type { OpenItem } from "../generation/Lanes.ts"
import type { ServerCallResult } from "../generation/ServerCall.ts"
import type { ClientTool } from "./clientTools/ClientTool.ts"
import { emit, shownItem } from "./encoding.ts"
import type { Draft, Open, OpenCall, OpenImage, OpenReasoning, OpenSearch } from "./encoding.ts"
import * as mcp from "./mcp/mcpItems.ts"
import { addPart, finishPart, isText, messageOf, resume } from "./outputMessage.ts"
import type { ItemStatus, OutputItem } from "./ResponseObject.ts"
import { seal, sealSearch } from "./seal.ts"

/** The end of an item in the sequence. */
export interface Closing {
  readonly status: "completed" | "incomplete"
  readonly signature: string | undefined
  readonly outcome: SearchOutcome | undefined
  readonly result?: ServerCallResult | undefined
}

/** Opens the next item. An open message continues if the item is more of it, otherwise it ends. */
export const begin = (draft: Draft, item: OpenItem): void => {
  if (draft.open?.type === "message" && isText(item)) return resume(draft, draft.open, item.type)
  end(draft, { status: "completed", signature: undefined, outcome: undefined })
  const id = (prefix: Parameters<Draft["encoding"]["itemId"]>[0]) => draft.encoding.itemId(prefix, draft.output.length)
  switch (item.type) {
    case "text":
    case "refusal":
      addItem(draft, { id: id("msg"), type: "message", status: "in_progress", role: "assistant", content: [] })
      return addPart(draft, { id: id("msg"), earlier: GrowingList.empty() }, item.type)
    case "reasoning":
    case "redacted-reasoning": {
      const redacted = item.type === "redacted-reasoning" ? item.data : undefined
      draft.open = { type: "reasoning", id: id("rs"), text: "", redacted }
      return addItem(draft, { id: id("rs"), type: "reasoning", status: "in_progress", summary: [] })
    }
    case "tool-call":
      draft.open = { type: "call", id: id(prefixOf(draft, item)), call: item, text: "" }
      return beginCall(draft, draft.open)
    case "image":
      draft.open = { type: "image", id: id("ig"), mediaType: item.mediaType, data: item.data }
      addItem(draft, imageOf({ ...draft.open, data: "" }, "in_progress"))
      emit(draft, "response.image_generation_call.in_progress", place(draft, draft.open))
      return emit(draft, "response.image_generation_call.generating", place(draft, draft.open))
    case "search":
      draft.open = { type: "search", id: id("ws"), query: item.query, upstreamId: item.id }
      addItem(draft, {
        id: draft.open.id,
        type: "web_search_call",
        status: "in_progress",
        action: { type: "search", query: item.query }
      })
      emit(draft, "response.web_search_call.in_progress", place(draft, draft.open))
      return emit(draft, "response.web_search_call.searching", place(draft, draft.open))
    case "server-tools":
      draft.open = { type: "server-tools", id: id("mcpl"), server: item.server, tools: item.tools }
      return mcp.beginList(draft, draft.open)
    case "server-call":
      draft.open = {
        type: "server-call",
        id: id("mcp"),
        server: item.server,
        tool: item.tool,
        approval: item.approval ?? null,
        text: ""
      }
      return mcp.beginServerCall(draft, draft.open)
    case "approval-asked":
      draft.open = { type: "approval", id: id("mcpr"), server: item.server, tool: item.tool, text: item.arguments }
      return addItem(draft, mcp.approvalItem(draft.open))
  }
}

/** Adds a piece of reasoning or of a call. */
export const write = (draft: Draft, open: OpenReasoning | OpenCall, delta: string): void => {
  if (open.type === "call") {
    draft.open = { ...open, text: appendText(open.text, delta) }
    // The item has its arguments in fields, which are sent once they are complete.
    if (clientTool(draft, open.call) !== undefined) return
    return emit(draft, `${eventOf(open)}.delta`, { item_id: open.id, output_index: draft.output.length, delta })
  }
  const where = { item_id: open.id, output_index: draft.output.length, summary_index: 0 }
  if (open.text === "") {
    emit(draft, "response.reasoning_summary_part.added", { ...where, part: { type: "summary_text", text: "" } })
  }
  draft.open = { ...open, text: appendText(open.text, delta) }
  emit(draft, "response.reasoning_summary_text.delta", { ...where, delta })
}

/** Ends the open item, if there is one, with its last frames. */
export const end = (draft: Draft, closing: Closing): void => {
  const { open } = draft
  if (open === undefined) return
  switch (open.type) {
    case "message":
      finishPart(draft, open)
      break
    case "reasoning":
      finishSummary(draft, open)
      break
    case "call":
      finishArguments(draft, open, closing.status)
      break
    case "image":
      emit(draft, "response.image_generation_call.completed", place(draft, open))
      break
    case "search":
      if (closing.outcome?.type === "results") {
        emit(draft, "response.web_search_call.completed", place(draft, open))
      }
      break
    case "server-tools":
      mcp.finishList(draft, open)
      break
    case "server-call":
      mcp.finishServerCall(draft, open, closing.result)
  }
  // Read again, because finishing may have completed it.
  const item = itemOf(draft, draft.open ?? open, closing.status, closing)
  draft.open = undefined
  if (item === undefined) return
  emit(draft, "response.output_item.done", {
    output_index: draft.output.length,
    item: shownItem(item, draft.encoding.include)
  })
  draft.output = draft.output.with(item)
}

/** An item in its current state; undefined if it has no form in that state. */
export const itemOf = (draft: Draft, open: Open, status: ItemStatus, closing?: Closing): OutputItem | undefined => {
  switch (open.type) {
    case "message":
      return messageOf(open, status)
    case "reasoning":
      return reasoningOf(draft, open, status, closing?.signature)
    case "call":
      return callOf(draft, open, status)
    case "image":
      return imageOf(open, status)
    case "search":
      return searchOf(open, status, closing?.outcome)
    case "server-tools":
      return mcp.listItem(open)
    case "server-call":
      return mcp.serverCallItem(open, status, closing?.result)
    case "approval":
      return mcp.approvalItem(open)
  }
}

const addItem = (draft: Draft, item: OutputItem) =>
  emit(draft, "response.output_item.added", { output_index: draft.output.length, item })

const place = (draft: Draft, open: OpenSearch | OpenImage) => ({ output_index: draft.output.length, item_id: open.id })

const eventOf = ({ call }: OpenCall) =>
  call.kind === "custom" ? "response.custom_tool_call_input" : "response.function_call_arguments"

const finishSummary = (draft: Draft, { id, text }: OpenReasoning) => {
  if (text === "") return
  const where = { item_id: id, output_index: draft.output.length, summary_index: 0 }
  emit(draft, "response.reasoning_summary_text.done", { ...where, text })
  emit(draft, "response.reasoning_summary_part.done", { ...where, part: { type: "summary_text", text } })
}

const finishArguments = (draft: Draft, open: OpenCall, status: ItemStatus) => {
  const tool = clientTool(draft, open.call)
  if (tool !== undefined) return finishClientCall(draft, tool, open, status)
  // Clients parse the arguments as JSON. Some upstreams leave them empty if a function takes none.
  if (open.call.kind === "function" && open.text === "" && status === "completed") {
    write(draft, open, "{}")
    if (draft.open?.type === "call") return finishArguments(draft, draft.open, status)
  }
  const where = { item_id: open.id, output_index: draft.output.length }
  const { name } = nameOf(draft, open)
  emit(
    draft,
    `${eventOf(open)}.done`,
    open.call.kind === "custom" ? { ...where, input: open.text } : { ...where, name, arguments: open.text }
  )
}

const beginCall = (draft: Draft, open: OpenCall) => {
  const item = callOf(draft, open, "in_progress")
  if (item !== undefined) addItem(draft, item)
}

/** An item that needs its arguments to begin was not added yet. */
const finishClientCall = (draft: Draft, tool: ClientTool, open: OpenCall, status: ItemStatus) => {
  const item = callOf(draft, open, status)
  if (item === undefined) return
  if (callOf(draft, { ...open, text: "" }, "in_progress") === undefined) {
    addItem(draft, callOf(draft, open, "in_progress") ?? item)
  }
  for (const [type, fields] of tool.eventsOf?.(item, draft.output.length) ?? []) emit(draft, type, fields)
}

const reasoningOf = (
  draft: Draft,
  { id, text, redacted }: OpenReasoning,
  status: ItemStatus,
  signature: string | undefined
): OutputItem => ({
  id,
  type: "reasoning",
  status,
  summary: text === "" ? [] : [{ type: "summary_text", text }],
  // Incomplete reasoning has no signature, so no upstream accepts it back.
  ...(status === "completed"
    ? { encrypted_content: seal(draft.encoding.response.model, { text, signature, redacted }) }
    : {})
})

/** A namespaced tool's name and namespace, as callers know them. */
const nameOf = (draft: Draft, { call }: OpenCall) => draft.encoding.namespaced.get(call.name) ?? { name: call.name }

const clientTool = ({ encoding }: Draft, { kind, name }: OpenCall["call"]): ClientTool | undefined =>
  kind === "function" ? encoding.clientTools.get(name) : undefined

const prefixOf = (draft: Draft, call: OpenCall["call"]) =>
  clientTool(draft, call)?.prefix ?? (call.kind === "custom" ? "ctc" : "fc")

const callOf = (draft: Draft, open: OpenCall, status: ItemStatus): OutputItem | undefined => {
  const { id, call, text } = open
  const tool = clientTool(draft, call)
  if (tool !== undefined) return tool.itemOf({ id, status, call_id: call.callId }, argumentsObject(text))
  return call.kind === "custom"
    ? { id, type: "custom_tool_call", status, call_id: call.callId, ...nameOf(draft, open), input: text }
    : { id, type: "function_call", status, call_id: call.callId, ...nameOf(draft, open), arguments: text }
}

const imageOf = ({ data, id, mediaType }: OpenImage, status: ItemStatus): OutputItem => ({
  id,
  type: "image_generation_call",
  status,
  result: data === "" ? null : data,
  output_format: mediaType.slice(mediaType.indexOf("/") + 1)
})

const withSeal = (encrypted_content: string | undefined) =>
  encrypted_content === undefined ? {} : { encrypted_content }

const searchOf = (
  { id, query, upstreamId }: OpenSearch,
  status: ItemStatus,
  outcome: SearchOutcome | undefined
): OutputItem => ({
  ...withSeal(sealSearch({ id: upstreamId, outcome })),
  id,
  type: "web_search_call",
  status: outcome?.type === "error" ? "failed" : status,
  action: {
    type: "search",
    query,
    queries: [query],
    ...(outcome?.type === "results"
      ? { sources: outcome.results.map(({ url }) => ({ type: "url" as const, url })) }
      : {})
  }
})
