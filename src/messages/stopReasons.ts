import type { FinishReason } from "../generation/GenerationEvent.ts"
import type { StopReason } from "./Message.ts"

export const stopReasons: Record<FinishReason, StopReason> = {
  stop: "end_turn",
  "max-tokens": "max_tokens",
  "stop-sequence": "stop_sequence",
  "tool-calls": "tool_use",
  refusal: "refusal",
  "context-exceeded": "model_context_window_exceeded",
  pause: "pause_turn"
}
