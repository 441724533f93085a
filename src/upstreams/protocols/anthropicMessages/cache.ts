import type { JsonObject } from "../../../contract/fields.ts"
import type { Conversation, Marked } from "../../../generation/Conversation.ts"
import { hasMarks } from "../../../generation/cacheMarks.ts"
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
export const marked = (conversation: Conversation, prompt: Prompt, cachesAll: boolean): Prompt => {
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

const fiveMinutes = { type: "ephemeral" }
/** The longest lifetime in the dialect. */
const anHour = { type: "ephemeral", ttl: "1h" }

/** True if the gateway adds the marks: the caller has set none, and something is likely to read what they write. */
export const isToBeMarked = (conversation: Conversation, turns: number, cachesAll: boolean): boolean =>
  (cachesAll || (conversation.cachesByItself === true && goesOn(conversation, turns))) && !hasMarks(conversation)

/** True if a later request is likely to begin with all of this one. */
const goesOn = ({ cacheKey, cacheRetention, toolChoice, tools }: Conversation, turns: number): boolean =>
  cacheKey !== undefined ||
  cacheRetention !== undefined ||
  turns > 1 ||
  (tools.length > 0 && (toolChoice.type === "auto" || toolChoice.type === "required"))

/** The dialect's form of the caller's mark. */
export const cacheControl = ({ cacheMark }: Marked): JsonObject =>
  cacheMark === undefined ? {} : { cache_control: cacheMark.ttl === undefined ? fiveMinutes : anHour }

/** Blocks whose last one has the caller's mark. */
export const markedLast = (blocks: Array<JsonObject>, { cacheMark }: Marked): Array<JsonObject> =>
  cacheMark === undefined ? blocks : withMark(blocks, cacheMark.ttl === undefined ? fiveMinutes : anHour)

const withMark = (blocks: ReadonlyArray<JsonObject>, mark: JsonObject): Array<JsonObject> =>
  blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, cache_control: mark } : block))
