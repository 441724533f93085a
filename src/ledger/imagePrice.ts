import { nanoUsd } from "./nanoUsd.ts"

/** Nano-dollars an image by `quality/size`, either of which may be `*`. */
export type ImagePrices = Readonly<Record<string, number>>

type ImagesInUsd = number | Readonly<Record<string, number>>

/** The price of an image whose quality and size are unknown: the dearest. */
export const dearestImage = (usd: ImagesInUsd | undefined): number | undefined =>
  typeof usd === "object" ? Math.max(...Object.values(usd)) : usd

/** Undefined if all images cost the same. */
export const imagePrices = (usd: ImagesInUsd | undefined): ImagePrices | undefined =>
  typeof usd === "object"
    ? Object.fromEntries(Object.entries(usd).map(([kind, price]) => [kind.toLowerCase(), nanoUsd(price)]))
    : undefined

const any = "*"
const unknown = "auto"

/** The price of an image: of those that its kind may be, the dearest. One that no row names costs as the dearest of all. */
export const priceOfImage = (prices: ImagePrices, kind: string): number => {
  const [quality = unknown, size = unknown] = kind.split("/")
  const found = candidates(prices, quality, 0).flatMap((one) =>
    candidates(prices, size, 1).flatMap((other) => priceAt(prices, one, other) ?? [])
  )
  return Math.max(...(found.length === 0 ? Object.values(prices) : found))
}

/** The qualities (0) or sizes (1) that an image may have: the named one, or all that rows name, and others. */
const candidates = (prices: ImagePrices, named: string, side: 0 | 1): ReadonlyArray<string> => {
  if (named !== unknown && named !== "") return [named]
  return [...new Set([...Object.keys(prices).map((kind) => kind.split("/")[side] ?? any), any])]
}

/** Names come from upstreams: `constructor` is none. */
const priceAt = (prices: ImagePrices, quality: string, size: string): number | undefined =>
  [`${quality}/${size}`, `${quality}/${any}`, `${any}/${size}`, any]
    .flatMap((kind) => (Object.hasOwn(prices, kind) ? [prices[kind]] : []))
    .at(0)
