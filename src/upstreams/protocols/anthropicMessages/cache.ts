import type { JsonObject } from "../../../contract/fields.ts"
import type { Conversation } from "../../../generation/Conversation.ts"
import type { MessageTurn } from "./messages.ts"

interface Prompt {
  readonly tools: ReadonlyArray<JsonObject>
  readonly system: ReadonlyArray<JsonObject>
  readonly turns: ReadonlyArray<MessageTurn>
}

/**
 * The prompt with marks up to where it is cached, for callers whose dialect has none because its services cache by
 * themselves: without marks every turn of an agent's loop would pay for all turns before it. The tools, the system text
 * and the last two of the user's turns are marked, four in all, which is what the dialect allows: each request finds what
 * the one before it wrote, however many results stand between. A single question is not marked: writing costs a quarter
 * more than reading, and nobody would read it; unless the caller gives it a key or says how long it is to be kept, and so
 * that others begin with it, or the upstream's entry says that all is to be cached.
 */
export const marked = (conversation: Conversation, prompt: Prompt, cachesAll: boolean): Prompt => {
  const isAsked = cachesAll || (conversation.cachesByItself === true && goesOn(conversation, prompt))
  if (!isAsked || isMarked(conversation)) return prompt
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
/** The longest that the dialect has. */
const anHour = { type: "ephemeral", ttl: "1h" }

/** Whether a later request is likely to begin with all of this one. */
const goesOn = ({ cacheKey, cacheRetention, toolChoice, tools }: Conversation, { turns }: Prompt): boolean =>
  cacheKey !== undefined ||
  cacheRetention !== undefined ||
  turns.length > 1 ||
  (tools.length > 0 && (toolChoice.type === "auto" || toolChoice.type === "required"))

/** Whether the caller has said itself what is to be cached. */
const isMarked = ({ items }: Conversation): boolean =>
  items.some(
    (item) => item.type === "message" && item.content.some((part) => part.type === "text" && part.cacheBreakpoint)
  )

const withMark = (blocks: ReadonlyArray<JsonObject>, mark: JsonObject): Array<JsonObject> =>
  blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, cache_control: mark } : block))
