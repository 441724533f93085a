import type { Conversation, Item } from "../../src/generation/Conversation.ts"

/** A conversation that asks for nothing special. */
export const conversation = (over: Partial<Conversation> = {}): Conversation => ({
  model: "house-default",
  system: [],
  items: [user("Hi")],
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
  ...over
})

export const user = (text: string): Item => ({ type: "message", role: "user", content: [{ type: "text", text }] })
export const assistant = (text: string): Item => ({
  type: "message",
  role: "assistant",
  content: [{ type: "text", text }]
})
export const system = (text: string): Item => ({ type: "message", role: "system", content: [{ type: "text", text }] })
export const thought = (text: string, signature?: string): Item => ({
  type: "reasoning",
  text,
  signature,
  redacted: undefined
})
export const call = (callId: string, name: string, args: string, kind: "function" | "custom" = "function"): Item => ({
  type: "tool-call",
  callId,
  name,
  arguments: args,
  kind
})
export const result = (callId: string, text: string, isError = false): Item => ({
  type: "tool-result",
  callId,
  content: [{ type: "text", text }],
  isError
})

export const weather = {
  type: "function",
  name: "get_weather",
  description: "The weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  strict: undefined
} as const

export const search = {
  type: "search",
  name: "web_search",
  allowedDomains: undefined,
  blockedDomains: undefined,
  maxUses: undefined,
  contextSize: "medium",
  location: undefined
} as const

export const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
