import { Unknown } from "../../contract/Unknown.ts"
import { asSent } from "../../storedFiles/fileParts.ts"
import { isJsonObject } from "../../contract/fields.ts"
import { madeItemId, newResponseId } from "../ids.ts"
import type { InputItem, StoredItem } from "../InputItem.ts"

/** An item of a conversation. The caller's own item keeps its spelling, also without an id. */
export interface ConversationItem {
  readonly id: string
  readonly item: StoredItem
}

/** Items with the ids that they have, or those of a response's input. */
export const newItems = (
  items: ReadonlyArray<InputItem>,
  responseId = newResponseId()
): ReadonlyArray<ConversationItem> =>
  items.map((item, index) => {
    const plain = plainOf(asSent(item))
    const { id, type } = plain
    return { id: isItemId(id) ? id : madeItemId(responseId, type, index), item: plain }
  })

/** Ids of other forms are not kept: an index has no room for long ones. */
export const isItemId = (id: unknown): id is string => typeof id === "string" && id.length > 0 && id.length <= 128

/** The id that is there twice. */
export const repeatedId = (
  items: ReadonlyArray<ConversationItem>,
  known: ReadonlySet<string> = new Set()
): string | undefined => {
  const seen = new Set(known)
  return items.find(({ id }) => seen.size === seen.add(id).size)?.id
}

/** An item that only upstreams know is kept as it was sent. */
const plainOf = (item: InputItem): StoredItem => {
  if (!(item instanceof Unknown)) return item
  return isStored(item.sent) ? item.sent : nothing
}

const isStored = (sent: unknown): sent is StoredItem => isJsonObject(sent)

const nothing: StoredItem = { type: "message", role: "user", content: "" }
