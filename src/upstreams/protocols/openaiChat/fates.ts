import type { FieldFates } from "../fieldFates.ts"
import type { Provider } from "./Provider.ts"

/** The fates at a server of chat completions, by its row. */
export const fatesAt = ({ cacheKey, carries, endUser, topK }: Provider): FieldFates => ({
  system: "carried",
  items: "in part",
  tools: "in part",
  toolChoice: "in part",
  parallelToolCalls: "in part",
  maxOutputTokens: "carried",
  stopSequences: "in part",
  format: "in part",
  truncation: "gateway",
  endUser: endUser === undefined ? "left out" : "in part",
  cacheKey: cacheKey ? "carried" : "left out",
  cacheRetention: cacheKey ? "carried" : "left out",
  cacheMarks: "left out",
  verbosity: carries.has("verbosity") ? "in part" : "left out",
  serviceTier: carries.has("serviceTier") ? "carried" : "left out",
  logprobs: carries.has("logprobs") ? "in part" : "left out",
  seed: "left out",
  penalties: "left out",
  modalities: "left out",
  audio: carries.has("audio") ? "carried" : "left out",
  temperature: "in part",
  topP: "in part",
  topK: topK ? "in part" : "left out",
  enabled: "in part",
  effort: "in part",
  budgetTokens: "in part",
  summary: "gateway"
})
