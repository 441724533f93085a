import { argumentsObject, isObject, parseJson } from "../../contract/json/json.ts"
import type { ServerCallResult } from "../../generation/ServerCall.ts"
import type { OpenItem } from "../../generation/Lanes.ts"
import { addBlock } from "../draft.ts"
import type { Draft, OpenBlock } from "../draft.ts"
import type { StreamFrame } from "../frames.ts"
import type { AnswerBlock } from "../Message.ts"

type OpenCall = Extract<OpenBlock, { readonly type: "mcp" }>
type Listing = Extract<OpenItem, { readonly type: "server-tools" }>
type Frames = Array<StreamFrame>

export const openCall = (draft: Draft, call: OpenCall["call"], frames: Frames): void => {
  frames.push({ type: "content_block_start", index: draft.blocks.length, content_block: toolUse(call, "") })
  draft.open = { type: "mcp", call, input: "", isWritten: false }
}

/** A server's list is whole at once. */
export const showListing = (draft: Draft, { server, tools }: Listing, frames: Frames): void => {
  const index = draft.blocks.length
  const block: AnswerBlock = {
    type: "mcp_tool_listing",
    mcp_server_name: server,
    tools: tools.map(({ description, inputSchema, name }) => ({
      name,
      ...(description !== undefined && { description }),
      input_schema: inputSchema
    }))
  }
  frames.push({ type: "content_block_start", index, content_block: block }, { type: "content_block_stop", index })
  addBlock(draft, block)
}

/** The call's block ends before the call runs. */
export const writtenCall = (draft: Draft, frames: Frames): void => {
  const { open } = draft
  if (open?.type !== "mcp") return
  frames.push({ type: "content_block_stop", index: draft.blocks.length })
  addBlock(draft, toolUse(open.call, open.input))
  draft.open = { ...open, isWritten: true }
}

/** The result has a block of its own, whole at once. A call that was cut has none. */
export const endCall = (draft: Draft, open: OpenCall, result: ServerCallResult | undefined, frames: Frames): void => {
  const index = draft.blocks.length
  if (!open.isWritten) {
    if (!isObject(parseJson(open.input))) draft.cut = draft.cut.with(index)
    frames.push({ type: "content_block_stop", index })
    return addBlock(draft, toolUse(open.call, open.input))
  }
  const block = toolResult(open.call.id, result ?? unended)
  frames.push({ type: "content_block_start", index, content_block: block }, { type: "content_block_stop", index })
  addBlock(draft, block)
}

const toolUse = ({ id, server, tool }: OpenCall["call"], input: string): AnswerBlock => ({
  type: "mcp_tool_use",
  id: idOf(id),
  name: tool,
  server_name: server,
  input: { ...argumentsObject(input) }
})

/** A failed call has its error as a text. */
const toolResult = (callId: string, { error, text }: ServerCallResult): AnswerBlock => ({
  type: "mcp_tool_result",
  tool_use_id: idOf(callId),
  is_error: error !== undefined,
  content: [{ type: "text", text }]
})

const idOf = (id: string): string => (id.startsWith("mcptoolu_") ? id : `mcptoolu_${id}`)

/** True for a call that the gateway made. Anthropic's ids have other digits. */
export const isOwnCall = (block: { readonly type: string; readonly id?: unknown }): boolean =>
  block.type === "mcp_tool_use" && /^mcptoolu_[0-9a-f]{32}$/.test(String(block.id))

const message = "The call did not end."
const unended: ServerCallResult = { text: message, error: { type: "http_error", code: 0, message } }
