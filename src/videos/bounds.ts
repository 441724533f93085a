import { Either } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { VideoBounds } from "../upstreams/videos/VideoBounds.ts"
import { linesOf, sizeOf } from "./geometry.ts"
import type { Size } from "./geometry.ts"

/** A model's bounds at an upstream. */
export interface VideoLimits extends VideoBounds {
  /** The caller's name of the model. */
  readonly model: string
  /** The upstream speaks the callers' protocol: `draft_task` parts and `asset://` addresses pass through. */
  readonly isPassthrough: boolean
}

/** A refusal that names the field, the bound, the model and the value. */
export const outOfBounds = (
  { model }: { readonly model: string },
  param: string,
  bound: string,
  got?: string | number
): Either.Either<never, InvalidRequest> => {
  const value = got === undefined ? "" : `; got ${got}`
  return Either.left(new InvalidRequest({ param, message: `${param}: expected ${bound} for ${model}${value}` }))
}

/** 720p, or the nearest resolution offered. */
export const usualResolution = ({ resolutions }: Pick<VideoBounds, "resolutions">): string => {
  const distance = (resolution: string) => Math.abs(linesOf(resolution) - 720)
  return resolutions.toSorted((one, other) => distance(one) - distance(other))[0] ?? "720p"
}

/** `4 to 15`, or `4, 6 or 8`. */
export const lengthsInWords = (seconds: ReadonlyArray<number>): string => {
  const [least = 0] = seconds
  const most = seconds.at(-1) ?? least
  if (seconds.length > 2 && most - least === seconds.length - 1) return `${least} to ${most}`
  return [seconds.slice(0, -1).join(", "), most].filter((part) => part !== "").join(" or ")
}

/** The pixels of a model's videos. */
export const sizeIn = ({ sizes }: Pick<VideoBounds, "sizes">, resolution: string, ratio: string): Size => {
  const own = sizes[resolution]?.[ratio === "3:3" ? "3:4" : ratio]
  return own === undefined ? sizeOf(resolution, ratio) : { width: own[0], height: own[1] }
}
