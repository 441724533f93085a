import type { FinishReason } from "../../../generation/GenerationEvent.ts"

/** The finish reasons. `failed` is a failure of the model, which may succeed the next time. */
const reasons: ReadonlyMap<string, FinishReason | "failed"> = new Map<string, FinishReason | "failed">([
  ["STOP", "stop"],
  ["MAX_TOKENS", "max-tokens"],
  ["SAFETY", "refusal"],
  ["RECITATION", "refusal"],
  ["LANGUAGE", "refusal"],
  ["BLOCKLIST", "refusal"],
  ["PROHIBITED_CONTENT", "refusal"],
  ["SPII", "refusal"],
  ["MODEL_ARMOR", "refusal"],
  ["IMAGE_SAFETY", "refusal"],
  ["IMAGE_PROHIBITED_CONTENT", "refusal"],
  ["IMAGE_RECITATION", "refusal"],
  ["IMAGE_OTHER", "failed"],
  ["NO_IMAGE", "failed"],
  ["MALFORMED_FUNCTION_CALL", "failed"],
  ["MALFORMED_RESPONSE", "failed"],
  ["UNEXPECTED_TOOL_CALL", "failed"],
  ["TOO_MANY_TOOL_CALLS", "failed"],
  ["MISSING_THOUGHT_SIGNATURE", "failed"]
])

/** The meaning of a finish reason; undefined if it is unknown (`OTHER` too). */
export const finishReasonOf = (finish: string): FinishReason | "failed" | undefined => reasons.get(finish)
