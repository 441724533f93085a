import { unknownFields } from "../models/beyond.ts"
import type { Beyond } from "../models/beyond.ts"
import { isHostedBlock } from "./Blocks.ts"
import type { ContentBlock } from "./Blocks.ts"
import { CreateMessage } from "./Request.ts"
import { isHosted } from "./Tools.ts"
import type { Tool } from "./Tools.ts"

/** What a request asks for that its conversation does not say. */
export const beyond = (request: CreateMessage, body: unknown): ReadonlyArray<Beyond> => {
  const blocks = typeof request.messages === "string" ? [] : request.messages.flatMap(blocksOf)
  return [
    ...unknownFields(body, known),
    ...(request.tools ?? []).flatMap(hosted),
    // What such tools did in an earlier answer.
    ...blocks.filter(isHostedBlock).map(({ type }) => ({ param: `content.${type}` })),
    ...toolsOf(body).flatMap((tool) => unknownFields(tool, knownOfTools, "tools[].")),
    ...named("cache_control", isCached(request) || blocks.some(isMarked)),
    ...named("citations", blocks.some(wantsCitations))
  ]
}

const hosted = (tool: Tool, index: number): ReadonlyArray<Beyond> => {
  const param = `tools[${index}].type`
  return isHosted(tool) ? [{ param, refusal: `${param}: this model's upstream does not run ${tool.type}` }] : []
}

const named = (param: string, isAsked: boolean): ReadonlyArray<Beyond> => (isAsked ? [{ param }] : [])

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
  typeof body === "object" && body !== null && "tools" in body && Array.isArray(body.tools) ? body.tools : []

const blocksOf = ({ content }: Exclude<CreateMessage["messages"], string>[number]): ReadonlyArray<ContentBlock> =>
  typeof content === "string" ? [] : content

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
