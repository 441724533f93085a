import { isObject, textAt } from "../contract/json/json.ts"
import type { CacheMark, Conversation, Item, Marked, Part } from "./Conversation.ts"

/** The mark of a `cache_control` field; nothing if it is absent. */
export const markOf = (cacheControl: unknown): Marked =>
  isObject(cacheControl) ? { cacheMark: textAt(cacheControl, "ttl") === "1h" ? anHour : fiveMinutes } : none

const anHour: CacheMark = { ttl: "1h" }
const fiveMinutes: CacheMark = {}
const none: Marked = {}

/** Parts whose last one ends a cached prefix, if the block that they come from has a mark. */
export const markLast = (parts: ReadonlyArray<Part>, cacheControl: unknown): ReadonlyArray<Part> => {
  const last = parts.at(-1)
  return last === undefined || !isObject(cacheControl)
    ? parts
    : [...parts.slice(0, -1), { ...last, ...markOf(cacheControl) }]
}

/** True if the caller set cache marks itself. */
export const hasMarks = (conversation: Conversation): boolean => marksIn(conversation) > 0

/** True if one of the caller's marks asks for an entry that lives for an hour. */
export const hasHourMark = ({ cacheMark, items, systemMarks, tools }: Conversation): boolean => {
  if (isHour(cacheMark) || tools.some((tool) => isHour(tool.cacheMark))) return true
  for (const mark of systemMarks?.values() ?? []) if (isHour(mark)) return true
  return items.some((item) => {
    if ("cacheMark" in item && isHour(item.cacheMark)) return true
    if (item.type !== "message" && item.type !== "tool-result") return false
    return item.content.some((part) => isHour(part.cacheMark))
  })
}

const isHour = (mark: CacheMark | undefined): boolean => mark?.ttl === "1h"

/** The most marks that Claude's surfaces take in a request. */
const mostMarks = 4

/**
 * A conversation with at most four marks. Of more, the earliest go, first those of the items: a later mark covers all that
 * stands before it.
 */
export const withinMostMarks = (conversation: Conversation, lost: () => void): Conversation => {
  let excess = marksIn(conversation) - mostMarks
  if (excess <= 0) return conversation
  lost()
  const isKept = () => excess-- <= 0
  const items = conversation.items.map((item) => filtered(item, isKept))
  const systemMarks = new Map([...(conversation.systemMarks ?? [])].filter(isKept))
  const tools = conversation.tools.map((tool) => without(tool, isKept))
  return { ...conversation, items, systemMarks, tools }
}

const marksIn = ({ cacheMark, items, systemMarks, tools }: Conversation): number => {
  let count = (cacheMark === undefined ? 0 : 1) + (systemMarks?.size ?? 0)
  for (const tool of tools) if (tool.cacheMark !== undefined) count++
  for (const item of items) {
    if ("cacheMark" in item && item.cacheMark !== undefined) count++
    if (item.type !== "message" && item.type !== "tool-result") continue
    for (const part of item.content) if (part.cacheMark !== undefined) count++
  }
  return count
}

const filtered = (item: Item, isKept: () => boolean): Item => {
  if (item.type === "tool-call") return without(item, isKept)
  if (item.type !== "message" && item.type !== "tool-result") return item
  const content = item.content.map((part) => without(part, isKept))
  return item.type === "message" ? { ...item, content } : without({ ...item, content }, isKept)
}

const without = <A extends Marked>(marked: A, isKept: () => boolean): A =>
  marked.cacheMark === undefined || isKept() ? marked : { ...marked, cacheMark: undefined }
