import { Data, Effect, Either, Schema } from "effect"
import { Price } from "../../../config/sections/Model.ts"
import { describe } from "../../../contract/describe.ts"
import { parseJson } from "../../../contract/json/json.ts"
import { excessOf, excessWords } from "../../../contract/json/jsonBounds.ts"
import type { JsonBounds } from "../../../contract/json/jsonBounds.ts"
import { isJsonObject } from "../../../contract/fields.ts"
import { nextTurn } from "../../../flow/eventLoop.ts"
import type { ListedPrice } from "./FetchedList.ts"
import { fromLitellm, isLitellm } from "./litellm.ts"

/** The reason that a list of prices is not used, for the operator. */
export class BadPriceList extends Data.TaggedError("BadPriceList")<{ readonly message: string }> {}

/** LiteLLM's list has 5,000 models in 3.5 MB. */
export const longestList = 16 * 1024 * 1024
const longestName = 256
const bounds: JsonBounds = {
  levels: 16,
  keys: 500_000,
  keysOfObject: 20_000,
  values: 1_000_000,
  brackets: 300_000,
  items: 10_000,
  objects: 100_000
}
/** USD a million tokens. Beyond it a price is a mistake. */
const dearest = 100_000

/**
 * Reads a published list: LiteLLM's, or one in the form of a `prices_file`, as JSON. An impossible price refuses a list
 * of our own form; LiteLLM's list loses the row. There are thousands of rows, so the event loop gets its turns.
 */
export const readList = Effect.fnUntraced(function* (
  text: string
): Effect.fn.Return<ReadonlyMap<string, ListedPrice>, BadPriceList> {
  if (text.length > longestList) return yield* refuse(`it has more than ${longestList / 1024 / 1024} MiB`)
  const excess = excessOf(text, bounds)
  if (excess !== undefined) return yield* refuse(`it has ${excessWords(excess, bounds)}`)
  yield* turn
  const list = parseJson(text, bounds)
  if (!isJsonObject(list)) return yield* refuse("it is not a JSON object of prices by model")
  const prices = isLitellm(list) ? yield* Effect.promise(() => fromLitellm(list)) : yield* fromOwn(list)
  // Assigned to an object, `__proto__` would be its prototype.
  const named = [...prices].filter(([name]) => name !== "__proto__" && name.length <= longestName)
  return named.length === 0 ? yield* refuse("it has no prices") : new Map(named)
})

/** How many prices are decoded in a turn of the event loop. */
const pricesPerTurn = 500
const turn = Effect.promise(nextTurn)

const decodePrice = Schema.decodeUnknownEither(Price, { onExcessProperty: "error", errors: "first" })

const fromOwn = Effect.fnUntraced(function* (
  list: Readonly<Record<string, unknown>>
): Effect.fn.Return<ReadonlyMap<string, ListedPrice>, BadPriceList> {
  const prices = new Map<string, ListedPrice>()
  for (const [name, written] of Object.entries(list)) {
    if (prices.size % pricesPerTurn === pricesPerTurn - 1) yield* turn
    const usd = decodePrice(written)
    if (Either.isLeft(usd)) return yield* refuse(`${name.slice(0, 80)}: ${describe(usd.left.issue).message}`)
    if (!amountsOf(usd.right).every((amount) => amount <= dearest)) {
      return yield* refuse(`${name.slice(0, 80)}: expected prices of at most ${dearest} USD`)
    }
    prices.set(name, { usd: usd.right })
  }
  return prices
})

const amountsOf = (value: unknown): ReadonlyArray<number> =>
  typeof value === "number" ? [value] : isJsonObject(value) ? Object.values(value).flatMap(amountsOf) : []

const refuse = (message: string) => Either.left(new BadPriceList({ message }))
