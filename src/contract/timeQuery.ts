import { Schema } from "effect"

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

const dayMs = 86_400_000

/**
 * Parses a point in time: `7d` (that long ago; m, h, d or w), `2026-01-31` (a UTC day),
 * `today`, `yesterday`, `this-month` (UTC) or `2026-01-31T12:00Z`.
 * @param end use the last millisecond of a day or a month instead of the first
 * @returns Unix ms; undefined if the text is invalid
 */
export const readTime = (text: string, nowMs: number, end = false): number | undefined => {
  const ago = durationMs(text)
  if (ago !== undefined) return nowMs - ago
  if (text === "today" || text === "yesterday") {
    const fromMs = Math.floor(nowMs / dayMs) * dayMs - (text === "today" ? 0 : dayMs)
    return end ? fromMs + dayMs - 1 : fromMs
  }
  if (text === "this-month") {
    const now = new Date(nowMs)
    return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + (end ? 1 : 0)) - (end ? 1 : 0)
  }
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text)) return undefined
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) return undefined
  return end && text.length === 10 ? ms + dayMs - 1 : ms
}

/** A length of time such as `30m`, `24h`, `7d` or `2w`; undefined if the text is none. */
export const durationMs = (text: string): number | undefined => {
  const [, count, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (unitMs[unit] ?? 0)
}

/** The texts that `readTime` accepts, for OpenAPI. */
const timePattern =
  "^([0-9]{1,6}[mhdw]|today|yesterday|this-month|[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])" +
  "(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,3})?)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?)$"

/** A query parameter that `readTime` accepts. */
export const TimeQuery = Schema.String.pipe(
  Schema.filter((text) => readTime(text, 0) !== undefined, {
    description:
      "a UTC day (2026-01-31, today, yesterday), this-month, a time (2026-01-31T12:00:00Z) or how long ago (30m, 24h, 7d)",
    jsonSchema: { type: "string", pattern: timePattern, examples: ["7d", "2026-01-31", "2026-01-31T12:00:00Z"] }
  })
)
