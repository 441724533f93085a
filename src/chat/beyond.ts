import { isObject } from "../contract/json/json.ts"
import { unknownIn } from "../contract/open.ts"
import { Unknown } from "../contract/Unknown.ts"
import { unknownFields } from "../dispatch/unsupported.ts"
import type { ContentPart } from "./Content.ts"
import { CreateCompletion } from "./Request.ts"
import { isHosted } from "./Tools.ts"

/** The size of the parts that only an upstream of this dialect understands. */
export const unknownBytes = (request: CreateCompletion): number | undefined => {
  const unknown = unknownIn(request)
  if (unknown.length === 0) return undefined
  return JSON.stringify(unknown).length - omittedBytes(unknown)
}

/**
 * True if the request has something, beside the tools of its conversation, with which the upstream may reach the web.
 * Servers of this dialect have many fields for it (`plugins`, `enable_search`, `search_parameters`, …).
 */
export const mayReachWeb = (request: CreateCompletion, body: unknown): boolean =>
  (request.tools ?? []).some((tool) => tool instanceof Unknown || isHosted(tool)) ||
  (unknownIn(request).length > 0 && partsOf(request).some((part) => part instanceof Unknown && !isMedia(part.sent))) ||
  isUnread(request, body) ||
  unknownFields(body, understood).length > 0

/** True if it may ask for a search in a field that the gateway does not know. */
const isUnread = (request: CreateCompletion, body: unknown): boolean =>
  (request.web_search_options ?? undefined) === undefined &&
  isObject(body) &&
  (body["web_search_options"] ?? undefined) !== undefined

/** Fields of servers that only concern sampling, reasoning or format. */
export const samplingOfServers = [
  "top_k",
  "min_p",
  "repetition_penalty",
  "min_tokens",
  "ignore_eos",
  "thinking",
  "enable_thinking",
  "thinking_budget",
  "chat_template_kwargs",
  "reasoning",
  "guided_json",
  "guided_regex",
  "guided_choice",
  "guided_grammar",
  "structured_outputs"
] as const

/** The contract's fields with those. */
const understood = new Set([...Object.keys(CreateCompletion.fields), ...samplingOfServers])

const partsOf = ({ messages }: CreateCompletion): ReadonlyArray<ContentPart> =>
  messages.flatMap(({ content }) => (typeof content === "string" ? [] : (content ?? [])))

/** True if a message holds the bytes of a document. Called for many requests that pass through, so it makes no lists. */
export const holdsDocuments = ({ messages }: CreateCompletion): boolean =>
  messages.some(({ content }) => Array.isArray(content) && content.some(isDocument))

const isDocument = (part: ContentPart): boolean =>
  part.type === "file" && "file" in part && typeof part.file.file_data === "string"

/** Audio and video parts (`video_url`, `audio_url`, `input_video`). */
const isMedia = (part: unknown): boolean =>
  isObject(part) && typeof part["type"] === "string" && /^(input_)?(audio|video)(_url)?$/.test(part["type"])

/**
 * Bytes to subtract: media in base64 are about one token per 25 bytes (like the pages of a document), not one per four.
 * Plain loops, because a callback for each of hundreds of thousands of values blocked the event loop.
 */
const omittedBytes = (value: unknown, key = ""): number => {
  if (typeof value === "string") {
    const isMedia = value.length > longText && (key === "data" || value.startsWith("data:"))
    return isMedia ? value.length - Math.ceil(value.length / 6) : 0
  }
  let bytes = 0
  if (Array.isArray(value)) {
    for (const one of value) if (typeof one === "object" || typeof one === "string") bytes += omittedBytes(one)
  } else if (value instanceof Unknown) bytes += omittedBytes(value.sent)
  else if (isObject(value)) for (const name in value) bytes += omittedBytes(value[name], name)
  return bytes
}

const longText = 1_000
