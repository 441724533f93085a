import type { Conversation } from "../generation/Conversation.ts"
import type { CreateResponse } from "./CreateResponse.ts"
import type { ResponseObject } from "./ResponseObject.ts"
import { toolEntries } from "./toolEntries.ts"

/** A response's id and time of creation. */
export interface InitialFields {
  readonly id: string
  /** Unix seconds. */
  readonly createdAt: number
}

/** The response object of a new request: it repeats the request, with the defaults in effect. */
export const initialResponse = (
  request: CreateResponse,
  conversation: Pick<Conversation, "parallelToolCalls" | "reasoning" | "truncation">,
  birth: InitialFields
): ResponseObject => ({
  id: birth.id,
  object: "response",
  created_at: birth.createdAt,
  completed_at: null,
  status: "in_progress",
  background: request.background ?? false,
  content_filters: [],
  error: null,
  incomplete_details: null,
  instructions: request.instructions ?? null,
  max_output_tokens: request.max_output_tokens ?? null,
  max_tool_calls: request.max_tool_calls ?? null,
  model: request.model,
  output: [],
  parallel_tool_calls: conversation.parallelToolCalls,
  frequency_penalty: 0,
  presence_penalty: 0,
  temperature: request.temperature ?? 1,
  top_p: request.top_p ?? 1,
  previous_response_id: request.previous_response_id ?? null,
  prompt_cache_key: request.prompt_cache_key ?? null,
  prompt_cache_retention: request.prompt_cache_retention ?? null,
  safety_identifier: request.safety_identifier ?? null,
  user: request.user ?? null,
  reasoning: { effort: conversation.reasoning.effort ?? null, summary: conversation.reasoning.summary ?? null },
  service_tier: request.service_tier ?? "default",
  store: request.store ?? true,
  text: { format: request.text?.format ?? { type: "text" }, verbosity: request.text?.verbosity ?? "medium" },
  tool_choice: request.tool_choice ?? "auto",
  tools: toolEntries(request),
  top_logprobs: request.top_logprobs ?? 0,
  truncation: conversation.truncation,
  usage: null,
  metadata: request.metadata ?? {}
})
