import type { Item, ToolResultItem } from "../../generation/Conversation.ts"

/** Items with one result for each call, which all dialects require: further results join the first. */
export const oneResultEach = (items: ReadonlyArray<Item>): ReadonlyArray<Item> => {
  const groups: Array<Item | Array<ToolResultItem>> = []
  const results = new Map<string, Array<ToolResultItem>>()
  for (const item of items) {
    // Some servers use the same id in every turn.
    if (item.type === "tool-call") results.delete(item.callId)
    if (item.type !== "tool-result") {
      groups.push(item)
      continue
    }
    const others = results.get(item.callId)
    if (others !== undefined) {
      others.push(item)
      continue
    }
    const group = [item]
    results.set(item.callId, group)
    groups.push(group)
  }
  return groups.length === items.length
    ? items
    : groups.flatMap((one): ReadonlyArray<Item> => (Array.isArray(one) ? together(one) : [one]))
}

const together = (results: ReadonlyArray<ToolResultItem>): ReadonlyArray<ToolResultItem> => {
  const [first] = results
  if (first === undefined || results.length === 1) return results
  return [
    {
      ...first,
      content: results.flatMap(({ content }) => content),
      isError: results.some(({ isError }) => isError)
    }
  ]
}
