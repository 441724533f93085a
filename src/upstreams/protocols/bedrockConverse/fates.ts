import type { FieldFates } from "../fieldFates.ts"

/** Sampling, caching and the end user depend on the model. */
export const fates: FieldFates = {
  system: "carried",
  items: "in part",
  tools: "in part",
  toolChoice: "in part",
  parallelToolCalls: "in part",
  maxOutputTokens: "in part",
  stopSequences: "in part",
  format: "in part",
  truncation: "gateway",
  endUser: "in part",
  cacheKey: "in part",
  cacheRetention: "in part",
  cacheMarks: "in part",
  verbosity: "left out",
  serviceTier: "in part",
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
