import type { JsonObject } from "../../contract/fields.ts"
import { FrameNames } from "../framing/WholeFrames.ts"
import { isTextType, plainText } from "../protocols/documents.ts"
import { isObject, listAt, objectAt, textAt } from "../protocols/json.ts"
import { signedBy } from "../protocols/signature.ts"
import type { Dialect } from "./Dialect.ts"

/** Messages to an upstream of the messages dialect. */
export const messages: Dialect = {
  family: "messages",
  headers: ["anthropic-beta", "anthropic-version"],
  body: (body, { upstreamModel, stream }) => ({
    ...body,
    model: upstreamModel,
    stream,
    async: undefined,
    messages:
      typeof body["messages"] === "string"
        ? [{ role: "user", content: body["messages"] }]
        : listAt(body, "messages").map(message)
  }),
  // A frame without a name says what it is inside.
  names: new FrameNames(["message_start", "message_delta", "message_stop", "error", "message"]),
  concerns: () => true,
  account: (answer) => (Array.isArray(answer["content"]) ? { ...answer, content: [] } : answer),
  answerIn: "message"
}

/** Blocks that only this gateway has become the upstream's; what the gateway sealed itself means nothing there. */
const message = (message: unknown): unknown => {
  if (!isObject(message) || !Array.isArray(message["content"])) return message
  const content: ReadonlyArray<unknown> = message["content"]
  // Long histories are nearly all of this kind.
  if (content.every(isPlain)) return message
  const lost = new Set(content.flatMap((block) => (isSealedResult(block) ? [textAt(block, "tool_use_id")] : [])))
  return {
    ...message,
    content: content
      .filter((block) => !isSealed(block) && !(isSearch(block) && lost.has(textAt(block, "id"))))
      .map(block)
  }
}

/** Goes as it came. */
const isPlain = (block: unknown): boolean => {
  const type = textAt(block, "type")
  return type === "tool_use" || type === "tool_result" || type === "image" || (type === "text" && !hasCitations(block))
}

const hasCitations = (block: unknown): boolean => listAt(block, "citations").length > 0

const isSearch = (block: unknown) => textAt(block, "type") === "server_tool_use"

const isSealed = (block: unknown): boolean =>
  (textAt(block, "type") === "thinking" && signedBy(textAt(block, "signature") ?? "") !== "anthropic") ||
  isSealedResult(block)

const isSealedResult = (block: unknown): boolean =>
  textAt(block, "type") === "web_search_tool_result" && listAt(block, "content").some(isOurs("encrypted_content"))

const isOurs = (key: string) => (value: unknown) => signedBy(textAt(value, key) ?? "anthropic") === "gateway"

const block = (block: unknown): unknown => {
  if (!isObject(block)) return block
  const { data, media_type, ...rest } = block
  switch (block["type"]) {
    case "file":
      return file(rest, objectAt(block, "source") ?? {})
    case "file_data":
      return file(rest, { type: "base64", media_type, data })
    case "document":
      return { ...block, source: source(objectAt(block, "source") ?? {}) }
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

/** Text is taken as text, not as base64. */
const source = (from: JsonObject): JsonObject => {
  const mediaType = textAt(from, "media_type") ?? ""
  const data = textAt(from, "data") ?? ""
  if (from["type"] !== "base64" || !isTextType(mediaType)) return from
  return { type: "text", media_type: "text/plain", data: plainText({ type: "base64", mediaType, data }) ?? "" }
}
