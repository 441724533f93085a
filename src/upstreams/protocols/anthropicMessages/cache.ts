import type { JsonObject } from "../../../contract/fields.ts"
import type { Conversation } from "../../../generation/Conversation.ts"
import { hasMarks } from "../../../generation/cacheMarks.ts"
import { anHour, fiveMinutes, withMark } from "./marks.ts"
import type { MessageTurn } from "./messages.ts"

interface Prompt {
  readonly tools: ReadonlyArray<JsonObject>
  readonly system: ReadonlyArray<JsonObject>
  readonly turns: ReadonlyArray<MessageTurn>
}

/**
 * Adds cache marks for callers whose dialect has none because its providers cache automatically; without them every
 * turn of an agent's loop would pay for all earlier ones. It marks the tools, the system text and the last two user
 * turns, the four marks that the dialect allows, so that each request hits what the previous one wrote. A single
 * question gets no marks, since a write costs a quarter more than a plain read and nothing would read it, unless the
 * caller gives a cache key or a retention, or the upstream's entry caches everything.
 */
export const markPrompt = (conversation: Conversation, prompt: Prompt, cachesAll: boolean): Prompt => {
  if (!isToBeMarked(conversation, prompt.turns.length, cachesAll)) return prompt
  const { system, tools, turns } = prompt
  const users = turns.filter(({ role }) => role === "user").slice(-2)
  const mark: JsonObject = conversation.cacheRetention === "24h" ? anHour : fiveMinutes
  return {
    tools: withMark(tools, mark),
    system: withMark(system, mark),
    turns: turns.map((turn) => (users.includes(turn) ? { ...turn, content: withMark(turn.content, mark) } : turn))
  }
}

/** True if the gateway adds the marks: the caller has set none, and something is likely to read what they write. */
export const isToBeMarked = (conversation: Conversation, turns: number, cachesAll: boolean): boolean =>
  (cachesAll || (conversation.cachesByItself === true && goesOn(conversation, turns))) && !hasMarks(conversation)

/** True if a later request is likely to begin with all of this one. */
const goesOn = ({ cacheKey, cacheRetention, toolChoice, tools }: Conversation, turns: number): boolean =>
  cacheKey !== undefined ||
  cacheRetention !== undefined ||
  turns > 1 ||
  (tools.length > 0 && (toolChoice.type === "auto" || toolChoice.type === "required"))
