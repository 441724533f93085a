import type { Conversation, Item } from "../../src/generation/Conversation.ts"

/** A conversation with nothing asked for but what the test gives. */
export const conversation = (given: Partial<Conversation>): Conversation => ({
  model: "sandbox-text",
  system: [],
  items: [],
  tools: [],
  toolChoice: { type: "auto" },
  parallelToolCalls: true,
  reasoning: { enabled: undefined, effort: undefined, budgetTokens: undefined, summary: undefined },
  sampling: { temperature: undefined, topP: undefined, topK: undefined },
  maxOutputTokens: undefined,
  stopSequences: [],
  format: { type: "text" },
  truncation: "disabled",
  endUser: undefined,
  cacheKey: undefined,
  ...given
})

/** A message of one text. */
export const said = (role: "user" | "assistant" | "system", text: string): Item => ({
  type: "message",
  role,
  content: [{ type: "text", text }]
})
