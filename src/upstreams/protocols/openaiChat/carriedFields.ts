import type { JsonObject } from "../../../contract/fields.ts"
import type { Conversation } from "../../../generation/Conversation.ts"
import type { Notes } from "../notes.ts"
import { traitsOf } from "../openaiResponses/models.ts"
import type { Provider } from "./Provider.ts"

/** Fields that OpenAI's dialects share. A server without them was not offered them (`Provider.carries`). */
export const carriedFields = (
  { logprobs, serviceTier, stopSequences, verbosity }: Conversation,
  model: string,
  { carries, maxStops }: Provider,
  notes: Notes
): JsonObject => {
  if (logprobs === undefined && serviceTier === undefined && verbosity === undefined) return {}
  const traits = traitsOf(model)
  const setsVerbosity = verbosity !== undefined && carries.has("verbosity")
  const asksLogprobs = logprobs !== undefined && carries.has("logprobs")
  // A text in which stop sequences are searched is cut elsewhere than between tokens.
  const tellsLogprobs = asksLogprobs && traits.sampling && stopSequences.length <= maxStops
  if (setsVerbosity && traits.verbosity !== true) notes.adapt(verbosity.param)
  if (asksLogprobs && !tellsLogprobs) notes.adapt(logprobs.param)
  return {
    ...(setsVerbosity && traits.verbosity === true && { verbosity: verbosity.value }),
    ...(serviceTier !== undefined && carries.has("serviceTier") && { service_tier: serviceTier }),
    ...(tellsLogprobs && { logprobs: true, ...(logprobs.value > 0 && { top_logprobs: logprobs.value }) })
  }
}
