import { chatAnswer } from "./chatAnswer.ts"
import { converseAnswer } from "./converseAnswer.ts"
import { geminiAnswer } from "./geminiAnswer.ts"
import { messagesAnswer } from "./messagesAnswer.ts"
import { responsesAnswer } from "./responsesAnswer.ts"
import type { Ask, Place } from "./rule.ts"
import type { Said } from "./said.ts"

const answers = {
  messages: messagesAnswer,
  converse: converseAnswer,
  gemini: geminiAnswer,
  responses: responsesAnswer,
  chat: chatAnswer
} as const

const wireOf = (place: Place): keyof typeof answers => {
  if (place === "bedrock-converse") return "converse"
  if (place.endsWith("gemini")) return "gemini"
  if (place.endsWith("responses")) return "responses"
  return place.includes("claude") || place === "anthropic" || place.startsWith("bedrock") ? "messages" : "chat"
}

/** What a model says, as the place tells it. */
export const answerTo = (ask: Ask, said: Said): Response => answers[wireOf(ask.place)](ask, said)
