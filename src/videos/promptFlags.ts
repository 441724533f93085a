import type { VideoBounds } from "../upstreams/videos/VideoBounds.ts"
import { isFrameCount, maxSeed, Ratio } from "./CreateVideoTask.ts"

/** Settings at the end of a prompt (`a cat --ratio 16:9 --dur 5`), Ark's older form. */
export interface PromptFlags {
  readonly resolution?: string
  readonly ratio?: Ratio
  readonly duration?: number
  readonly frames?: number
  readonly seed?: number
  readonly cameraFixed?: boolean
  readonly watermark?: boolean
}

/** The bounds that values of flags keep. */
type FlagBounds = Pick<VideoBounds, "resolutions" | "seconds">

/**
 * Removes the flags from a prompt's end. An unknown flag, or one with an invalid value, stays part of the prompt. Of a
 * repeated flag the last one counts.
 */
export const readFlags = (
  text: string,
  bounds: FlagBounds
): { readonly prompt: string; readonly flags: PromptFlags } => {
  const unread: Array<string> = []
  let flags: PromptFlags = {}
  let taken = false
  // The leading space allows a prompt of flags alone.
  let rest = ` ${text.trimEnd()}`
  for (;;) {
    const match = /\s--([a-z]+)\s+([^\s-]\S*|-\d+)$/i.exec(lastWords(rest))
    if (match === null) break
    const [matched, name = "", value = ""] = match
    const flag = read(name.toLowerCase(), value, bounds)
    rest = rest.slice(0, rest.length - matched.length).trimEnd()
    if (flag === undefined) unread.unshift(matched)
    else {
      flags = { ...flag, ...flags }
      taken = true
    }
  }
  return { prompt: taken ? [rest, ...unread].join("").trim() : text, flags }
}

/** A flag and its value fit into this many characters, so the pattern need not scan a long prompt. */
const lastWords = (text: string): string => text.slice(-120)

const read = (name: string, value: string, { resolutions, seconds }: FlagBounds): PromptFlags | undefined => {
  switch (name) {
    case "rs":
    case "resolution":
      return resolutions.includes(value) ? { resolution: value } : undefined
    case "rt":
    case "ratio": {
      const ratio = Ratio.literals.find((literal) => literal === value)
      return ratio === undefined ? undefined : { ratio }
    }
    case "dur":
    case "duration":
      return number(value) === -1 || seconds.includes(number(value)) ? { duration: number(value) } : undefined
    case "frames":
      return isFrameCount(number(value)) ? { frames: number(value) } : undefined
    case "fps":
    case "framespersecond":
      // The only supported rate.
      return value === "24" ? {} : undefined
    case "seed":
      return isSeed(number(value)) ? { seed: number(value) } : undefined
    case "cf":
    case "camerafixed":
      return isBoolean(value) ? { cameraFixed: value === "true" } : undefined
    case "wm":
    case "watermark":
      return isBoolean(value) ? { watermark: value === "true" } : undefined
    default:
      return undefined
  }
}

const number = (value: string): number => (/^-?\d+$/.test(value) ? Number(value) : Number.NaN)
const isSeed = (value: number): boolean => value >= -1 && value <= maxSeed
const isBoolean = (value: string): boolean => value === "true" || value === "false"
