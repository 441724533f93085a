import { inputOf } from "../contract/records/measures.ts"
import type { Usage } from "../generation/GenerationEvent.ts"
import { priceAs } from "./Price.ts"
import type { Price } from "./Price.ts"
import { pieceTerms, tokenTerms } from "./priceTerms.ts"
import type { Term } from "./priceTerms.ts"
import { ratesFor } from "./rates.ts"

/** A part of a cost. */
export interface CostLine extends Term {
  /** The other model that worked for the answer, at its own price. */
  readonly model?: string | undefined
}

/**
 * All parts of a cost at a price as applied: `costOf` is their sum, rounded once.
 *
 * @param atMs when the request arrived, for the prices of other models; undefined: at the dearest hour
 */
export const linesOf = (price: Price, used: Usage, atMs: number | undefined): ReadonlyArray<CostLine> => {
  const { besides = [], served, videoFrames = 0 } = used
  return [
    ...partsOf(price, used),
    ...(videoFrames > 0 && price.videoSecond > 0
      ? [{ of: "video_frames", count: videoFrames, rate: price.videoSecond, per: 24 } as const]
      : []),
    ...(price.request === undefined ? [] : [once("request", price.request)]),
    ...besides.flatMap((one) => linesBeside(price, one, served, atMs))
  ]
}

const once = (of: string, rate: number): CostLine => ({ of, count: 1, rate, per: 1 })

const partsOf = (price: Price, used: Usage): ReadonlyArray<CostLine> => [
  ...tokenTerms(ratesFor(price, inputOf(used)), used),
  ...pieceTerms(price, used)
]

/** The calls of servers' tools, which cost the same at any price of the model. */
export const toolLines = ({ toolCalls = [] }: Usage): ReadonlyArray<CostLine> =>
  toolCalls.map(({ count, of, rate }) => ({ of, count, rate, per: 1 }))

/** The charge that the provider tells. */
export const toldLine = (nanoUsd: number): CostLine => once("told", nanoUsd)

/** The parts for another model that worked for the answer. It has an input of its own, and so perhaps rates of its own. */
const linesBeside = (
  price: Price,
  used: Usage,
  served: Usage["served"],
  atMs: number | undefined
): ReadonlyArray<CostLine> => {
  if (isBilledByCall(price, used)) return []
  const other = priceOfOther(price, used, served, atMs)
  if (other === undefined) return partsOf(price, used)
  const { model } = used
  return partsOf(other, used).map((line) => ({ ...line, model }))
}

/** The prices of the other models that worked for an answer, as they applied. */
export const otherPricesOf = (
  price: Price,
  { besides = [], served }: Usage,
  atMs: number | undefined
): ReadonlyMap<string, Price> =>
  new Map(
    besides.flatMap((one) => {
      const other = priceOfOther(price, one, served, atMs)
      return one.model === undefined || other === undefined ? [] : [[one.model, other] as const]
    })
  )

/** The price of another model that worked for an answer, as it was served: as the answer, unless it tells more. */
const priceOfOther = (
  price: Price,
  { model, served: own }: Pick<Usage, "model" | "served">,
  served: Usage["served"],
  atMs: number | undefined
): Price | undefined => {
  const other = otherPrice(price, model)
  return other && priceAs(other, own ?? served, atMs).price
}

/** True if the price has one for the tool's calls: its tokens cost nothing more. */
export const isBilledByCall = ({ calls }: Price, { tool }: Pick<Usage, "tool">): boolean =>
  tool !== undefined && calls?.[tool] !== undefined

/** The price of another model. Upstreams name it, at any length. */
export const otherPrice = (price: Price, model: string | undefined): Price | undefined =>
  model === undefined || model.length > longestName ? undefined : price.others?.(model)

const longestName = 200

/** Costs are exact in 24 millionths of a nano-dollar, because videos have 24 frames a second. */
const parts = 24_000_000

/** The sum of a cost's parts in nano-dollars, rounded half up, once. */
export const sumOf = (lines: ReadonlyArray<Term>): number => {
  const sum = lines.reduce((all, { count, per, rate }) => all + BigInt(count) * BigInt(rate) * BigInt(parts / per), 0n)
  return Number((sum * 2n + BigInt(parts)) / BigInt(parts * 2))
}
