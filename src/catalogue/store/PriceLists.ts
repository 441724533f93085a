import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Option, Schema } from "effect"
import { nextTurn } from "../../flow/eventLoop.ts"
import { rows } from "../../sql/decode.ts"
import { ListedPrice } from "../prices/fetched/FetchedList.ts"
import type { ListDocument } from "../prices/fetched/FetchedList.ts"

/** The fetched list of prices that the nodes share, and the last try to fetch it. */
export class PriceLists extends Effect.Service<PriceLists>()("gateway/catalogue/store/PriceLists", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** The list without its prices; undefined before the first try. */
    const head: Effect.Effect<ListHead | undefined, SqlError> = Effect.map(
      sql`SELECT source, fetched_at, tried_at, failure FROM price_list WHERE id = 1`,
      heads.first
    )

    /** The stored list; undefined if there is none, or one that this version can't read. */
    const read: Effect.Effect<StoredList | undefined, SqlError> = Effect.gen(function* () {
      const row = lists.first(
        yield* sql`SELECT source, fetched_at, document FROM price_list WHERE id = 1 AND document IS NOT NULL`
      )
      const document = row === undefined ? undefined : yield* decodeDocument(row.document)
      return row === undefined || document === undefined
        ? undefined
        : { source: row.source, fetchedAtMs: row.fetched_at, document }
    })

    /** Notes a try. False if another process tried since `sinceMs`. */
    const claim = (nowMs: number, sinceMs: number): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        sql`INSERT INTO price_list (id, tried_at) VALUES (1, ${nowMs})
          ON CONFLICT (id) DO UPDATE SET tried_at = ${nowMs} WHERE price_list.tried_at <= ${sinceMs} RETURNING id`,
        ({ length }) => length > 0
      )

    const save = ({ document, fetchedAtMs, source }: StoredList): Effect.Effect<void, SqlError> => {
      const text = encodeDocument(document)
      return Effect.asVoid(
        sql`INSERT INTO price_list (id, source, fetched_at, document, tried_at)
          VALUES (1, ${source}, ${fetchedAtMs}, ${text}, ${fetchedAtMs})
          ON CONFLICT (id) DO UPDATE SET source = ${source}, fetched_at = ${fetchedAtMs}, document = ${text},
            tried_at = ${fetchedAtMs}, failure = NULL`
      )
    }

    /** The last try failed. The list stays. */
    const fail = (nowMs: number, failure: string): Effect.Effect<void, SqlError> =>
      Effect.asVoid(
        sql`INSERT INTO price_list (id, tried_at, failure) VALUES (1, ${nowMs}, ${failure})
          ON CONFLICT (id) DO UPDATE SET tried_at = ${nowMs}, failure = ${failure}`
      )

    const remove: Effect.Effect<boolean, SqlError> = Effect.map(
      sql`DELETE FROM price_list WHERE id = 1 RETURNING id`,
      ({ length }) => length > 0
    )

    return { head, read, claim, save, fail, remove } as const
  })
}) {}

/** A list with its address and the time of its fetch. */
export interface StoredList {
  readonly source: string
  readonly fetchedAtMs: number
  readonly document: ListDocument
}

const Prices = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const Document = Schema.parseJson(
  Schema.Struct({
    prices: Prices,
    held: Prices,
    // Lists of older versions have neither.
    bases: Schema.optionalWith(Prices, { default: () => ({}) }),
    most: Schema.optionalWith(Schema.NonNegativeInt, { default: () => 0 })
  })
)
const parseDocument = Schema.decodeUnknownOption(Document)
const encodeDocument = Schema.encodeSync(Document)
const decodePrice = Schema.decodeUnknownOption(ListedPrice)

/** How many prices are decoded in a turn of the event loop. */
const pricesPerTurn = 500

/** Decodes a list; undefined if it is not one. */
const decodeDocument = Effect.fnUntraced(function* (text: string): Effect.fn.Return<ListDocument | undefined> {
  const parsed = Option.getOrUndefined(parseDocument(text))
  if (parsed === undefined) return undefined
  const prices = yield* decodePrices(parsed.prices)
  const held = yield* decodePrices(parsed.held)
  const bases = yield* decodePrices(parsed.bases)
  if (prices === undefined || held === undefined || bases === undefined) return undefined
  return { prices, held, bases, most: parsed.most }
})

const decodePrices = Effect.fnUntraced(function* (
  stored: Readonly<Record<string, unknown>>
): Effect.fn.Return<ListDocument["prices"] | undefined> {
  const prices: Array<[string, ListedPrice]> = []
  for (const [name, written] of Object.entries(stored)) {
    if (prices.length % pricesPerTurn === pricesPerTurn - 1) yield* turn
    const price = decodePrice(written)
    if (Option.isNone(price)) return undefined
    prices.push([name, price.value])
  }
  return Object.fromEntries(prices)
})

const turn = Effect.promise(nextTurn)

const headColumns = {
  source: Schema.NullOr(Schema.String),
  fetched_at: Schema.NullOr(Schema.Int),
  tried_at: Schema.Int,
  failure: Schema.NullOr(Schema.String)
}
const heads = rows("price_list", headColumns)
const lists = rows("price_list", { source: Schema.String, fetched_at: Schema.Int, document: Schema.String })

/** Times in Unix ms. `failure` is null after a fetch that succeeded. */
export type ListHead = Schema.Struct.Type<typeof headColumns>
