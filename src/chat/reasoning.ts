import { createHash } from "node:crypto"
import type { JsonObject } from "../contract/fields.ts"
import { textAt } from "../contract/json.ts"
import { Unknown } from "../contract/Unknown.ts"
import type { ReasoningItem } from "../generation/Conversation.ts"
import { reasoningItem } from "../generation/origin.ts"
import type { AnswerMessage } from "./Completion.ts"
import type { InputMessage } from "./InputMessage.ts"

/** Marks what the gateway wrote, with the model that takes it back: no other accepts it. */
const format = (model: string) => `${mark}${model}`
const mark = "model-gateway:"

/** A signed piece of reasoning, as clients send it back in `reasoning_details`. */
export const sealed = (model: string, text: string, signature: string): JsonObject => ({
  type: "reasoning.text",
  text,
  signature,
  format: format(model)
})

/** Reasoning that nobody can read. */
export const redacted = (model: string, data: string): JsonObject => ({
  type: "reasoning.encrypted",
  data,
  format: format(model)
})

/** Whether a piece of `reasoning_details` is the gateway's own: other servers of the dialect have theirs. */
export const isOurs = (detail: unknown): boolean => textAt(detail, "format")?.startsWith(mark) === true

/** Sealed pieces that the gateway kept, by what their message is known by (`sealName`). */
export type KeptSeals = ReadonlyMap<string, ReadonlyArray<JsonObject>>

/** The calls whose reasoning did not come back with them: the gateway may have kept it. */
export const unsealedCalls = (messages: ReadonlyArray<InputMessage>): ReadonlyArray<string> =>
  messages.flatMap((message, index) =>
    message.reasoning_details?.some(isOurs) === true ? [] : (sealName(message, messages[index - 1]) ?? [])
  )

/** As much of a message as tells which one it is. */
interface Calling {
  readonly tool_calls?: InputMessage["tool_calls"] | AnswerMessage["tool_calls"]
  readonly function_call?: InputMessage["function_call"]
}

/**
 * What the reasoning behind a message's calls is kept by: the id of the first, or of a function of old, which has none,
 * what was called and what was said before.
 */
export const sealName = (
  { function_call, tool_calls }: Calling,
  before: InputMessage | undefined
): string | undefined => {
  const [call] = tool_calls ?? []
  if (call !== undefined) return call instanceof Unknown ? undefined : call.id
  if (function_call === undefined || function_call === null) return undefined
  const said = JSON.stringify([before?.role, before?.content, function_call.name, function_call.arguments])
  return `function:${createHash("sha256").update(said).digest("hex")}`
}

/**
 * What an assistant's message says of its reasoning: the sealed pieces for their own model, which the gateway has kept
 * where the client did not, else the readable text.
 */
export const reasoningOf = (
  message: InputMessage,
  before: InputMessage | undefined,
  model: string,
  kept: KeptSeals
): ReadonlyArray<ReasoningItem> => {
  const sealed = (details: ReadonlyArray<JsonObject>) =>
    details.filter((detail) => isOurs(detail) && detail["format"] === format(model))
  const sent = sealed(message.reasoning_details ?? [])
  const details = sent.length > 0 ? sent : sealed(kept.get(sealName(message, before) ?? "") ?? [])
  const text = message.reasoning_content ?? ""
  if (details.length > 0) return details.map(itemOf)
  return text === "" ? [] : [{ type: "reasoning", text, signature: undefined, redacted: undefined }]
}

const itemOf = (detail: JsonObject): ReasoningItem =>
  reasoningItem({
    text: textAt(detail, "text") ?? "",
    signature: textAt(detail, "signature"),
    redacted: textAt(detail, "data")
  })
