import type { FieldFates } from "../fieldFates.ts"

/** A cache key and a retention become cache marks. */
export const fates: FieldFates = {
  system: "carried",
  items: "in part",
  tools: "in part",
  toolChoice: "in part",
  parallelToolCalls: "in part",
  maxOutputTokens: "carried",
  stopSequences: "carried",
  format: "in part",
  truncation: "gateway",
  endUser: "in part",
  cacheKey: "carried",
  cacheRetention: "carried",
  cacheMarks: "in part",
  verbosity: "left out",
  serviceTier: "left out",
  logprobs: "left out",
  seed: "left out",
  penalties: "left out",
  modalities: "left out",
  audio: "left out",
  temperature: "in part",
  topP: "in part",
  topK: "in part",
  enabled: "in part",
  effort: "in part",
  budgetTokens: "in part",
  summary: "gateway"
}
