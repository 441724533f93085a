import { unknownFields } from "../models/beyond.ts"
import type { Beyond } from "../models/beyond.ts"
import { isHostedBlock } from "./Blocks.ts"
import type { ContentBlock } from "./Blocks.ts"
import { CreateMessage } from "./Request.ts"
import { isHosted } from "./Tools.ts"
import type { Tool } from "./Tools.ts"

/** What a request asks for that its conversation does not say. Every request is asked, and mostly it is nothing. */
export const beyond = (request: CreateMessage, body: unknown): ReadonlyArray<Beyond> => {
  const found = unknownFields(body, known)
  for (const [index, tool] of (request.tools ?? []).entries()) found.push(...hosted(tool, index))
  const blocks = blocksOf(request)
  // What such tools did in an earlier answer.
  for (const block of blocks) if (isHostedBlock(block)) found.push({ param: `content.${block.type}` })
  for (const tool of toolsOf(body)) found.push(...unknownFields(tool, knownOfTools, "tools[]."))
  if (isCached(request) || blocks.some(isMarked)) found.push({ param: "cache_control" })
  if (blocks.some(wantsCitations)) found.push({ param: "citations" })
  return found
}

const hosted = (tool: Tool, index: number): ReadonlyArray<Beyond> => {
  const param = `tools[${index}].type`
  return isHosted(tool) ? [{ param, refusal: `${param}: this model's upstream does not run ${tool.type}` }] : none
}

const none: ReadonlyArray<never> = []

const known = new Set(Object.keys(CreateMessage.fields))
/** Of all kinds of tools. */
const knownOfTools = new Set(
  (
    "type name description input_schema strict cache_control max_uses allowed_domains blocked_domains user_location " +
    "display_width_px display_height_px display_number max_characters " +
    // Every tool is shown to the model at once.
    "defer_loading"
  ).split(" ")
)

const toolsOf = (body: unknown): ReadonlyArray<unknown> =>
  typeof body === "object" && body !== null && "tools" in body && Array.isArray(body.tools) ? body.tools : none

const blocksOf = ({ messages }: CreateMessage): ReadonlyArray<ContentBlock> => {
  if (typeof messages === "string") return none
  const blocks: Array<ContentBlock> = []
  for (const { content } of messages) {
    if (typeof content === "string") continue
    for (const block of content) blocks.push(block)
  }
  return blocks
}

/** Cache breakpoints outside of messages. */
const isCached = ({ cache_control, system, tools }: CreateMessage): boolean =>
  isSet(cache_control) ||
  (typeof system !== "string" && (system ?? []).some((part) => isSet(part.cache_control))) ||
  (tools ?? []).some((tool) => isSet(tool.cache_control))

const isMarked = (block: ContentBlock): boolean =>
  ("cache_control" in block && isSet(block.cache_control)) ||
  (block.type === "tool_result" && typeof block.content !== "string" && (block.content ?? []).some(isMarked))

const wantsCitations = (block: ContentBlock): boolean =>
  (block.type === "document" || block.type === "search_result") && block.citations?.enabled === true

const isSet = (value: unknown): boolean => value !== undefined && value !== null
