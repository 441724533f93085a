import type Anthropic from "@anthropic-ai/sdk"
import type OpenAI from "openai"
import type { Caller } from "./callers/Ask.ts"
import { chatCaller } from "./callers/chat.ts"
import { messagesCaller } from "./callers/messages.ts"
import { responsesCaller } from "./callers/responses.ts"

export const families = ["messages", "responses", "chat"] as const
export type Family = (typeof families)[number]

export interface Clients {
  readonly anthropic: Anthropic
  readonly openai: OpenAI
}

/** All callers, with the official client of the family. */
export const callersOf = ({ anthropic, openai }: Clients): Record<Family, Caller> => ({
  messages: messagesCaller(anthropic),
  responses: responsesCaller(openai),
  chat: chatCaller(openai)
})
