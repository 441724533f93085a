import type { Conversation, Item } from "../../src/generation/Conversation.ts"
import { conversation as bare, said } from "../generation/conversations.ts"

/** A conversation that asks for nothing special. */
export const conversation = (over: Partial<Conversation> = {}): Conversation =>
  bare({ model: "house-default", items: [user("Hi")], ...over })

export const user = (text: string): Item => said("user", text)
export const assistant = (text: string): Item => said("assistant", text)
export const system = (text: string): Item => said("system", text)
export const thought = (text: string, signature?: string): Item => ({
  type: "reasoning",
  text,
  signature,
  redacted: undefined,
  ...(signature !== undefined && { origin: { by: signature.startsWith("gAAAA") ? "openai" : "anthropic" } })
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
