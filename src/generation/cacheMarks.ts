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
 * A conversation with at most four marks, of which none of an hour comes behind one of five minutes. Of more, the earliest
 * go, first those of the items: a later mark covers all that stands before it.
 *
 * @param lost gets the name of what is left out
 */
export const fittedMarks = (conversation: Conversation, lost: (name: string) => void): Conversation =>
  inOrder(withinMostMarks(conversation, lost), lost)

const withinMostMarks = (conversation: Conversation, lost: (name: string) => void): Conversation => {
  let excess = marksIn(conversation) - mostMarks
  if (excess <= 0) return conversation
  lost("cache_control")
  const keep: Change = (mark) => (excess-- <= 0 ? mark : undefined)
  const items = conversation.items.map((item) => changed(item, keep))
  const systemMarks = systemChanged(conversation, keep)
  const tools = conversation.tools.map((tool) => remarked(tool, keep))
  return { ...conversation, items, systemMarks, tools }
}

/** In the order of a prompt: tools, system text, items. */
const inOrder = (conversation: Conversation, lost: (name: string) => void): Conversation => {
  if (!hasHourMark(conversation)) return conversation
  let hasShort = false
  let isChanged = false
  const shorten: Change = (mark) => {
    if (!isHour(mark)) hasShort = true
    if (!hasShort || !isHour(mark)) return mark
    isChanged = true
    return fiveMinutes
  }
  const tools = conversation.tools.map((tool) => remarked(tool, shorten))
  const systemMarks = systemChanged(conversation, shorten)
  const items = conversation.items.map((item) => changed(item, shorten))
  const whole = remarked(conversation, shorten)
  if (!isChanged) return conversation
  lost("cache_control.ttl")
  return { ...whole, items, systemMarks, tools }
}

const marksIn = ({ cacheMark, items, system, systemMarks, tools }: Conversation): number => {
  let count = cacheMark === undefined ? 0 : 1
  if (systemMarks !== undefined) for (const text of system) if (systemMarks.has(text)) count++
  for (const tool of tools) if (tool.cacheMark !== undefined) count++
  for (const item of items) {
    if ("cacheMark" in item && item.cacheMark !== undefined) count++
    if (item.type !== "message" && item.type !== "tool-result") continue
    for (const part of item.content) if (part.cacheMark !== undefined) count++
  }
  return count
}

type Change = (mark: CacheMark) => CacheMark | undefined

const changed = (item: Item, change: Change): Item => {
  if (item.type === "tool-call") return remarked(item, change)
  if (item.type !== "message" && item.type !== "tool-result") return item
  const content = item.content.map((part) => remarked(part, change))
  return item.type === "message" ? { ...item, content } : remarked({ ...item, content }, change)
}

/** Texts that are the same have one mark in the map, and are marked each. */
const systemChanged = ({ system, systemMarks = new Map() }: Conversation, change: Change) =>
  new Map(
    [...systemMarks].flatMap(([text, mark]) => {
      const marks = system.filter((one) => one === text).map(() => change(mark))
      const last = marks.at(-1)
      return last === undefined || marks.includes(undefined) ? [] : [[text, last] as const]
    })
  )

const remarked = <A extends Marked>(marked: A, change: Change): A =>
  marked.cacheMark === undefined ? marked : { ...marked, cacheMark: change(marked.cacheMark) }
