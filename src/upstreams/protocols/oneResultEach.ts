import type { Item, ToolCallItem, ToolResultItem } from "../../generation/Conversation.ts"

/**
 * Items with one result for each call, which all dialects require: further results join the first. Some servers use the
 * same id in every turn: calls get ids that differ.
 */
export const oneResultEach = (items: ReadonlyArray<Item>): ReadonlyArray<Item> => {
  let calls: CallNames | undefined
  const groups: Array<Item | Array<ToolResultItem>> = []
  const results = new Map<string, Array<ToolResultItem>>()
  for (const given of items) {
    const isCall = given.type === "tool-call" || given.type === "tool-result"
    const item = isCall ? (calls ??= new CallNames()).named(given) : given
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
  return groups.length === items.length && calls?.hasRepeats !== true
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

/** The ids of calls and their results, of which a later call with the same one has another. */
class CallNames {
  hasRepeats = false
  /** How often each id was a call's. */
  readonly #counts = new Map<string, number>()

  named(item: ToolCallItem | ToolResultItem): Item {
    const before = this.#counts.get(item.callId) ?? 0
    const count = item.type === "tool-call" ? before + 1 : before
    this.#counts.set(item.callId, count)
    if (count < 2) return item
    this.hasRepeats = true
    return { ...item, callId: `${item.callId}_${count}` }
  }
}
