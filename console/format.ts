import { matches } from "../src/contract/text/matches.ts"
import { usdText } from "../src/contract/text/usdText.ts"

const formats = (decimals: number) =>
  new Intl.NumberFormat("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })

const byDecimals = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(formats)

/** `12345.6, 1` → `12,345.6`. */
export const number = (value: number, decimals = 0): string => (byDecimals[decimals] ?? formats(decimals)).format(value)

/** A number and its unit, which a column aligns separately. */
export type Measure = readonly [value: string, unit: string]

const padded = (value: number) => String(Math.floor(value)).padStart(2, "0")

export const duration = (ms: number): Measure => {
  if (ms < 1) return [ms === 0 ? "0" : "<1", "ms"]
  if (ms < 999.5) return [number(ms), "ms"]
  if (ms < 59_995) return [number(ms / 1_000, 2), "s"]
  if (ms < 3_600_000) return [`${Math.floor(ms / 60_000)}:${padded((ms / 1_000) % 60)}`, "min"]
  return [`${Math.floor(ms / 3_600_000)}:${padded((ms / 60_000) % 60)}`, "h"]
}

export const durationText = (ms: number): string => duration(ms).join(" ")

/** Large counts, shortened: `96.4 M`. */
export const count = (value: number): Measure => {
  if (value >= 1e9) return [number(value / 1e9, 2), "B"]
  if (value >= 1e6) return [number(value / 1e6, 1).replace(/\.0$/, ""), "M"]
  if (value >= 1e4) return [number(value / 1e3, 1).replace(/\.0$/, ""), "k"]
  return [number(value), ""]
}

export const countText = (value: number): string => count(value).join(" ").trim()

export const bytes = (value: number): string =>
  value >= 1e6 ? `${number(value / 1e6, 1)} MB` : value >= 1e3 ? `${number(value / 1e3)} kB` : `${number(value)} B`

/** Dollars to four significant digits, or to the given decimals. */
export const usd = (dollars: number, decimals?: number): string =>
  decimals === undefined ? usdText(dollars) : `${dollars < 0 ? "-" : ""}$${number(Math.abs(dollars), decimals)}`

export interface Amount {
  readonly nano_usd: number
}
export const dollars = (amount: Amount | null | undefined): number => (amount?.nano_usd ?? 0) / 1e9

/** Dollars, without cents if they are whole. */
export const usdShort = (value: number): string => usd(value, Number.isInteger(value) ? 0 : 2)

export const utc = (ms: number): string => `${new Date(ms).toISOString().replace("T", " ").slice(0, 19)} UTC`

export const clock = (ms: number, seconds = true): string => new Date(ms).toISOString().slice(11, seconds ? 19 : 16)

const dayMs = 86_400_000

/** The clock time, or the day if it was not today. */
export const moment = (ms: number, now: number): string =>
  Math.abs(now - ms) < dayMs ? clock(ms) : new Date(ms).toISOString().slice(0, 10)

/** `3 s`, `12 min`, `5 h`, `2 d`. */
export const span = (ms: number): string => {
  const seconds = Math.abs(ms) / 1_000
  if (seconds < 60) return `${Math.floor(seconds)} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

/** True if a key's own patterns allow a model. */
export const permits = (
  key: { readonly models: ReadonlyArray<string>; readonly not_models: ReadonlyArray<string> },
  model: string
): boolean => {
  const hits = (pattern: string) => matches(pattern, model)
  return key.models.some(hits) && !key.not_models.some(hits)
}
