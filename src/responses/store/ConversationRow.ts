import { Schema } from "effect"
import { isJsonObject } from "../../contract/fields.ts"
import { rows } from "../../sql/decode.ts"
import type { StoredItem } from "../InputItem.ts"

/** Only the outline is checked, as of responses: the items were decoded when they came. */
const Item = Schema.declare((value: unknown): value is StoredItem => isJsonObject(value)).annotations({
  identifier: "an item"
})

export const conversations = rows("conversations", {
  id: Schema.String,
  metadata: Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String })),
  items: Schema.Int,
  bytes: Schema.Int,
  last: Schema.Int,
  held_by: Schema.NullOr(Schema.String),
  created_at: Schema.Int
})
export type ConversationRow = ReturnType<typeof conversations.one>

export const conversationItems = rows("conversation_items", {
  item_id: Schema.String,
  place: Schema.Int,
  item: Schema.parseJson(Item)
})

/** The id of an item alone. */
export const itemIds = rows("conversation_items", { item_id: Schema.String })

/** The last number of a conversation's items. */
export const lasts = rows("conversations", { last: Schema.Int })
