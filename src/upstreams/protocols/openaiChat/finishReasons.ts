import type { FinishReason } from "../../../generation/GenerationEvent.ts"

/** The finish reasons of chat servers, in lower case. `failed` is a failure of the upstream. */
const reasons: ReadonlyMap<string, FinishReason | "failed"> = new Map<string, FinishReason | "failed">([
  ["", "stop"],
  ["stop", "stop"],
  // Anthropic's, behind other gateways.
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  // Together, TGI, Cohere.
  ["eos", "stop"],
  ["eos_token", "stop"],
  ["complete", "stop"],
  ["tool_calls", "tool-calls"],
  ["tool_call", "tool-calls"],
  ["tool_use", "tool-calls"],
  ["function_call", "tool-calls"],
  ["length", "max-tokens"],
  // Gemini, Cohere, Anthropic behind other gateways.
  ["max_tokens", "max-tokens"],
  ["max_output_tokens", "max-tokens"],
  // Mistral.
  ["model_length", "context-exceeded"],
  ["model_context_window_exceeded", "context-exceeded"],
  ["content_filter", "refusal"],
  ["refusal", "refusal"],
  // Zhipu.
  ["sensitive", "refusal"],
  // Gemini.
  ["safety", "refusal"],
  ["recitation", "refusal"],
  ["blocklist", "refusal"],
  ["prohibited_content", "refusal"],
  ["spii", "refusal"],
  // Bedrock.
  ["guardrail_intervened", "refusal"],
  ["content_filtered", "refusal"],
  ["error", "failed"],
  // Zhipu, DeepSeek, vLLM.
  ["network_error", "failed"],
  ["insufficient_system_resource", "failed"],
  ["abort", "failed"],
  // Gemini, Bedrock.
  ["malformed_function_call", "failed"],
  ["malformed_tool_use", "failed"],
  ["malformed_model_output", "failed"]
])

/** The meaning of a finish reason; undefined if it is unknown. */
export const finishReasonOf = (finish: string): FinishReason | "failed" | undefined => reasons.get(finish.toLowerCase())
