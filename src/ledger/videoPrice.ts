import { Struct } from "effect"
import type { Price as PriceSchema } from "../config/sections/Model.ts"

/**
 * A price in `gateway.yaml`, in USD. Defaults: cached input and cache writes cost as input, one-hour cache writes as
 * other cache writes, reasoning as output.
 */
export type PriceInUsd = typeof PriceSchema.Type

type ByResolution = NonNullable<PriceInUsd["output"]>

/** A price that is the same for every video. */
export type PriceOfOne = Omit<PriceInUsd, "output" | "per_second" | "per_input_image" | "with_video" | "with_audio"> & {
  readonly output?: number | undefined
  readonly per_second?: number | undefined
}

/** The properties of a video that its price may depend on. */
export interface PricedVideo {
  readonly resolution: string
  /** True if it has videos among its inputs. */
  readonly hasVideoInput: boolean
  /** The number of pictures among its inputs. */
  readonly inputImages: number
  readonly hasSound: boolean
  readonly serviceTier: string
}

/** True if not all videos cost the same. */
export const variesByVideo = (usd: PriceInUsd): boolean =>
  typeof usd.output === "object" ||
  typeof usd.per_second === "object" ||
  usd.with_video !== undefined ||
  usd.with_audio !== undefined ||
  usd.per_input_image !== undefined ||
  usd.service_tier !== undefined ||
  usd.flex !== undefined

/** The price of the dearest video without pictures among its inputs, for estimates that know none. */
export const dearestVideo = ({ with_audio, with_video, ...rest }: PriceInUsd): PriceOfOne => {
  const usd = Struct.omit(rest, "per_input_image")
  const all = [usd, with_video ?? {}, with_audio ?? {}]
  return {
    ...usd,
    output: largest(all.map(({ output }) => output)),
    per_second: largest(all.map(({ per_second }) => per_second))
  }
}

/** The price of one video. Input videos count before sound; input pictures are paid with the request. */
export const usdOfVideo = (
  { flex, per_input_image: perImage, service_tier, with_audio, with_video, ...usd }: PriceInUsd,
  { hasSound, hasVideoInput, inputImages, resolution, serviceTier }: PricedVideo
): PriceOfOne => {
  const images = perImage === undefined ? 0 : Math.max(0, inputImages - (perImage.free ?? 0)) * perImage.usd
  const special = (hasVideoInput ? with_video : undefined) ?? (hasSound ? with_audio : undefined)
  const tier = service_tier?.[serviceTier]
  const share = typeof tier === "number" ? tier : serviceTier === "flex" ? (flex ?? 1) : 1
  const at = (rate: ByResolution | undefined): number | undefined => {
    const found = typeof rate === "object" ? (rate[resolution] ?? largest([rate])) : rate
    return found === undefined ? undefined : found * share
  }
  return {
    ...usd,
    output: at(special?.output ?? usd.output),
    per_second: at(special?.per_second ?? usd.per_second),
    ...(images > 0 && { per_request: (usd.per_request ?? 0) + images })
  }
}

const largest = (rates: ReadonlyArray<ByResolution | undefined>): number | undefined => {
  const all = rates.flatMap((rate) =>
    typeof rate === "object" ? Object.values(rate) : rate === undefined ? [] : [rate]
  )
  return all.length === 0 ? undefined : Math.max(...all)
}
