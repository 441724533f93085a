import type { SqlClient } from "@effect/sql"
import type { Fragment } from "@effect/sql/Statement"
import { Clock, Effect } from "effect"
import type { Holder } from "../../contract/callers/Caller.ts"
import type { InvalidRequest, NotFound } from "../../contract/failures/Failure.ts"
import { mostConversationBytes } from "../../generation/mostBytes.ts"
import { inputItemId, isOfInput, responseIdOf } from "../ids.ts"
import type { InputItem, StoredItem } from "../InputItem.ts"
import { duplicateItem, tooMuch, unknownItem } from "./refusals.ts"
import { replays, sizes } from "./ResponseRow.ts"
import type { Replay } from "./ResponseRow.ts"

/** The parts of statements about stored responses. */
interface Columns {
  /** The condition of the responses that a holder reaches. */
  readonly reached: (holder: Holder, nowMs: number) => Fragment
  readonly input: Fragment
  readonly inputBytes: Fragment
}

/** Finds what the references of an input name. */
export const makeResolve = (sql: SqlClient.SqlClient, { input, inputBytes, reached }: Columns) => {
  /** Replaces every reference in the input with the stored item. */
  const resolve = (
    holder: Holder,
    input: ReadonlyArray<InputItem>
  ): Effect.Effect<ReadonlyArray<InputItem>, InvalidRequest | NotFound> => {
    const wanted = input.flatMap((item) => (item.type === "item_reference" ? [item.id] : []))
    if (wanted.length === 0) return Effect.succeed(input)
    const distinct = new Set<string>()
    for (const id of wanted) {
      if (distinct.has(id)) return Effect.fail(duplicateItem(id))
      distinct.add(id)
    }
    return Effect.map(itemsOf(holder, wanted), (items) =>
      input.map((item) => (item.type === "item_reference" ? (items.get(item.id) ?? item) : item))
    )
  }

  /** Stored items by id. */
  const itemsOf = Effect.fnUntraced(function* (holder: Holder, wanted: ReadonlyArray<string>) {
    const now = yield* Clock.currentTimeMillis
    const items = new Map<string, StoredItem>()
    let bytes = 0
    for (let at = 0; at < wanted.length; at += atOnce) {
      const some = wanted.slice(at, at + atOnce)
      const foreign = some.filter((id) => responseIdOf(id) === undefined)
      // The input is only read for ids of input items, because it may be long and most references are to output.
      const asked = sql.in("id", responsesOf(some.filter(isOfInput)))
      const those = sql`(${sql.in("id", responsesOf(some))} OR id IN (
          SELECT response_id FROM response_items WHERE account_id = ${holder.account} AND ${sql.in("item_id", foreign)}
        )) AND ${reached(holder, now)}`
      const size = yield* Effect.orDie(
        sql`SELECT coalesce(sum(octet_length(output) + CASE WHEN ${asked} THEN ${inputBytes} ELSE 0 END), 0)
          AS bytes FROM responses WHERE ${those}`
      )
      bytes += sizes.first(size)?.bytes ?? 0
      if (bytes > mostConversationBytes) return yield* tooMuch
      const found = yield* Effect.orDie(
        sql`SELECT id, previous_id, status, CASE WHEN ${asked} THEN ${input} ELSE '[]' END AS input, output
          FROM responses WHERE ${those}`
      )
      for (const row of found) for (const [id, item] of identified(replays.one(row))) items.set(id, item)
      const missing = some.find((id) => !items.has(id))
      if (missing !== undefined) return yield* unknownItem(missing)
    }
    return items
  })

  return resolve
}

/** The most references in one statement. */
const atOnce = 500

const responsesOf = (items: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(items.flatMap((id) => responseIdOf(id) ?? []))
]

const identified = ({ id, input, output }: Replay): ReadonlyArray<readonly [string, StoredItem]> => [
  ...input.map((item, index): readonly [string, StoredItem] => [inputItemId(id, item, index), item]),
  ...output.map((item): readonly [string, StoredItem] => [item.id, item])
]
