import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, objectAt } from "../../../contract/json/json.ts"

/**
 * A message with the fields that the dialect's clients need and compatible servers omit; the same object if it has them.
 * A cache that the server reports without its length is kept for five minutes, the dialect's default.
 */
export const completeMessage = (message: JsonObject): JsonObject => {
  if (isComplete(message)) return message
  const usage = counted(objectAt(message, "usage"), noTokens)
  return {
    type: "message",
    role: "assistant",
    stop_reason: null,
    stop_sequence: null,
    ...message,
    content: message["content"] ?? [],
    usage: { ...usage, cache_creation: objectAt(usage, "cache_creation") ?? forFiveMinutes(usage) }
  }
}

/**
 * The frame of a stream's stop reason, with the counts that the server told in the first frame; the same object if it
 * lacks none, or is another frame.
 */
export const completedEnd = (frame: JsonObject, begun: JsonObject | undefined): JsonObject => {
  if (frame["type"] !== "message_delta") return frame
  const [delta, usage] = [objectAt(frame, "delta"), objectAt(frame, "usage")]
  if (delta?.["stop_sequence"] !== undefined && hasCounts(usage)) return frame
  return { ...frame, delta: { stop_sequence: null, ...delta }, usage: counted(usage, begun) }
}

/** Usage with every count: those that are missing, or null, are the known ones. */
const counted = (usage: JsonObject | undefined, known: JsonObject | undefined): JsonObject => {
  const told: Record<string, unknown> = {}
  for (const name of tokenNames) told[name] = usage?.[name] ?? known?.[name] ?? 0
  return { ...usage, ...told }
}

const noTokens = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 }
const tokenNames = Object.keys(noTokens)

const forFiveMinutes = ({ cache_creation_input_tokens }: JsonObject): JsonObject => ({
  ephemeral_5m_input_tokens: cache_creation_input_tokens,
  ephemeral_1h_input_tokens: 0
})

/** Most upstreams report every field. */
const isComplete = (message: JsonObject): boolean => {
  const usage = objectAt(message, "usage")
  return (
    hasCounts(usage) &&
    isObject(usage?.["cache_creation"]) &&
    message["stop_sequence"] !== undefined &&
    message["stop_reason"] !== undefined &&
    message["type"] === "message" &&
    message["role"] === "assistant" &&
    Array.isArray(message["content"])
  )
}

const hasCounts = (usage: JsonObject | undefined): boolean => {
  if (usage === undefined) return false
  for (const name of tokenNames) if ((usage[name] ?? undefined) === undefined) return false
  return true
}
