import { Option, Schema } from "effect"
import type { PriceInUsd } from "../../../ledger/videoPrice.ts"
import type { ListedPrice } from "./FetchedList.ts"
import { Rate } from "./litellmRates.ts"

const OptionalRate = Schema.optional(Schema.NullOr(Rate))
const Row = Schema.Struct({
  mode: Schema.Literal("image_generation", "image_edit"),
  output_cost_per_image: OptionalRate,
  // In rows of image models too, this is a made image.
  input_cost_per_image: OptionalRate,
  input_cost_per_pixel: OptionalRate
})
const decodeRow = Schema.decodeUnknownOption(Row)

/** An image of a row that is for one quality and size: `high/1024-x-1024/gpt-image-1`. */
export interface KindPrice {
  readonly model: string
  /** `high/1024x1024`, `*` for any quality. */
  readonly kind: string
  readonly usd: number
}

/** A key without its provider. */
const key = /^(?:([a-z]{1,19})\/)?(\d{2,5})-x-(\d{2,5})\/([^/]+)$/

/** The price of images of one quality and size; undefined for any other row. */
export const kindPriceOf = (name: string, row: unknown): KindPrice | undefined => {
  const [, quality = "*", width = "", height = "", model] = key.exec(name) ?? []
  const rates = model === undefined ? undefined : Option.getOrUndefined(decodeRow(row))
  if (model === undefined || rates === undefined) return undefined
  const { input_cost_per_image: made, input_cost_per_pixel: pixel, output_cost_per_image: image } = rates
  const usd = image || made || (pixel ?? 0) * Number(width) * Number(height)
  return usd > 0 ? { model, kind: `${quality}/${width}x${height}`, usd: Number(usd.toPrecision(6)) } : undefined
}

/** The most prices of one model's images. Real ones have fifteen. */
const mostKinds = 64

/** Puts prices by quality and size into a list. Models with tokens are billed by them. */
export const addKinds = (
  prices: Map<string, ListedPrice>,
  kinds: ReadonlyMap<string, ReadonlyArray<KindPrice>>
): void => {
  for (const [name, all] of kinds) {
    const listed = prices.get(name)
    const { image, input = 0, output = 0, per_image } = listed?.usd ?? {}
    if (all.length > mostKinds || input > 0 || output !== 0 || (image?.output ?? 0) > 0) continue
    const byKind = Object.fromEntries(all.map(({ kind, usd }) => [kind, usd]))
    const usd: PriceInUsd = {
      ...listed?.usd,
      per_image: typeof per_image === "number" ? { ...byKind, "*": per_image } : byKind
    }
    prices.set(name, { ...listed, usd })
  }
}
