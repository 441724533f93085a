import type { JsonObject } from "../../../src/contract/fields.ts"
import { openaiChat } from "../../../src/upstreams/protocols/openaiChat/openaiChat.ts"
import { providers } from "../../../src/upstreams/protocols/openaiChat/compatible.ts"

export const chat = openaiChat(providers.openai)

export const delta = (delta: JsonObject, rest: JsonObject = {}): JsonObject => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason: null, ...rest }]
})

export const finish = (reason: string, rest: JsonObject = {}) => delta({}, { finish_reason: reason, ...rest })

export const opened = (index: number, id: string, name: string, text = "") =>
  delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: text } }] })
