import type { JsonObject } from "../../contract/fields.ts"
import { isObject, listAt, objectAt, parseJson, textAt } from "../../contract/json/json.ts"

/** The part of an answer that a thread stores. */
export interface Reply {
  readonly id: string
  readonly content: ReadonlyArray<unknown>
  readonly stop_reason: string | null
}

/** The reply in a whole JSON message; undefined if it is not a message. */
export const replyIn = (message: unknown): Reply | undefined => {
  const id = textAt(message, "id")
  if (id === undefined) return undefined
  return { id, content: listAt(message, "content"), stop_reason: textAt(message, "stop_reason") ?? null }
}

/**
 * The reply in a stream of server-sent events, assembled as clients do. Undefined if the stream is incomplete or has
 * unknown deltas, because half an answer cannot be continued.
 */
export const replyOfStream = (stream: string): Reply | undefined => {
  let id: string | undefined
  let stop_reason: string | null = null
  const content: Array<JsonObject> = []
  let open: OpenBlock | undefined
  for (const frame of framesIn(stream)) {
    switch (frame["type"]) {
      case "message_start":
        id = textAt(objectAt(frame, "message"), "id")
        break
      case "content_block_start":
        open = new OpenBlock(objectAt(frame, "content_block") ?? {})
        break
      case "content_block_delta":
        if (open?.take(objectAt(frame, "delta") ?? {}) !== true) return undefined
        break
      case "content_block_stop":
        if (open !== undefined) content.push(open.whole())
        open = undefined
        break
      case "message_delta":
        stop_reason = textAt(objectAt(frame, "delta"), "stop_reason") ?? stop_reason
        break
      case "message_stop":
        return id === undefined ? undefined : { id, content, stop_reason }
    }
  }
  return undefined
}

/** The JSON of each event. Every server of the dialect writes one line of data per event. */
function* framesIn(stream: string): Generator<JsonObject> {
  for (const line of stream.split(/[\r\n]+/)) {
    if (!line.startsWith("data:")) continue
    const frame = parseJson(line.slice(5))
    if (isObject(frame)) yield frame
  }
}

/** For each kind of delta, the field that it extends, in the block and in the delta. */
const texts: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature",
  compaction_delta: "content"
}

/** A block between its start and its stop. */
class OpenBlock {
  readonly #start: JsonObject
  readonly #texts = new Map<string, string>()
  readonly #citations: Array<unknown> = []
  #json = ""

  constructor(start: JsonObject) {
    this.#start = start
  }

  /** Returns true if the delta is of a known kind. */
  take(delta: JsonObject): boolean {
    const type = textAt(delta, "type") ?? ""
    const field = texts[type]
    if (field !== undefined) {
      this.#texts.set(
        field,
        (this.#texts.get(field) ?? textAt(this.#start, field) ?? "") + (textAt(delta, field) ?? "")
      )
    } else if (type === "input_json_delta") this.#json += textAt(delta, "partial_json") ?? ""
    else if (type === "citations_delta") this.#citations.push(delta["citation"])
    else return false
    return true
  }

  whole(): JsonObject {
    const input = this.#json === "" ? undefined : parseJson(this.#json)
    return {
      ...this.#start,
      ...Object.fromEntries(this.#texts),
      ...(isObject(input) ? { input } : {}),
      ...(this.#citations.length === 0 ? {} : { citations: this.#citations })
    }
  }
}
