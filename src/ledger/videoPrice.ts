import type { Price as PriceSchema } from "../config/sections/Model.ts"

/**
 * A price in `gateway.yaml`, in USD. Defaults: cached input and cache writes cost as input, one-hour cache writes as
 * other cache writes, reasoning as output.
 */
export type PriceInUsd = typeof PriceSchema.Type

type ByResolution = NonNullable<PriceInUsd["output"]>

/** A price that is the same for every video. */
export type PriceOfOne = Omit<PriceInUsd, "output" | "per_second" | "with_video" | "with_audio"> & {
  readonly output?: number | undefined
  readonly per_second?: number | undefined
}

/** The properties of a video that its price may depend on. */
export interface PricedVideo {
  readonly resolution: string
  /** True if it has videos among its inputs. */
  readonly hasVideoInput: boolean
  readonly hasSound: boolean
  readonly serviceTier: string
}

/** True if not all videos cost the same. */
export const variesByVideo = ({ flex, output, per_second, with_audio, with_video }: PriceInUsd): boolean =>
  typeof output === "object" ||
  typeof per_second === "object" ||
  with_video !== undefined ||
  with_audio !== undefined ||
  flex !== undefined

/** The price of the dearest video, for estimates that know none. */
export const dearestVideo = ({ with_audio, with_video, ...usd }: PriceInUsd): PriceOfOne => {
  const all = [usd, with_video ?? {}, with_audio ?? {}]
  return {
    ...usd,
    output: largest(all.map(({ output }) => output)),
    per_second: largest(all.map(({ per_second }) => per_second))
  }
}

/** The price of one video. Input videos count before sound. */
export const usdOfVideo = (
  { with_audio, with_video, ...usd }: PriceInUsd,
  { hasSound, hasVideoInput, resolution, serviceTier }: PricedVideo
): PriceOfOne => {
  const special = (hasVideoInput ? with_video : undefined) ?? (hasSound ? with_audio : undefined)
  const share = serviceTier === "flex" ? (usd.flex ?? 1) : 1
  const at = (rate: ByResolution | undefined): number | undefined => {
    const found = typeof rate === "object" ? (rate[resolution] ?? largest([rate])) : rate
    return found === undefined ? undefined : found * share
  }
  return {
    ...usd,
    output: at(special?.output ?? usd.output),
    per_second: at(special?.per_second ?? usd.per_second)
  }
}

const largest = (rates: ReadonlyArray<ByResolution | undefined>): number | undefined => {
  const all = rates.flatMap((rate) =>
    typeof rate === "object" ? Object.values(rate) : rate === undefined ? [] : [rate]
  )
  return all.length === 0 ? undefined : Math.max(...all)
}
