import { Schema } from "effect"

/** The requested part of a document: all its text, or its beginning. */
export const Wanted = Schema.Literal("text", "beginning")
export type Wanted = typeof Wanted.Type

/** A document's text and number of pages. */
export const Reading = Schema.Struct({ pages: Schema.Int, text: Schema.String })
export type Reading = typeof Reading.Type

/** The line of JSON before a document's bytes on the reader's standard input. */
export const Order = Schema.Struct({ bytes: Schema.Int, wanted: Wanted })
export type Order = typeof Order.Type

/** Reasons for which a document was not read. */
export const Unread = Schema.Literal("unreadable", "pages", "characters", "seconds", "memory")
export type Unread = typeof Unread.Type

/** A line of the reader's output: ready for orders, or the result of one. */
export const Line = Schema.Union(
  Schema.Struct({ ready: Schema.Literal(true) }),
  Schema.Struct({ read: Reading }),
  Schema.Struct({ unread: Unread })
)
export type Line = typeof Line.Type
