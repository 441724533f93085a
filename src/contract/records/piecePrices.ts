import { Struct } from "effect"
import type { PieceMeasure } from "./measures.ts"
import type { measures } from "./measureTable.ts"

interface PiecePrice {
  /** The piece in sentences: `$0.04 an image`. */
  readonly each: string
  /** Its description in settings and records. */
  readonly says: string
}

/** The members of prices that charge by the piece, whose counts are the measures with that `price`. */
export const piecePrices = {
  per_image: { each: "an image", says: "Per image that an image model makes." },
  per_rerank_unit: { each: "a rerank unit", says: "Per rerank unit: a query with up to 100 documents." },
  per_character: { each: "a character", says: "Per character that a speech model speaks." },
  per_audio_second: { each: "a second of sound", says: "Per second of sound that a transcription model hears." }
} as const satisfies Readonly<Record<(typeof measures)[PieceMeasure]["price"], PiecePrice>>

/** Prices by the piece in USD. `images` are those by quality and size, of which `per_image` is the dearest. */
interface PricedPieces extends Readonly<Partial<Record<keyof typeof piecePrices, number | undefined>>> {
  readonly images?: Readonly<Record<string, number>> | undefined
}

/** The prices by the piece that a model has, each with its words, and `isMost` where some pieces cost less. */
export const pricesByPiece = (
  price: PricedPieces
): ReadonlyArray<readonly [usd: number, each: string, isMost: boolean]> =>
  Struct.keys(piecePrices).flatMap((one) => {
    const usd = price[one]
    return usd === undefined ? [] : [[usd, piecePrices[one].each, one === "per_image" && price.images !== undefined]]
  })
