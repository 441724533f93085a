import type { Item, ToolResultItem } from "../../generation/Conversation.ts"

/** Items with one result for each call, which all dialects require: further results join the first. */
export const oneResultEach = (items: ReadonlyArray<Item>): ReadonlyArray<Item> => {
  const joined: Array<Item> = []
  const places = new Map<string, number | undefined>()
  for (const item of items) {
    // Some servers use the same id in every turn.
    if (item.type === "tool-call") places.set(item.callId, undefined)
    const at = item.type === "tool-result" ? places.get(item.callId) : undefined
    const first = at === undefined ? undefined : joined[at]
    if (at !== undefined && item.type === "tool-result" && first?.type === "tool-result") {
      joined[at] = together(first, item)
      continue
    }
    if (item.type === "tool-result") places.set(item.callId, joined.length)
    joined.push(item)
  }
  return joined.length === items.length ? items : joined
}

const together = (one: ToolResultItem, other: ToolResultItem): ToolResultItem => ({
  ...one,
  content: [...one.content, ...other.content],
  isError: one.isError || other.isError
})
