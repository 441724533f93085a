import type { Admitted, TellStanding } from "../contract/callers/Standing.ts"

/** Rate-limit headers in each provider's form. */
export const rateHeaders: Readonly<Record<"openai" | "anthropic", TellStanding>> = {
  openai: (headers, kind, { left, limit, resetMs }) => {
    headers[`x-ratelimit-limit-${kind}`] = String(limit)
    headers[`x-ratelimit-remaining-${kind}`] = String(left)
    headers[`x-ratelimit-reset-${kind}`] = duration(resetMs)
  },
  anthropic: (headers, kind, { atMs, left, limit, resetMs }) => {
    headers[`anthropic-ratelimit-${kind}-limit`] = String(limit)
    headers[`anthropic-ratelimit-${kind}-remaining`] = String(left)
    headers[`anthropic-ratelimit-${kind}-reset`] = timestamp(atMs + resetMs)
  }
}

export const tellWhole = (
  tell: TellStanding,
  headers: Record<string, string>,
  { requests, tokens }: Pick<Admitted, "requests" | "tokens">
): void => {
  if (tokens !== undefined) tell(headers, "tokens", tokens)
  if (requests !== undefined) tell(headers, "requests", requests)
}

/** OpenAI's format: `6m0s`, `59s`. */
const duration = (ms: number): string => {
  const seconds = Math.ceil(ms / 1_000)
  return seconds >= 60 ? `${Math.floor(seconds / 60)}m${seconds % 60}s` : `${seconds}s`
}

/** Without milliseconds: `2026-01-31T12:00:00Z`. */
const timestamp = (ms: number): string => {
  const second = Math.floor(ms / 1_000)
  if (second !== last.second) {
    last = { second, text: new Date(second * 1_000).toISOString().replace(".000Z", "Z") }
  }
  return last.text
}

/** The last timestamp: all replies within a minute share it. */
let last = { second: 0, text: "1970-01-01T00:00:00Z" }
