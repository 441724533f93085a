import { isObject } from "../contract/json.ts"
import { unknownIn } from "../contract/open.ts"
import { Unknown } from "../contract/Unknown.ts"
import { unknownFields } from "../dispatch/unsupported.ts"
import type { ContentPart } from "./Content.ts"
import { CreateCompletion } from "./Request.ts"
import { isHosted } from "./Tools.ts"

/** How much there is of what only an upstream of this dialect understands. */
export const unknownBytes = (request: CreateCompletion): number | undefined => {
  const heard = partsOf(request).filter((part) => part.type === "input_audio")
  const unknown = unknownIn(request)
  if (heard.length + unknown.length === 0) return undefined
  return JSON.stringify([heard, unknown]).length - spared(heard) - spared(unknown)
}

/**
 * Whether the request has, beside the tools of its conversation, something with which its upstream may reach the web:
 * servers of this dialect spell that in many ways (`plugins`, `enable_search`, `search_parameters`, …).
 */
export const mayReachWeb = (request: CreateCompletion, body: unknown): boolean =>
  (request.tools ?? []).some((tool) => tool instanceof Unknown || isHosted(tool)) ||
  (unknownIn(request).length > 0 && partsOf(request).some((part) => part instanceof Unknown && !isMedia(part.sent))) ||
  isUnread(request, body) ||
  unknownFields(body, understood).length > 0

/** Whether it asks for a search in a way that the gateway does not read. */
const isUnread = (request: CreateCompletion, body: unknown): boolean =>
  (request.web_search_options ?? undefined) === undefined &&
  isObject(body) &&
  (body["web_search_options"] ?? undefined) !== undefined

/** Those of this contract, and what servers add that only samples, thinks or shapes the text. */
const understood = new Set([
  ...Object.keys(CreateCompletion.fields),
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
])

const partsOf = ({ messages }: CreateCompletion): ReadonlyArray<ContentPart> =>
  messages.flatMap(({ content }) => (typeof content === "string" ? [] : (content ?? [])))

/** Sounds and films of servers that take them (`video_url`, `audio_url`, `input_video`). */
const isMedia = (part: unknown): boolean =>
  isObject(part) && typeof part["type"] === "string" && /^(input_)?(audio|video)(_url)?$/.test(part["type"])

/**
 * Bytes that are not counted: media in base64 are about a token every 25 bytes (as a document's pages are), far from one
 * every four. Plain loops: hundreds of thousands of values, each shown to a function of ours, held everybody up.
 */
const spared = (value: unknown, key = ""): number => {
  if (typeof value === "string") {
    const isMedia = value.length > longText && (key === "data" || value.startsWith("data:"))
    return isMedia ? value.length - Math.ceil(value.length / 6) : 0
  }
  let bytes = 0
  if (Array.isArray(value)) {
    for (const one of value) if (typeof one === "object" || typeof one === "string") bytes += spared(one)
  } else if (value instanceof Unknown) bytes += spared(value.sent)
  else if (isObject(value)) for (const name in value) bytes += spared(value[name], name)
  return bytes
}

const longText = 1_000
