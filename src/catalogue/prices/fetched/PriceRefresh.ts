import { Clock, Effect } from "effect"
import { nextTurn } from "../../../flow/eventLoop.ts"
import type { Price } from "../../../ledger/Price.ts"
import { PriceLists } from "../../store/PriceLists.ts"
import { builtInList } from "../builtInList.ts"
import type { BuiltInList } from "../builtInList.ts"
import { priceListed } from "./FetchedList.ts"
import type { ListDocument, ListedPrice } from "./FetchedList.ts"
import { fetchList } from "./fetchList.ts"
import type { ListPlace } from "./fetchList.ts"
import { isLeap } from "./moves.ts"
import { BadPriceList } from "./readList.ts"

/** A price that the list moves more than tenfold. */
export interface Move {
  /** `provider/model`, or a model's name. */
  readonly name: string
  /** The price that was last accepted, otherwise the built-in or the first one: moves count from it. */
  readonly base: Price
  /** The price in use. */
  readonly before: Price
  readonly offered: Price
}

export interface Refreshed {
  readonly source: string
  readonly fetchedAtMs: number
  /** The number of names with a price. */
  readonly prices: number
  /** Names whose price differs from the one before, or that had none. */
  readonly changed: number
  /** Prices that are more than tenfold from their base. Those before are still used, unless the moves were accepted. */
  readonly moved: ReadonlyArray<Move>
}

/** Fetches the published list of prices and stores it for all nodes. A failure keeps the list, and is stored. */
export class PriceRefresh extends Effect.Service<PriceRefresh>()("gateway/catalogue/prices/fetched/PriceRefresh", {
  dependencies: [PriceLists.Default],
  effect: Effect.gen(function* () {
    const lists = yield* PriceLists

    /** @param accepts true to use prices that moved more than tenfold, too */
    const refresh = Effect.fnUntraced(
      function* (place: ListPlace, accepts: boolean): Effect.fn.Return<Refreshed, BadPriceList> {
        const offered = yield* fetchList(place)
        const before = (yield* Effect.orDie(lists.read))?.document ?? none
        const known = mostOf(before)
        if (offered.size * 2 < known && !accepts) {
          return yield* new BadPriceList({ message: `it has ${offered.size} prices, the list before it ${known}` })
        }
        const builtIn = yield* builtInList
        const { changed, document, moved } = yield* Effect.promise(() => compared(offered, before, builtIn, accepts))
        const named = Object.keys(document.bases).length
        if (named > mostBases && !accepts) {
          return yield* new BadPriceList({ message: `with those before it, it named ${named} models` })
        }
        const fetchedAtMs = yield* Clock.currentTimeMillis
        yield* Effect.orDie(lists.save({ source: place.from, fetchedAtMs, document }))
        return { source: place.from, fetchedAtMs, prices: Object.keys(document.prices).length, changed, moved }
      },
      Effect.tapError(({ message }) =>
        Effect.orDie(Effect.flatMap(Clock.currentTimeMillis, (nowMs) => lists.fail(nowMs, message)))
      )
    )

    return { refresh } as const
  })
}) {}

const none: ListDocument = { prices: {}, held: {}, bases: {}, most: 0 }

/** The most names whose bases are remembered. A list with new names each time could forget those of others. */
const mostBases = 40_000

/**
 * The list to use, with a pause now and then: there are thousands of prices. A move counts from the price that was last
 * accepted, otherwise from the built-in one: many small steps are one large one.
 */
const compared = async (
  offered: ReadonlyMap<string, ListedPrice>,
  before: ListDocument,
  builtIn: BuiltInList,
  accepts: boolean
) => {
  const prices: Array<[string, ListedPrice]> = []
  const held: Array<[string, ListedPrice]> = []
  const moved: Array<Move> = []
  const bases = new Map(Object.entries(before.bases))
  let changed = 0
  let count = 0
  for (const [name, price] of offered) {
    if (++count % 200 === 0) await nextTurn()
    const earlier = Object.hasOwn(before.prices, name) ? before.prices[name] : undefined
    const listed = builtInPrice(builtIn, name)
    const used = earlier === undefined ? listed : priceListed(name, earlier)
    const next = priceListed(name, price)
    if (used?.text !== next.text) changed++
    const remembered = Object.hasOwn(before.bases, name) ? before.bases[name] : undefined
    const base = remembered === undefined ? (listed ?? used) : priceListed(name, remembered)
    const isMoved = base !== undefined && isLeap(base, next)
    if (isMoved) moved.push({ name, base, before: used ?? base, offered: next })
    if (accepts) bases.set(name, price)
    else if (remembered === undefined && listed === undefined) bases.set(name, earlier ?? price)
    if (!isMoved || accepts) prices.push([name, price])
    else {
      held.push([name, price])
      if (earlier !== undefined) prices.push([name, earlier])
    }
  }
  const document: ListDocument = {
    prices: Object.fromEntries(prices),
    held: Object.fromEntries(held),
    // Once there are too many, accepting a list forgets the names that it no longer has.
    bases: Object.fromEntries([...bases].filter(([name]) => !accepts || bases.size <= mostBases || offered.has(name))),
    most: accepts ? offered.size : Math.max(mostOf(before), offered.size)
  }
  return { changed, document, moved }
}

/** A list that shrinks step by step has lost as much. */
const mostOf = ({ most, prices }: ListDocument): number => Math.max(most, Object.keys(prices).length)

const builtInPrice = ({ find }: BuiltInList, name: string): Price | undefined => {
  const slash = name.indexOf("/")
  return slash === -1 ? find(name, undefined) : find(name.slice(slash + 1), name.slice(0, slash))
}
