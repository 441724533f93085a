/** The dialect of the rate-limit headers on a reply; null for none. */
export type Dialect = "openai" | "anthropic" | null

/** Where a caller stands against a limit. */
export interface Standing {
  readonly limit: number
  readonly remaining: number
  /** Until the count begins afresh. */
  readonly leftMs: number
}

/** Writes the headers of one kind of limit onto a reply. */
export const writeHeaders = (
  headers: Record<string, string>,
  dialect: Dialect,
  kind: "requests" | "tokens",
  standing: Standing,
  nowMs: number
): void => {
  const { leftMs, limit } = standing
  const remaining = String(Math.max(0, standing.remaining))
  if (dialect === "openai") {
    headers[`x-ratelimit-limit-${kind}`] = String(limit)
    headers[`x-ratelimit-remaining-${kind}`] = remaining
    headers[`x-ratelimit-reset-${kind}`] = duration(leftMs)
  } else if (dialect === "anthropic") {
    headers[`anthropic-ratelimit-${kind}-limit`] = String(limit)
    headers[`anthropic-ratelimit-${kind}-remaining`] = remaining
    headers[`anthropic-ratelimit-${kind}-reset`] = timestamp(nowMs + leftMs)
  }
}

/** Which dialect a reply's token headers are in, so that they can be brought up to date. */
export const dialectOf = (headers: Record<string, string>): Dialect =>
  "x-ratelimit-limit-tokens" in headers ? "openai" : "anthropic-ratelimit-tokens-limit" in headers ? "anthropic" : null

/** As OpenAI writes it: `6m0s`, `59s`. */
const duration = (ms: number): string => {
  const seconds = Math.ceil(ms / 1_000)
  return seconds >= 60 ? `${Math.floor(seconds / 60)}m${seconds % 60}s` : `${seconds}s`
}

/** To the second, `2026-01-31T12:00:00Z`. */
const timestamp = (ms: number): string => {
  const second = Math.floor(ms / 1_000)
  if (second !== last.second) {
    last = { second, text: new Date(second * 1_000).toISOString().replace(".000Z", "Z") }
  }
  return last.text
}

/** Written last: every reply within a minute says the same end of it. */
let last = { second: 0, text: "1970-01-01T00:00:00Z" }
