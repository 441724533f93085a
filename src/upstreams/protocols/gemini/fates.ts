import type { FieldFates } from "../fieldFates.ts"
import { leftOutBy } from "../fieldFates.ts"

/** Google's dialect caches by itself, and knows no end user. */
export const fates: FieldFates = {
  system: "carried",
  items: "in part",
  tools: "in part",
  toolChoice: "in part",
  parallelToolCalls: "in part",
  maxOutputTokens: "carried",
  stopSequences: "in part",
  format: "in part",
  truncation: "gateway",
  endUser: "left out",
  cacheKey: "left out",
  cacheRetention: "left out",
  cacheMarks: "left out",
  verbosity: "left out",
  serviceTier: "in part",
  logprobs: "in part",
  seed: "carried",
  penalties: "in part",
  modalities: "in part",
  audio: "carried",
  temperature: "carried",
  topP: "carried",
  topK: "carried",
  enabled: "in part",
  effort: "in part",
  budgetTokens: "in part",
  summary: "carried"
}

export const leftOut = leftOutBy(fates)
