import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, numberAt, objectAt, parseJson, textAt } from "../../../contract/json.ts"

type Grown = Record<string, unknown>

/** The message that a stream amounts to; undefined if it broke off, or if a call in it did. */
export const asWhole = (frames: ReadonlyArray<JsonObject>): JsonObject | undefined => {
  const message: Grown = {}
  const blocks: Array<Grown> = []
  for (const frame of frames) {
    const block = blocks[numberAt(frame, "index") ?? -1]
    switch (frame["type"]) {
      case "error":
        return frame
      case "message_start":
        Object.assign(message, objectAt(frame, "message"))
        break
      case "content_block_start":
        blocks.push(copyOf(objectAt(frame, "content_block")))
        break
      case "content_block_delta":
        if (block !== undefined) add(block, objectAt(frame, "delta") ?? {})
        break
      case "message_delta":
        Object.assign(message, objectAt(frame, "delta"), {
          usage: { ...objectAt(message, "usage"), ...objectAt(frame, "usage") }
        })
        break
      case "message_stop":
        return wholeOf(message, blocks)
    }
  }
  // After its stop reason it lacks only its last frame.
  return textAt(message, "stop_reason") === undefined ? undefined : wholeOf(message, blocks)
}

const wholeOf = (message: Grown, blocks: ReadonlyArray<Grown>): JsonObject | undefined => {
  const content = blocks.map(ended)
  return content.every(isObject) ? { ...message, content } : undefined
}

/** A copy of the fields that grow. */
const copyOf = (block: JsonObject | undefined): Grown => {
  const citations = block?.["citations"]
  return Array.isArray(citations) ? { ...block, citations: [...citations] } : { ...block }
}

const add = (block: Grown, delta: JsonObject): void => {
  const grow = (field: string, piece: string) => {
    block[field] = (textAt(block, field) ?? "") + piece
  }
  switch (delta["type"]) {
    case "text_delta":
      return grow("text", textAt(delta, "text") ?? "")
    case "thinking_delta":
      return grow("thinking", textAt(delta, "thinking") ?? "")
    case "signature_delta":
      return grow("signature", textAt(delta, "signature") ?? "")
    case "input_json_delta":
      return grow(written, textAt(delta, "partial_json") ?? "")
    case "citations_delta": {
      const citations = block["citations"]
      if (Array.isArray(citations)) citations.push(delta["citation"])
      else block["citations"] = [delta["citation"]]
    }
  }
}

/** Holds a call's input while it grows. The space keeps it apart from any real field. */
const written = "input "

const ended = ({ [written]: input, ...block }: Grown): Grown | undefined => {
  if (typeof input !== "string" || input === "") return block
  const parsed = parseJson(input)
  return isObject(parsed) ? { ...block, input: parsed } : undefined
}
