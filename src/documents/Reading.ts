import { Schema } from "effect"

/** How much of a document is wanted: all its text, or how it begins. */
export const Wanted = Schema.Literal("text", "beginning")
export type Wanted = typeof Wanted.Type

/** What was read of a document. */
export const Reading = Schema.Struct({ pages: Schema.Int, text: Schema.String })
export type Reading = typeof Reading.Type

/** What stands before a document's bytes on the way to the process that reads it, as a line of JSON. */
export const Order = Schema.Struct({ bytes: Schema.Int, wanted: Wanted })
export type Order = typeof Order.Type

/** Why a document was not read. */
export const Unread = Schema.Literal("unreadable", "pages", "characters", "seconds", "memory")
export type Unread = typeof Unread.Type

/** A line of the process that reads: that it is ready for an order, or what came of one. */
export const Line = Schema.Union(
  Schema.Struct({ ready: Schema.Literal(true) }),
  Schema.Struct({ read: Reading }),
  Schema.Struct({ unread: Unread })
)
export type Line = typeof Line.Type
