import { isDuration, isFrameCount, maxSeed, Ratio } from "./CreateVideoTask.ts"

/** Settings written behind a prompt (`a cat --ratio 16:9 --dur 5`), Ark's older way to give them. */
export interface PromptFlags {
  readonly resolution?: string
  readonly ratio?: Ratio
  readonly duration?: number
  readonly frames?: number
  readonly seed?: number
  readonly cameraFixed?: boolean
  readonly watermark?: boolean
}

/**
 * Takes the flags off a prompt's end. They are weakly checked: one that is unknown, or whose value is not allowed,
 * stays part of the prompt. Of a flag given twice the last counts.
 */
export const readFlags = (
  text: string,
  resolutions: ReadonlyArray<string>
): { readonly prompt: string; readonly flags: PromptFlags } => {
  const kept: Array<string> = []
  let flags: PromptFlags = {}
  let taken = false
  // A space in front, so that a flag may also be all there is.
  let rest = ` ${text.trimEnd()}`
  for (;;) {
    const found = /\s--([a-z]+)\s+([^\s-]\S*|-\d+)$/i.exec(lastWords(rest))
    if (found === null) break
    const [matched, name = "", value = ""] = found
    const flag = read(name.toLowerCase(), value, resolutions)
    rest = rest.slice(0, rest.length - matched.length).trimEnd()
    if (flag === undefined) kept.unshift(matched)
    else {
      flags = { ...flag, ...flags }
      taken = true
    }
  }
  return { prompt: taken ? [rest, ...kept].join("").trim() : text, flags }
}

/** A flag and its value fit into this many characters; the pattern need not see more of a long prompt. */
const lastWords = (text: string): string => text.slice(-120)

const read = (name: string, value: string, resolutions: ReadonlyArray<string>): PromptFlags | undefined => {
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
      return isDuration(number(value)) ? { duration: number(value) } : undefined
    case "frames":
      return isFrameCount(number(value)) ? { frames: number(value) } : undefined
    case "fps":
    case "framespersecond":
      // The only rate there is.
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
