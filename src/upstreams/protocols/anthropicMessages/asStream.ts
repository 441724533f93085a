import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, objectAt, textAt } from "../../../contract/json/json.ts"

/** The frames that a whole message amounts to; undefined if it is not a message. */
export const asStream = (message: JsonObject): ReadonlyArray<JsonObject> | undefined => {
  if (!Array.isArray(message["content"])) return undefined
  const { content: _, stop_reason, stop_sequence = null, usage, ...rest } = message
  const started = { ...rest, content: [], stop_reason: null, stop_sequence: null, usage }
  return [
    { type: "message_start", message: started },
    ...listAt(message, "content").flatMap((content, index) => (isObject(content) ? block(content, index) : [])),
    { type: "message_delta", delta: { stop_reason, stop_sequence }, usage },
    { type: "message_stop" }
  ]
}

const block = (content: JsonObject, index: number): ReadonlyArray<JsonObject> => {
  const [start, deltas] = pieces(content)
  return [
    { type: "content_block_start", index, content_block: { ...content, ...start } },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index }
  ]
}

/** A block as it starts, and the deltas that complete it. Other kinds of blocks come whole. */
const pieces = (content: JsonObject): readonly [JsonObject, ReadonlyArray<JsonObject>] => {
  switch (content["type"]) {
    case "text": {
      const citations = listAt(content, "citations").map((citation) => ({ type: "citations_delta", citation }))
      const empty = citations.length === 0 ? { text: "" } : { text: "", citations: [] }
      return [empty, [{ type: "text_delta", text: textAt(content, "text") ?? "" }, ...citations]]
    }
    case "thinking": {
      const signature = textAt(content, "signature") ?? ""
      return [
        { thinking: "", signature: "" },
        [
          { type: "thinking_delta", thinking: textAt(content, "thinking") ?? "" },
          ...(signature === "" ? [] : [{ type: "signature_delta", signature }])
        ]
      ]
    }
    case "tool_use":
    case "server_tool_use":
      return [
        { input: {} },
        [{ type: "input_json_delta", partial_json: JSON.stringify(objectAt(content, "input") ?? {}) }]
      ]
    default:
      return [{}, []]
  }
}
