import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, textAt } from "../../../contract/json/json.ts"

/** The frames that a whole response amounts to; undefined if it is not a response, or it failed. */
export const asStream = (response: JsonObject): ReadonlyArray<JsonObject> | undefined => {
  const status = response["status"] ?? "completed"
  if (!Array.isArray(response["output"]) || (status !== "completed" && status !== "incomplete")) return undefined
  const started = { ...response, status: "in_progress", output: [], usage: null, incomplete_details: null }
  const frames: ReadonlyArray<JsonObject> = [
    { type: "response.created", response: started },
    { type: "response.in_progress", response: started },
    ...listAt(response, "output").flatMap((item, at) => (isObject(item) ? itemFrames(item, at) : [])),
    { type: `response.${status}`, response: { ...response, status } }
  ]
  return frames.map((frame, sequence_number) => ({ ...frame, sequence_number }))
}

const itemFrames = (item: JsonObject, output_index: number): ReadonlyArray<JsonObject> => {
  const item_id = item["id"]
  const [start, between] = pieces(item)
  return [
    { type: "response.output_item.added", output_index, item: { ...item, ...start } },
    ...between.map((frame) => ({ ...frame, item_id, output_index })),
    { type: "response.output_item.done", output_index, item }
  ]
}

/** An item as it starts, and the frames that complete it. */
const pieces = (item: JsonObject): readonly [JsonObject, ReadonlyArray<JsonObject>] => {
  const status = "in_progress"
  switch (item["type"]) {
    case "message":
      return [{ status, content: [] }, listAt(item, "content").flatMap(partFrames)]
    case "function_call":
      return [{ status, arguments: "" }, callFrames("function_call_arguments", "arguments", item)]
    case "custom_tool_call":
      return [{ status, input: "" }, callFrames("custom_tool_call_input", "input", item)]
    case "reasoning":
      return [{ summary: [] }, listAt(item, "summary").flatMap(summaryFrames)]
    default:
      return [{}, []]
  }
}

const callFrames = (event: string, field: string, item: JsonObject): ReadonlyArray<JsonObject> => {
  const text = textAt(item, field) ?? ""
  return [
    { type: `response.${event}.delta`, delta: text },
    { type: `response.${event}.done`, [field]: text, ...(field === "arguments" && { name: item["name"] }) }
  ]
}

const partFrames = (part: unknown, content_index: number): ReadonlyArray<JsonObject> => {
  const [kind, field] = textAt(part, "type") === "refusal" ? ["refusal", "refusal"] : ["output_text", "text"]
  const text = textAt(part, field) ?? ""
  const logprobs = kind === "refusal" ? {} : { logprobs: [] }
  const empty =
    kind === "refusal" ? { type: kind, refusal: "" } : { type: kind, text: "", annotations: [], logprobs: [] }
  return [
    { type: "response.content_part.added", part: empty },
    { type: `response.${kind}.delta`, delta: text, ...logprobs },
    ...listAt(part, "annotations").map((annotation, annotation_index) => ({
      type: "response.output_text.annotation.added",
      annotation_index,
      annotation
    })),
    { type: `response.${kind}.done`, [field]: text, ...logprobs },
    { type: "response.content_part.done", part }
  ].map((frame) => ({ ...frame, content_index }))
}

const summaryFrames = (part: unknown, summary_index: number): ReadonlyArray<JsonObject> => {
  const text = textAt(part, "text") ?? ""
  return [
    { type: "response.reasoning_summary_part.added", part: { type: "summary_text", text: "" } },
    { type: "response.reasoning_summary_text.delta", delta: text },
    { type: "response.reasoning_summary_text.done", text: text },
    { type: "response.reasoning_summary_part.done", part }
  ].map((frame) => ({ ...frame, summary_index }))
}
