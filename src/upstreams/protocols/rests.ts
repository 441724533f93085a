import type { Rest } from "../../generation/Rest.ts"
import { untilMidnight } from "./quotaFailure.ts"

/** Codes, types and statuses that mean load, by what rests. None of them can come from a request. */
const codes: ReadonlyMap<string, Rest> = new Map<string, Rest>([
  // OpenAI, also inside a 200
  ["server_is_overloaded", { part: "model", isOfAll: true, isOfEveryKey: true }],
  ["slow_down", { part: "model", isOfAll: true, isOfEveryKey: true }],
  // OpenAI's flex tier
  ["resource_unavailable", { part: "flex", isOfAll: true, isOfEveryKey: true }],
  // Anthropic
  ["overloaded_error", { part: "model", isOfAll: true, isOfEveryKey: true }],
  // Moonshot
  ["engine_overloaded_error", { part: "model", isOfAll: true, isOfEveryKey: true }],
  // Groq's flex tier
  ["capacity_exceeded", { part: "flex", isOfAll: true, isOfEveryKey: true }]
])

/** Statuses that mean load by themselves. */
const statuses: ReadonlyMap<number | undefined, Rest> = new Map<number | undefined, Rest>([
  // Groq's flex tier
  [498, { part: "flex", isOfAll: true, isOfEveryKey: true }],
  // Anthropic, and others that copy it
  [529, { part: "model", isOfAll: true, isOfEveryKey: true }]
])

/** Fireworks, Together and others name it in a 503 with a code of their own. */
const overloaded = /^[a-z_]{0,40}overloaded[a-z_]{0,40}$/

/** By the error's code, type and status. */
export const byCode = (words: ReadonlyArray<string>, status: number | undefined): Rest | undefined => {
  for (const word of words) {
    const known = codes.get(word)
    if (known !== undefined) return known
  }
  const known = statuses.get(status)
  if (known !== undefined) return known
  return status === 503 && words.some((word) => overloaded.test(word))
    ? { part: "tier", isOfAll: true, isOfEveryKey: true }
    : undefined
}

/** Of a 429 whose words and headers say nothing else. */
export const otherwise = (words: ReadonlyArray<string>): Rest =>
  // Moonshot counts the requests to all models together.
  words.includes("rate_limit_reached_error") ? { part: "key" } : { part: "lane" }

interface Row {
  readonly pattern: RegExp
  readonly rest: (match: RegExpExecArray) => Rest
}

/** The number in a provider's sentence (`30,000`). */
const numberOf = (text: string | undefined): number => Number((text ?? "").replaceAll(",", ""))

/** Beginnings of sentences, by what rests. Names of models and organisations are all that varies. */
const sentences: ReadonlyArray<Row> = [
  // OpenAI, Groq
  {
    pattern:
      /^(?:Rate limit reached|Request too large) for (?:model )?[^ ]{1,200} (?:\([^)]{1,200}\) )?in organization [^ ]{1,100} (?:service tier [^ ]{1,40} )?on [a-z ]{1,40} \((\w{3,5})\): Limit:? ([\d,]{1,20}),(?: Used:? [\d,]{1,20},)? Requested:? ([\d,]{1,20})/,
    rest: ([, unit = "", limit, requested]) =>
      numberOf(limit) < numberOf(requested)
        ? "nothing"
        : unit.startsWith("RP")
          ? { part: "shared", isOfAll: true }
          : { part: "shared" }
  },
  {
    pattern: /^Request too large for (?:model )?[^ ]{1,200} (?:\([^)]{1,200}\) )?in organization /,
    rest: () => "nothing"
  },
  { pattern: /^Resource unavailable\b/i, rest: () => ({ part: "flex", isOfAll: true, isOfEveryKey: true }) },
  // Anthropic
  {
    pattern: /^Extra usage is required for long context requests/,
    rest: () => ({ part: "long", isOfAll: true, forMs: 600_000 })
  },
  {
    pattern:
      /^(?:This request would exceed|Number of \w{1,20} tokens has exceeded) your [\w'’ -]{0,60}maximum usage increase rate/,
    rest: () => ({ part: "key" })
  },
  {
    pattern:
      /^(?:You have|This workspace has|Your workspace has) (?:reached|exceeded) [\w'’ ]{0,60}(?:spend|usage) limits?\b/,
    rest: () => ({ part: "key", isOfAll: true })
  },
  {
    pattern: /^This request would exceed (?:your|the) [\w'’ -]{1,60}rate limit of [\d,]{1,20} requests per minute\b/,
    rest: () => ({ part: "group", isOfAll: true })
  },
  {
    pattern: /^Number of requests has exceeded your per-minute rate limit/,
    rest: () => ({ part: "group", isOfAll: true })
  },
  // Azure
  {
    pattern:
      /^Requests to the [\w.-]{1,100} Operation under [^.]{1,120} have exceeded call rate limit of your current [^.]{1,100} pricing tier\./,
    rest: () => ({ part: "shared", isOfAll: true })
  },
  // Bedrock
  { pattern: /^Too many requests, please wait before trying again\b/, rest: () => ({ part: "shared", isOfAll: true }) },
  {
    pattern: /^Too many tokens per day, please wait before trying again\b/,
    rest: () => ({ part: "shared", forMs: untilMidnight("UTC", Date.now()) })
  },
  { pattern: /^Too many tokens, please wait before trying again\b/, rest: () => ({ part: "shared" }) },
  // Vertex
  {
    pattern: /^Quota exceeded for [\w.]{1,100}\/[\w-]{0,60}_requests_per_/,
    rest: () => ({ part: "tier", isOfAll: true })
  },
  {
    pattern: /^Resource (?:has been )?exhausted\b/,
    rest: () => ({ part: "tier", isOfEveryKey: true })
  },
  // Moonshot
  {
    pattern: /^Your account [\w<>.-]{1,120} request reached organization max (\w{3,12}): \d/,
    rest: ([, unit = ""]) => (unit.startsWith("RP") ? { part: "key", isOfAll: true } : { part: "key" })
  }
]

/** By the beginning of the error's message, with the words that say so. */
export const bySentence = (message: string): { readonly rest: Rest; readonly words: string } | undefined => {
  for (const { pattern, rest } of sentences) {
    const match = pattern.exec(message)
    if (match !== null) return { rest: rest(match), words: match[0] }
  }
  return undefined
}

/** By the limits that the answer's headers tell. */
export const byHeaders = (headers: Headers): Rest | undefined => {
  const isUsedUp = (name: string) => headers.get(name)?.trim() === "0"
  if (fast.some((name) => isUsedUp(`${name}-remaining`))) return { part: "fast", ...resetOf(headers, fast) }
  if (isUsedUp(`${anthropicRequests}-remaining`)) {
    return { part: "group", isOfAll: true, ...resetOf(headers, [anthropicRequests]) }
  }
  if (anthropicTokens.some((name) => isUsedUp(`${name}-remaining`))) {
    return { part: "group", ...resetOf(headers, anthropicTokens) }
  }
  // OpenAI, Azure, Groq
  return isUsedUp("x-ratelimit-remaining-requests") ? { part: "shared", isOfAll: true } : undefined
}

const fast = ["anthropic-fast-input-tokens", "anthropic-fast-output-tokens"]
const anthropicRequests = "anthropic-ratelimit-requests"
const anthropicTokens = [
  "anthropic-ratelimit-input-tokens",
  "anthropic-ratelimit-output-tokens",
  "anthropic-ratelimit-tokens"
]

/** The end of the limits that are used up. `Retry-After` knows better: a reset is when a limit is whole again. */
const resetOf = (headers: Headers, names: ReadonlyArray<string>): { readonly forMs?: number } => {
  if (headers.has("retry-after")) return {}
  const waits = names
    .filter((name) => headers.get(`${name}-remaining`)?.trim() === "0")
    .map((name) => Date.parse(headers.get(`${name}-reset`) ?? "") - Date.now())
    .filter((ms) => ms > 0)
  return waits.length === 0 ? {} : { forMs: Math.min(Math.max(...waits), 600_000) }
}

/** How long it rests whatever `Retry-After` says, in ms. */
export const restMs = (rest: Rest | undefined): number | undefined =>
  rest === undefined || rest === "nothing" ? undefined : rest.forMs

/** Ark's codes for the whole account's limits and for overload. Those of a burst may be one caller's. */
export const videoRest = (code: string): Rest | undefined => {
  if (/ServerOverloaded/i.test(code)) return { part: "tier", isOfAll: true, isOfEveryKey: true }
  return /RpmLimit|QuotaExceeded/i.test(code) ? { part: "tier", isOfAll: true } : undefined
}
