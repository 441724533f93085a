import type { SqlClient } from "@effect/sql"
import type { Fragment } from "@effect/sql/Statement"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect } from "effect"
import type { Holder } from "../../contract/callers/Caller.ts"
import type { NotFound } from "../../contract/failures/Failure.ts"
import { mostConversationBytes } from "../../generation/mostBytes.ts"
import { ofKeys } from "../../sql/ofKeys.ts"
import type { ConversationItem } from "../conversations/newItems.ts"
import { conversations, itemIds } from "./ConversationRow.ts"
import type { ConversationRow } from "./ConversationRow.ts"
import { unknownConversation } from "./refusals.ts"

/** The most items of a conversation. */
const mostItems = 10_000

/** Rows or ids in one statement. */
const atOnce = 200

/** The statements that both users of conversations share: the API, and responses. */
export const conversationTable = (sql: SqlClient.SqlClient, retentionMs: number) => {
  /** The conversations that a holder reaches. */
  const reached = ({ account, person }: Holder, nowMs: number): Fragment =>
    sql.and([sql`account_id = ${account}`, ...ofKeys(sql, person?.keys), sql`expires_at > ${nowMs}`])

  const find = (holder: Holder, id: string): Effect.Effect<ConversationRow, NotFound> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      sql`SELECT * FROM conversations WHERE id = ${id} AND ${reached(holder, now)}`.pipe(
        Effect.orDie,
        Effect.flatMap((found) => {
          const row = conversations.first(found)
          return row === undefined ? Effect.fail(unknownConversation(id)) : Effect.succeed(row)
        })
      )
    )

  /** The changed columns of a conversation that gets items, and is kept from now on. */
  const growth = (items: ReadonlyArray<ConversationItem>, nowMs: number): Fragment => {
    const count = items.length
    return sql`last = last + ${count}, items = items + ${count}, bytes = bytes + ${bytesOf(items)},
      expires_at = ${expiry(nowMs)}`
  }

  const expiry = (nowMs: number): number => nowMs + retentionMs

  /** The ids of these that the conversation has already. */
  const known = Effect.fnUntraced(function* (
    id: string,
    items: ReadonlyArray<ConversationItem>
  ): Effect.fn.Return<ReadonlySet<string>, SqlError> {
    const all = new Set<string>()
    for (const some of partsOf(items)) {
      const ids = some.map((one) => one.id)
      const found = yield* sql`SELECT item_id FROM conversation_items
        WHERE conversation_id = ${id} AND ${sql.in("item_id", ids)}`
      for (const { item_id } of itemIds.all(found)) all.add(item_id)
    }
    return all
  })

  /** @param last the number of the last item before these */
  const insert = (id: string, last: number, items: ReadonlyArray<ConversationItem>): Effect.Effect<void, SqlError> => {
    const rows = items.map((one, index) => ({
      conversation_id: id,
      place: last + 1 + index,
      item_id: one.id,
      item: JSON.stringify(one.item)
    }))
    return Effect.forEach(partsOf(rows), (some) => sql`INSERT INTO conversation_items ${sql.insert(some)}`, {
      discard: true
    })
  }

  return { reached, find, expiry, growth, known, insert } as const
}

export type ConversationTable = ReturnType<typeof conversationTable>

/** True if nothing more may be added. */
export const isFull = ({ bytes, items }: Pick<ConversationRow, "bytes" | "items">): boolean =>
  bytes > mostConversationBytes || items > mostItems

export const bytesOf = (items: ReadonlyArray<ConversationItem>): number =>
  items.reduce((sum, { item }) => sum + Buffer.byteLength(JSON.stringify(item)), 0)

const partsOf = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / atOnce) }, (_, part) => all.slice(part * atOnce, (part + 1) * atOnce))
