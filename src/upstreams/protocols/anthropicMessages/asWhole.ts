import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, numberAt, objectAt, parseJson, textAt } from "../../../contract/json/json.ts"
import { unquoted } from "../quoted.ts"
import type { Gathering } from "../../passthrough/Dialect.ts"

type Grown = Record<string, unknown>

/** Builds the message that a stream amounts to. There is none if it broke off, or if a call in it did. */
export const gathers = (): Gathering => {
  const message: Grown = {}
  const blocks: Array<Grown> = []
  let failure: JsonObject | undefined
  let isOver = false
  return {
    add: (frame) => {
      if (isOver) return
      switch (frame["type"]) {
        case "error":
          failure = frame
          isOver = true
          break
        case "message_start":
          Object.assign(message, objectAt(frame, "message"))
          break
        case "content_block_start":
          blocks.push(copyOf(objectAt(frame, "content_block")))
          break
        case "content_block_delta": {
          const block = blocks[numberAt(frame, "index") ?? -1]
          if (block !== undefined) add(block, objectAt(frame, "delta") ?? {})
          break
        }
        case "message_delta":
          Object.assign(message, objectAt(frame, "delta"), {
            usage: { ...objectAt(message, "usage"), ...told(objectAt(frame, "usage")) }
          })
          break
        case "message_stop":
          isOver = true
      }
    },
    whole: () => {
      if (failure !== undefined) return failure
      // After its stop reason it lacks only its last frame.
      return isOver || textAt(message, "stop_reason") !== undefined ? wholeOf(message, blocks) : undefined
    }
  }
}

const wholeOf = (message: Grown, blocks: ReadonlyArray<Grown>): JsonObject | undefined => {
  const content = blocks.map(ended)
  return content.every(isObject) ? { ...message, content } : undefined
}

/** The counts that are there: null takes nothing back. */
const told = (usage: JsonObject = {}): JsonObject =>
  Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== null))

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
  const parsed = parseJson(unquoted(input))
  return isObject(parsed) ? { ...block, input: parsed } : undefined
}
