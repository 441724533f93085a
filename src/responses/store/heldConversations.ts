import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect } from "effect"
import { Node } from "../../cluster/Node.ts"
import { isLiving } from "../../cluster/store/living.ts"
import type { Holder } from "../../contract/callers/Caller.ts"
import type { InvalidRequest, NotFound } from "../../contract/failures/Failure.ts"
import { Commits } from "../../sql/Commits.ts"
import { NamedSlots } from "../../flow/NamedSlots.ts"
import { backoff } from "../../flow/schedules.ts"
import { newItems } from "../conversations/newItems.ts"
import type { ConversationItem } from "../conversations/newItems.ts"
import { madeItemId, newResponseId } from "../ids.ts"
import type { Replay } from "../decode.ts"
import type { OutputItem } from "../ResponseObject.ts"
import { conversations, lasts } from "./ConversationRow.ts"
import { isFull } from "./conversationTable.ts"
import type { ConversationTable } from "./conversationTable.ts"
import { conversationFull, conversationLocked } from "./refusals.ts"

/** A response that adds to a conversation. */
export interface Addition {
  readonly conversation: string
  /** The right to add: that of the request, or the id of a background response. */
  readonly token: string
  readonly responseId: string
  readonly input: Replay["input"]
  readonly output: ReadonlyArray<OutputItem>
}

/**
 * The right to add a response to a conversation, of one response at a time. A request has it while its node lives, and a
 * background response until its task ends.
 */
export const makeHeldConversations = (sql: SqlClient.SqlClient, table: ConversationTable) =>
  Effect.gen(function* () {
    const commits = yield* Commits
    const node = yield* Node
    const scope = yield* Effect.scope
    /** Rights being given back, on which the next request of this process waits. */
    const releasing = new NamedSlots<Promise<void>>()

    node.whenReaping((dead) => sql`UPDATE conversations SET held_by = NULL, held_node = NULL WHERE held_node = ${dead}`)

    /** With one process, another node is an earlier process, which was killed. */
    const isFree = () =>
      node.isShared
        ? sql`held_by IS NULL AND ${isLiving(sql, node.id())}`
        : sql`(held_by IS NULL OR (held_node IS NOT NULL AND held_node <> ${node.id()}))`

    /** Takes the right to add. */
    const take = Effect.fnUntraced(function* (holder: Holder, id: string, token: string) {
      const before = releasing.get(id)
      if (before !== undefined) yield* Effect.promise(() => before)
      const now = yield* Clock.currentTimeMillis
      const taken = yield* Effect.suspend(() =>
        commits.commit(
          sql`UPDATE conversations SET held_by = ${token}, held_node = ${node.id()}
            WHERE id = ${id} AND ${table.reached(holder, now)} AND ${isFree()} RETURNING *`
        )
      ).pipe(Effect.orDie)
      const row = conversations.first(taken)
      if (row === undefined) {
        return yield* Effect.flatMap(table.find(holder, id), () =>
          Effect.fail<InvalidRequest | NotFound>(conversationLocked)
        )
      }
      if (isFull(row)) return yield* conversationFull
    })

    /** Gives the right back without an addition, now or as soon as the database can. */
    const release = (id: string, token: string): Effect.Effect<void> => {
      const freed = Effect.suspend(() =>
        commits.commit(
          sql`UPDATE conversations SET held_by = NULL, held_node = NULL WHERE id = ${id} AND held_by = ${token}`
        )
      ).pipe(Effect.retry(backoff), Effect.ignore)
      return Effect.gen(function* () {
        const { promise, resolve } = Promise.withResolvers<void>()
        releasing.set(id, promise)
        const over = Effect.sync(() => {
          if (releasing.get(id) === promise) releasing.delete(id)
          resolve()
        })
        yield* Effect.forkIn(Effect.ensuring(freed, over), scope)
      })
    }

    /** Passes the right to a background response, in the transaction that stores its task. */
    const passOn = (id: string, token: string, responseId: string): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE conversations SET held_by = ${responseId}, held_node = NULL WHERE id = ${id} AND held_by = ${token}`

    /** Ends a background response without an addition, in its last transaction. */
    const giveUp = (id: string, responseId: string): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE conversations SET held_by = NULL, held_node = NULL WHERE id = ${id} AND held_by = ${responseId}`

    /** Adds a response's items, in the transaction that stores it. A deleted conversation gets none. */
    const add = Effect.fnUntraced(function* (addition: Addition): Effect.fn.Return<void, SqlError> {
      const { conversation, token } = addition
      const items = itemsOf(addition)
      const now = yield* Clock.currentTimeMillis
      const held = lasts.first(
        yield* sql`UPDATE conversations SET held_by = NULL, held_node = NULL, ${table.growth(items, now)}
          WHERE id = ${conversation} AND held_by = ${token} RETURNING last`
      )
      if (held === undefined) {
        const others = yield* sql`SELECT 1 FROM conversations WHERE id = ${conversation}`
        // Another node took this one for dead, and the conversation goes on without its answer.
        return others.length === 0 ? undefined : yield* Effect.dieMessage("the right to a conversation was lost")
      }
      // Some upstreams give an id twice.
      const seen = new Set(yield* table.known(conversation, items))
      const fresh = newResponseId(now)
      const added = items.map((one, index) => {
        const isNew = seen.size < seen.add(one.id).size
        return isNew ? one : { id: madeItemId(fresh, one.item.type, index), item: one.item }
      })
      yield* table.insert(conversation, held.last - items.length, added)
    })

    return { isFree, take, release, passOn, giveUp, add } as const
  })

/** A call that was cut off has no output, so that nothing could follow it. */
const itemsOf = ({ input, output, responseId }: Addition): ReadonlyArray<ConversationItem> => [
  ...newItems(
    input.filter(({ type }) => type !== "compaction_trigger"),
    responseId
  ),
  ...newItems(
    output.filter(
      ({ status, type }) => status !== "incomplete" || (type !== "function_call" && type !== "custom_tool_call")
    ),
    responseId
  )
]
