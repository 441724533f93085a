import { Duration } from "effect"

const units = { d: Duration.days, h: Duration.hours, m: Duration.minutes, s: Duration.seconds }

/** Parses a duration (`30d`, `12h`, `90m`, `45s`); undefined if it is invalid. */
export const spanOf = (text: string): Duration.Duration | undefined => {
  const [, count = "", unit = ""] = /^([1-9]\d{0,8})([dhms])$/.exec(text) ?? []
  return unit === "d" || unit === "h" || unit === "m" || unit === "s" ? units[unit](Number(count)) : undefined
}
