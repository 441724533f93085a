import { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { JsonObject } from "../../contract/fields.ts"

/** The images that a model makes where it has no sizes in pixels. */
interface MadeSizes {
  /** Ratios such as `16:9`. */
  readonly ratios: ReadonlyArray<string>
  /** Sides of a square at each resolution, in units of 1,024 pixels. */
  readonly resolutions: ReadonlyArray<number>
}

interface FittedSize {
  readonly ratio: string
  readonly resolution: number
  /** False if the image has another size than the request says. */
  readonly isExact: boolean
}

/** The ratio and resolution that come nearest to a request's `size`; undefined if it leaves both to the model. */
export const fitSize = (
  { size }: JsonObject,
  { ratios, resolutions }: MadeSizes
): FittedSize | InvalidRequest | undefined => {
  if (size === undefined || size === null || size === "auto") return undefined
  const written = typeof size === "string" ? size : JSON.stringify(size)
  const [, width = "", height = ""] = /^([1-9]\d{1,4})x([1-9]\d{1,4})$/.exec(written) ?? []
  if (width === "") {
    const message = `size: expected a width and a height such as 1024x1024, or auto; got "${written.slice(0, 40)}"`
    return new InvalidRequest({ param: "size", message })
  }
  const [wide, high] = [Number(width), Number(height)]
  const ratio = nearest(ratios, wide / high, ratioOf)
  const resolution = nearest(resolutions, Math.sqrt(wide * high) / unit, (one) => one)
  return { ratio, resolution, isExact: wide === high && wide === resolution * unit && ratio === "1:1" }
}

const unit = 1_024

const ratioOf = (ratio: string): number => {
  const [wide = 1, high = 1] = ratio.split(":").map(Number)
  return wide / high
}

const nearest = <A>(all: ReadonlyArray<A>, wanted: number, valueOf: (one: A) => number): A => {
  const distance = (one: A) => Math.abs(Math.log(valueOf(one) / wanted))
  return all.reduce((best, one) => (distance(one) < distance(best) ? one : best))
}

/** The fields of a request that its upstream does not get, but for those that leave the choice to the model. */
export const lostFields = (request: JsonObject, carried: ReadonlySet<string>): ReadonlyArray<string> =>
  Object.keys(request).filter((name) => {
    const value = request[name]
    return !carried.has(name) && value !== undefined && value !== null && value !== "auto"
  })
