import { createHash } from "node:crypto"
import type { JsonObject } from "../contract/fields.ts"
import { countAt, textAt } from "../contract/json/json.ts"
import { Unknown } from "../contract/Unknown.ts"
import type { ReasoningItem } from "../generation/Conversation.ts"
import { reasoningItem } from "../generation/origin.ts"
import type { AnswerMessage } from "./Completion.ts"
import type { InputMessage } from "./InputMessage.ts"

/** Marks reasoning written by the gateway, with the only model that accepts it back. */
const format = (model: string) => `${mark}${model}`
const mark = "model-gateway:"

/** The characters of content and the calls in front of a message's reasoning. */
export interface Place {
  readonly content: number
  readonly tool_calls: number
}

const inFront: Place = { content: 0, tool_calls: 0 }

/** Signed reasoning, as clients return it in `reasoning_details`. */
export const sealReasoning = (model: string, text: string, signature: string, after = inFront): JsonObject => ({
  type: "reasoning.text",
  text,
  signature,
  format: format(model),
  ...placed(after)
})

/** Redacted reasoning, which is not readable. */
export const redactedReasoning = (model: string, data: string, after = inFront): JsonObject => ({
  type: "reasoning.encrypted",
  data,
  format: format(model),
  ...placed(after)
})

/** Reasoning in front of everything else, which is usual, needs no place. */
const placed = (after: Place) => (after.content + after.tool_calls === 0 ? {} : { after })

/** True if an entry of `reasoning_details` is the gateway's own. Other servers of the dialect write theirs. */
export const isOurs = (detail: unknown): boolean => textAt(detail, "format")?.startsWith(mark) === true

/** True if a piece of `reasoning_details` is the gateway's own, of another model. */
export const isForeign =
  (model: string) =>
  (detail: unknown): boolean =>
    isOurs(detail) && textAt(detail, "format") !== format(model)

/** Signed reasoning that the gateway stored, by the key of its message (`sealName`). */
export type KeptSeals = ReadonlyMap<string, ReadonlyArray<JsonObject>>

/** The keys of calls that came back without their reasoning. The gateway may have stored it. */
export const unsealedCalls = (messages: ReadonlyArray<InputMessage>): ReadonlyArray<string> =>
  messages.flatMap((message, index) => {
    const { function_call, reasoning_details, tool_calls } = message
    if ((function_call ?? tool_calls ?? undefined) === undefined || reasoning_details?.some(isOurs) === true) return []
    return sealName(message, messages[index - 1]) ?? []
  })

/** The fields that identify a message with calls. */
interface Calling {
  readonly tool_calls?: InputMessage["tool_calls"] | AnswerMessage["tool_calls"]
  readonly function_call?: InputMessage["function_call"]
}

/**
 * The key under which the reasoning of a message's calls is stored: the id of the first call, or for a legacy function
 * call, which has no id, a hash of the call and the previous message.
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

/** Reasoning with its place among a message's content and calls. */
export interface PlacedReasoning {
  readonly item: ReasoningItem
  readonly after: Place
}

/**
 * The reasoning of an assistant's message: signed entries for the model that signed them, from the client or the store;
 * otherwise the readable text.
 */
export const reasoningOf = (
  message: InputMessage,
  before: InputMessage | undefined,
  model: string,
  kept: KeptSeals
): ReadonlyArray<PlacedReasoning> => {
  const sealed = (details: ReadonlyArray<JsonObject>) =>
    details.filter((detail) => isOurs(detail) && detail["format"] === format(model))
  const sent = sealed(message.reasoning_details ?? [])
  const details = sent.length > 0 ? sent : sealed(kept.get(sealName(message, before) ?? "") ?? [])
  const text = message.reasoning_content ?? ""
  if (details.length > 0) return details.map((detail) => ({ item: itemOf(detail), after: placeOf(detail["after"]) }))
  if (text === "") return []
  return [{ item: { type: "reasoning", text, signature: undefined, redacted: undefined }, after: inFront }]
}

const placeOf = (after: unknown): Place => ({
  content: countAt(after, "content") || 0,
  tool_calls: countAt(after, "tool_calls") || 0
})

const itemOf = (detail: JsonObject): ReasoningItem =>
  reasoningItem({
    text: textAt(detail, "text") ?? "",
    signature: textAt(detail, "signature"),
    redacted: textAt(detail, "data")
  })
