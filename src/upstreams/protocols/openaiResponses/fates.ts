import type { FieldFates } from "../fieldFates.ts"
import { leftOutBy } from "../fieldFates.ts"

/** OpenAI's responses have no stop sequences, which the gateway searches. */
export const fates: FieldFates = {
  system: "carried",
  items: "in part",
  tools: "in part",
  toolChoice: "in part",
  parallelToolCalls: "in part",
  maxOutputTokens: "in part",
  stopSequences: "gateway",
  format: "in part",
  truncation: "carried",
  endUser: "in part",
  cacheKey: "carried",
  cacheRetention: "carried",
  cacheMarks: "left out",
  verbosity: "in part",
  serviceTier: "carried",
  logprobs: "in part",
  seed: "left out",
  penalties: "left out",
  modalities: "left out",
  audio: "left out",
  temperature: "in part",
  topP: "in part",
  topK: "left out",
  enabled: "in part",
  effort: "in part",
  budgetTokens: "in part",
  summary: "in part"
}

export const leftOut = leftOutBy(fates)
