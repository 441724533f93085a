import type { JsonObject } from "../../../contract/fields.ts"
import { FrameNames } from "../../framing/WholeFrames.ts"
import { isTextType, plainText } from "../documents.ts"
import { isObject, listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { anthropicId } from "../callIds.ts"
import { hourTokens } from "../../../generation/GenerationEvent.ts"
import type { Usage } from "../../../generation/GenerationEvent.ts"
import { isFrom, readOrigin } from "../../../generation/origin.ts"
import { signs } from "./messages.ts"
import { isBlank, withoutTrail } from "./blankText.ts"
import { asStream } from "./asStream.ts"
import { gathers } from "./asWhole.ts"
import { inlined } from "./inlined.ts"
import { completeMessage, completedEnd } from "./complete.ts"
import type { EventDialect } from "../../passthrough/Dialect.ts"

/** Messages to an upstream of the messages dialect. */
export const messagesDialect: EventDialect = {
  family: "messages",
  headers: ["anthropic-beta", "anthropic-version"],
  replyHeaders: [],
  body: (body, { upstreamModel, stream }, lost = () => {}) => ({
    ...body,
    model: upstreamModel,
    stream,
    async: undefined,
    messages:
      typeof body["messages"] === "string"
        ? [{ role: "user", content: body["messages"] }]
        : listAt(body, "messages")
            .map(message({ model: upstreamModel, lost }))
            .map(untrailed)
  }),
  inlined,
  // A frame without a name has its type inside.
  names: new FrameNames(["message_start", "message_delta", "message_stop", "error", "message"]),
  concerns: () => true,
  account: (answer) => {
    const content = answer["content"]
    if (!Array.isArray(content)) return answer
    return { ...answer, content: content.every((block) => textAt(block, "type") !== undefined) ? [] : undefined }
  },
  usageIn: (frame) =>
    frame["type"] === "message_start" ? "start" : frame["type"] === "message_delta" ? "totals" : undefined,
  isEmpty: (message) => listAt(message, "content").length === 0,
  begins: ({ type }) => type === "message_start" || type === "message_delta",
  usage: (usage) => ({
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    ...hourCaches(usage),
    output_tokens: usage.outputTokens,
    ...(usage.searches === 0 ? {} : { server_tool_use: { web_search_requests: usage.searches } })
  }),
  lacks: () => false,
  numbered: (frame) => frame,
  completed: completeMessage,
  completedEnd,
  asStream,
  isLast: ({ type }) => type === "message_stop" || type === "error",
  lastFrame: { event: "message_stop", data: '{"type":"message_stop"}' },
  gathers,
  answerIn: "message"
}

/** Only if there are any: most upstreams do not know this field. */
const hourCaches = (usage: Usage) => {
  const forAnHour = hourTokens(usage)
  const fiveMinutes = usage.cacheWriteTokens - forAnHour
  return forAnHour === 0
    ? {}
    : { cache_creation: { ephemeral_5m_input_tokens: fiveMinutes, ephemeral_1h_input_tokens: forAnHour } }
}

/** Converts blocks that only this gateway has, and drops blocks that it signed itself. */
const message =
  (to: Recipient) =>
  (message: unknown): unknown => {
    if (!isObject(message) || !Array.isArray(message["content"])) return message
    const content: ReadonlyArray<unknown> = message["content"]
    // Most blocks of a long history.
    if (content.every(isPlain) && !hasTwoResults(content)) return message
    const unread = new Set(content.flatMap((block) => (isSealedResult(block) ? [textAt(block, "tool_use_id")] : [])))
    if (unread.size > 0) to.lost("web_search_call")
    return {
      ...message,
      content: oneResultEach(content)
        .filter((block) => !isSealedResult(block) && !(isSearch(block) && unread.has(textAt(block, "id"))))
        .filter((block) => !isBlankText(block) || content.every(isBlankText))
        .flatMap(thinking(to))
        .map(block)
    }
  }

/** The last message, if it is the assistant's, without trailing white space. */
const untrailed = (message: unknown, index: number, all: ReadonlyArray<unknown>): unknown => {
  if (index < all.length - 1 || !isObject(message) || message["role"] !== "assistant") return message
  const { content } = message
  if (typeof content === "string") return { ...message, content: content.trimEnd() }
  return Array.isArray(content) && content.length > 0
    ? { ...message, content: [...content.slice(0, -1), withoutTrail(content.at(-1))] }
    : message
}

/** The requested model, and the notes of what is dropped. */
interface Recipient {
  readonly model: string
  readonly lost: (param: string) => void
}

/** Thinking goes back only to the model that signed it. The upstream judges thinking of unknown origin. */
const thinking =
  ({ lost, model }: Recipient) =>
  (block: unknown): ReadonlyArray<unknown> => {
    const field = { thinking: "signature", redacted_thinking: "data" }[textAt(block, "type") ?? ""]
    if (field === undefined || !isObject(block)) return [block]
    const signature = textAt(block, field) ?? ""
    const origin = readOrigin(signature)
    if (origin === undefined && signature !== "" && !isGateways(signature)) return [block]
    if (origin !== undefined && isFrom(origin, signs, model)) return [{ ...block, [field]: origin.opaque }]
    lost("reasoning")
    return []
  }

/** True for a block that needs no change. */
const isPlain = (block: unknown): boolean => {
  const type = textAt(block, "type")
  if (type === "tool_use") return hasLegalId(block)
  if (type === "tool_result") return hasLegalId(block) && !listAt(block, "content").some(isJpg)
  return (type === "image" && !isJpg(block)) || (type === "text" && !hasCitations(block) && !isBlankText(block))
}

const callId = { tool_use: "id", tool_result: "tool_use_id" } as const

/** False for a call of another route's server with an id that is not legal here. */
const hasLegalId = (block: unknown): boolean => {
  const id = textAt(block, "id") ?? textAt(block, "tool_use_id") ?? ""
  return anthropicId(id) === id
}

const resultOf = (block: unknown): string | undefined =>
  textAt(block, "type") === "tool_result" ? textAt(block, "tool_use_id") : undefined

const hasTwoResults = (content: ReadonlyArray<unknown>): boolean => {
  const results = content.flatMap((block) => resultOf(block) ?? [])
  return results.length > 1 && new Set(results).size < results.length
}

/** The dialect has one result for a call: further ones join the first. */
const oneResultEach = (content: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  if (!hasTwoResults(content)) return content
  const results = Map.groupBy(content, resultOf)
  return content.flatMap((block) => {
    const id = resultOf(block)
    const all = id === undefined ? undefined : results.get(id)
    if (all === undefined || all.length === 1) return [block]
    return block === all[0] && isObject(block) ? [joined(block, all.filter(isObject))] : []
  })
}

const joined = (first: JsonObject, all: ReadonlyArray<JsonObject>): JsonObject => ({
  ...first,
  content: all.flatMap(blocksOf),
  ...(all.some((block) => block["is_error"] === true) && { is_error: true })
})

const blocksOf = ({ content }: JsonObject): ReadonlyArray<unknown> =>
  typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : []

const isJpg = (block: unknown): boolean => textAt(objectAt(block, "source"), "media_type") === "image/jpg"

const jpeg = (block: unknown): unknown =>
  isJpg(block) && isObject(block)
    ? { ...block, source: { ...objectAt(block, "source"), media_type: "image/jpeg" } }
    : block

const isBlankText = (block: unknown): boolean => {
  const text = textAt(block, "type") === "text" ? textAt(block, "text") : undefined
  return text !== undefined && isBlank(text)
}

const hasCitations = (block: unknown): boolean => listAt(block, "citations").length > 0

const isSearch = (block: unknown) => textAt(block, "type") === "server_tool_use"

const isSealedResult = (block: unknown): boolean =>
  textAt(block, "type") === "web_search_tool_result" && listAt(block, "content").some(isOurs("encrypted_content"))

const isOurs = (key: string) => (value: unknown) => {
  const signature = textAt(value, key)
  return signature !== undefined && (signature === "" || isGateways(signature))
}

/** The messages family's signatures begin with `gateway:1`, in base64. */
const isGateways = (signature: string) => signature.startsWith("Z2F0ZXdheTox")

const block = (block: unknown): unknown => {
  if (!isObject(block)) return block
  const { data, media_type, ...rest } = block
  switch (block["type"]) {
    case "file":
      return file(rest, objectAt(block, "source") ?? {})
    case "file_data":
      return file(rest, { type: "base64", media_type, data })
    case "image":
      return jpeg(block)
    case "document":
      return { ...block, source: source(objectAt(block, "source") ?? {}) }
    case "tool_use":
    case "tool_result": {
      const key = callId[block["type"]]
      const { content } = block
      return {
        ...block,
        [key]: anthropicId(textAt(block, key) ?? ""),
        ...(Array.isArray(content) && { content: content.map(jpeg) })
      }
    }
    case "text": {
      const citations = listAt(block, "citations")
      return citations.some(isOurs("encrypted_index"))
        ? { ...block, citations: citations.filter((citation) => !isOurs("encrypted_index")(citation)) }
        : block
    }
    default:
      return block
  }
}

const file = (rest: JsonObject, from: JsonObject): JsonObject => {
  const isImage = textAt(from, "media_type")?.startsWith("image/") === true
  return { ...rest, type: isImage ? "image" : "document", source: isImage ? from : source(from) }
}

/** A text source holds plain text, not base64. */
const source = (from: JsonObject): JsonObject => {
  const mediaType = textAt(from, "media_type") ?? ""
  const data = textAt(from, "data") ?? ""
  if (from["type"] !== "base64" || !isTextType(mediaType)) return from
  return { type: "text", media_type: "text/plain", data: plainText({ type: "base64", mediaType, data }) ?? "" }
}
