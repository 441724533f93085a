import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Conversation, Item } from "../generation/Conversation.ts"
import { countTokens, itemCounter, mostTokens } from "./tokens.ts"

/**
 * Fits a conversation into a context window. With `truncation: auto` it drops the oldest items; undefined if nothing
 * has to be dropped. System text, the last user message and the newest turn stay. A tool call is dropped with its
 * result and its turn's reasoning, so that no reference breaks. If the rest is still too long, the caller has to
 * shorten it.
 */
export const fitContext = (
  conversation: Conversation,
  contextTokens: number | undefined
): Conversation | InvalidRequest | undefined => {
  if (contextTokens === undefined || mostTokens(conversation) <= contextTokens) return undefined
  const tokens = countTokens(conversation)
  const excess = tokens - contextTokens
  if (excess <= 0) return undefined
  const fitting = conversation.truncation === "auto" ? withoutOldest(conversation, excess) : undefined
  return fitting ?? exceeds(tokens, contextTokens)
}

/** In OpenAI's words, with the numbers that Anthropic's clients read. */
const exceeds = (tokens: number, most: number) =>
  new InvalidRequest({
    param: "input",
    reason: "too_long",
    message: `Your input exceeds the context window of this model. Please adjust your input and try again. (${tokens} tokens > ${most} maximum)`
  })

/** Items that are dropped together: a user message, or an assistant turn with its tool results. */
interface Unit {
  readonly by: "user" | "assistant"
  /** The indices of its items in the conversation. */
  readonly positions: Array<number>
}

const withoutOldest = (conversation: Conversation, excess: number): Conversation | undefined => {
  const units = unitsOf(conversation.items)
  const lastUser = units.findLastIndex((unit) => unit.by === "user")
  const { items } = conversation
  const countItem = itemCounter(conversation)
  const dropped = new Set<number>()
  let left = excess
  let dropsUser = false
  for (const [index, unit] of units.entries()) {
    if (index === units.length - 1 || index === lastUser) {
      if (left <= 0) break
      dropsUser = false
      continue
    }
    // A history that began with a user message must still do so: providers insist on it.
    if (left <= 0 && !(dropsUser && unit.by === "assistant")) break
    dropsUser ||= unit.by === "user"
    for (const position of unit.positions) {
      const item = items[position]
      if (item === undefined) continue
      dropped.add(position)
      left -= countItem(item)
    }
  }
  return left > 0 ? undefined : { ...conversation, items: items.filter((_, position) => !dropped.has(position)) }
}

const unitsOf = (items: ReadonlyArray<Item>): ReadonlyArray<Unit> => {
  const units: Array<Unit> = []
  const turnOfCall = new Map<string, Unit>()
  /** The current assistant turn. */
  let turn: Unit | undefined
  const begin = (by: Unit["by"], position: number) => {
    const unit: Unit = { by, positions: [position] }
    units.push(unit)
    return unit
  }
  for (const [position, item] of items.entries()) {
    if (item.type === "message" && item.role === "system") continue
    if (item.type === "message" && item.role === "user") {
      turn = undefined
      begin("user", position)
    } else if (item.type === "tool-result") {
      turn = undefined
      const caller = turnOfCall.get(item.callId)
      if (caller === undefined) begin("user", position)
      else caller.positions.push(position)
    } else {
      if (turn === undefined) turn = begin("assistant", position)
      else turn.positions.push(position)
      if (item.type === "tool-call") turnOfCall.set(item.callId, turn)
    }
  }
  return units
}
