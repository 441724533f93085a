import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Duration, Effect } from "effect"
import { Node } from "../../cluster/Node.ts"
import type { Holder } from "../../contract/callers/Caller.ts"
import type { Maker } from "../../contract/callers/Own.ts"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { NotFound } from "../../contract/failures/Failure.ts"
import { Commits } from "../../sql/Commits.ts"
import { isItemId, repeatedId } from "../conversations/newItems.ts"
import type { ConversationItem } from "../conversations/newItems.ts"
import { newConversationId } from "../ids.ts"
import type { ItemPageQuery } from "../itemPage.ts"
import { conversationItems, conversations } from "./ConversationRow.ts"
import type { ConversationRow } from "./ConversationRow.ts"
import { bytesOf, conversationTable, isFull } from "./conversationTable.ts"
import { makeHeldConversations } from "./heldConversations.ts"
import { conversationFull, conversationLocked, duplicateItem, unknownConversationItem } from "./refusals.ts"
import { ResponseRetention } from "./ResponseRetention.ts"

type Metadata = Readonly<Record<string, string>>

/** Conversations of accounts and their people. Those of others are unknown. */
export class ConversationStore extends Effect.Service<ConversationStore>()(
  "gateway/responses/store/ConversationStore",
  {
    dependencies: [Node.Default],
    scoped: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const commits = yield* Commits
      const table = conversationTable(sql, Duration.toMillis(yield* ResponseRetention))
      const { find, reached } = table
      const held = yield* makeHeldConversations(sql, table)

      const create = Effect.fnUntraced(function* (
        { account, key }: Maker,
        metadata: Metadata,
        items: ReadonlyArray<ConversationItem>
      ): Effect.fn.Return<ConversationRow, InvalidRequest> {
        const repeated = repeatedId(items)
        if (repeated !== undefined) return yield* duplicateItem(repeated)
        const now = yield* Clock.currentTimeMillis
        const row = {
          id: newConversationId(now),
          metadata: JSON.stringify(metadata),
          items: items.length,
          bytes: bytesOf(items),
          last: items.length,
          held_by: null,
          created_at: now
        }
        yield* commits
          .commit(
            Effect.zipRight(
              sql`INSERT INTO conversations
                ${sql.insert({ ...row, account_id: account, key_id: key, expires_at: table.expiry(now) })}`,
              table.insert(row.id, 0, items)
            )
          )
          .pipe(Effect.orDie)
        return { ...row, metadata }
      })

      const update = (holder: Holder, id: string, metadata: Metadata): Effect.Effect<ConversationRow, NotFound> =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          changed(
            holder,
            id,
            sql`UPDATE conversations SET metadata = ${JSON.stringify(metadata)}
              WHERE id = ${id} AND ${reached(holder, now)} RETURNING *`
          )
        )

      const remove = (holder: Holder, id: string): Effect.Effect<ConversationRow, NotFound> =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          changed(holder, id, sql`DELETE FROM conversations WHERE id = ${id} AND ${reached(holder, now)} RETURNING *`)
        )

      const changed = (holder: Holder, id: string, statement: Effect.Effect<ReadonlyArray<unknown>, SqlError>) =>
        Effect.flatMap(Effect.orDie(commits.commit(statement)), (rows) => {
          const row = conversations.first(rows)
          return row === undefined ? find(holder, id) : Effect.succeed(row)
        })

      /** Adds items, unless a response is being made: it would stand before them without having seen them. */
      const add = Effect.fnUntraced(function* (
        holder: Holder,
        id: string,
        items: ReadonlyArray<ConversationItem>
      ): Effect.fn.Return<void, InvalidRequest | NotFound> {
        const repeated = repeatedId(items)
        if (repeated !== undefined) return yield* duplicateItem(repeated)
        const now = yield* Clock.currentTimeMillis
        yield* find(holder, id)
        const write = Effect.gen(function* () {
          const grown = conversations.first(
            yield* sql`UPDATE conversations SET ${table.growth(items, now)}
              WHERE id = ${id} AND ${reached(holder, now)} AND ${held.isFree()} RETURNING *`
          )
          if (grown === undefined) return yield* Effect.fail(conversationLocked)
          // As other requests that add at the same time have left it. The failure takes the growth back.
          if (isFull(grown)) return yield* conversationFull
          const [known] = yield* table.known(id, items)
          if (known !== undefined) return yield* Effect.fail(duplicateItem(known))
          yield* table.insert(id, grown.last - items.length, items)
        })
        yield* Effect.suspend(() => commits.commit(write)).pipe(Effect.catchTag("SqlError", Effect.die))
      })

      const item = Effect.fnUntraced(function* (
        holder: Holder,
        id: string,
        itemId: string
      ): Effect.fn.Return<ConversationItem & { readonly place: number }, NotFound> {
        yield* find(holder, id)
        if (!isItemId(itemId)) return yield* unknownConversationItem(itemId)
        const found = conversationItems.first(
          yield* Effect.orDie(
            sql`SELECT * FROM conversation_items WHERE conversation_id = ${id} AND item_id = ${itemId}`
          )
        )
        if (found === undefined) return yield* unknownConversationItem(itemId)
        return { id: found.item_id, item: found.item, place: found.place }
      })

      const removeItem = Effect.fnUntraced(function* (
        holder: Holder,
        id: string,
        itemId: string
      ): Effect.fn.Return<ConversationRow, NotFound> {
        const { item: content } = yield* item(holder, id, itemId)
        const bytes = bytesOf([{ id: itemId, item: content }])
        const write = Effect.gen(function* () {
          const gone = yield* sql`DELETE FROM conversation_items
            WHERE conversation_id = ${id} AND item_id = ${itemId} RETURNING place`
          if (gone.length === 0) return
          yield* sql`UPDATE conversations SET items = items - 1, bytes = bytes - ${bytes} WHERE id = ${id}`
        })
        yield* Effect.orDie(commits.commit(write))
        return yield* find(holder, id)
      })

      /** One page of items, newest first by default, and whether more follow. */
      const page = Effect.fnUntraced(function* (
        holder: Holder,
        id: string,
        { after, limit = 20, order }: ItemPageQuery
      ): Effect.fn.Return<
        { readonly items: ReadonlyArray<ConversationItem>; readonly hasMore: boolean },
        InvalidRequest | NotFound
      > {
        const from = after === undefined ? undefined : yield* place(holder, id, after)
        if (from === undefined) yield* find(holder, id)
        const beyond = order === "asc" ? sql`place > ${from ?? 0}` : sql`place < ${from ?? Number.MAX_SAFE_INTEGER}`
        const found = yield* Effect.orDie(
          sql`SELECT * FROM conversation_items WHERE conversation_id = ${id} AND ${beyond}
            ORDER BY place ${sql.literal(order === "asc" ? "ASC" : "DESC")} LIMIT ${limit + 1}`
        )
        const all = conversationItems.all(found)
        return {
          items: all.slice(0, limit).map((one) => ({ id: one.item_id, item: one.item })),
          hasMore: all.length > limit
        }
      })

      const place = (holder: Holder, id: string, after: string) =>
        Effect.map(
          Effect.catchIf(
            item(holder, id, after),
            ({ message }) => message === unknownConversationItem(after).message,
            () =>
              new InvalidRequest({ param: "after", message: "after: expected the id of an item of this conversation" })
          ),
          ({ place }) => place
        )

      /** All items, oldest first. */
      const history = Effect.fnUntraced(function* (
        holder: Holder,
        id: string
      ): Effect.fn.Return<ReadonlyArray<ConversationItem>, InvalidRequest | NotFound> {
        if (isFull(yield* find(holder, id))) return yield* conversationFull
        const found = yield* Effect.orDie(
          sql`SELECT * FROM conversation_items WHERE conversation_id = ${id} ORDER BY place`
        )
        return conversationItems.all(found).map((one) => ({ id: one.item_id, item: one.item }))
      })

      /** Removes items of expired conversations, then these. Returns how many rows. */
      const removeExpired = Effect.fnUntraced(function* (atMost: number): Effect.fn.Return<number, SqlError> {
        const now = yield* Clock.currentTimeMillis
        const expired = sql`SELECT id FROM conversations WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${atMost}`
        const items = yield* sql`DELETE FROM conversation_items WHERE (conversation_id, place) IN (
            SELECT conversation_id, place FROM conversation_items
            WHERE conversation_id IN (${expired}) LIMIT ${atMost}
          ) RETURNING place`
        if (items.length === atMost) return atMost
        const gone = yield* sql`DELETE FROM conversations WHERE id IN (${expired}) RETURNING id`
        return gone.length
      })

      const { add: extend, giveUp, passOn, release, take } = held
      return {
        create,
        find,
        update,
        remove,
        add,
        item,
        removeItem,
        page,
        history,
        removeExpired,
        extend,
        giveUp,
        passOn,
        release,
        take
      } as const
    })
  }
) {}
