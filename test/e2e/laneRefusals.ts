import type { Asked } from "../upstreams/fakes/fakeUpstream.ts"

const error =
  (status: number, message: string, headers: Record<string, string> = {}, more: object = {}) =>
  () =>
    Response.json({ error: { message, type: "x", code: null, ...more } }, { status, headers })

const later = { "retry-after": "60" }
const tokens =
  "Rate limit reached for m in organization o on tokens per min (TPM): Limit 30000, Used 12000, Requested 29000."
const violations = [{ quotaId: "GenerateContentInputTokensPerModelPerMinute-FreeTier", quotaMetric: "input" }]
const details = [
  { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations },
  { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }
]

/** What an upstream answers to requests that every account has to know of. */
const ofAll: Readonly<Record<string, () => Response>> = {
  "all-requests": error(429, "slow down", { ...later, "x-ratelimit-remaining-requests": "0" }),
  "all-anthropic": error(429, "slow down", { ...later, "anthropic-ratelimit-requests-remaining": "0" }),
  "all-overloaded": error(529, "Overloaded", later, { type: "overloaded_error" })
}

/** What an upstream answers to one account's request that says nothing of other accounts' requests. */
export const refusals: Readonly<Record<string, () => Response>> = {
  "429": error(429, "slow down"),
  "429-later": error(429, "slow down", later),
  "429-tokens": error(429, tokens, later, { code: "rate_limit_exceeded" }),
  "429-too-large": error(429, tokens.replace("29000", "52000"), later, { code: "rate_limit_exceeded" }),
  "429-organization": error(
    429,
    "This request would exceed your organization's rate limit of 40,000 input tokens.",
    later
  ),
  "429-google": error(429, "quota", {}, { status: "RESOURCE_EXHAUSTED", details }),
  "429-long": error(429, "Extra usage is required for long context requests."),
  "429-flex": error(429, "Resource unavailable", {}, { code: "resource_unavailable" }),
  "498": error(498, "full", {}, { code: "capacity_exceeded" }),
  "429-fast": error(429, "fast", { ...later, "anthropic-fast-input-tokens-remaining": "0" }),
  ...Object.fromEntries([400, 401, 403, 404, 408, 409, 413, 422].map((status) => [`${status}`, error(status, "no")])),
  "403-key": error(403, "no", later, { type: "permission_error" }),
  ...Object.fromEntries([500, 502, 503].map((status) => [`${status}`, error(status, "oh", later)])),
  empty: () => new Response(""),
  page: () => new Response("<html>", { headers: { "content-type": "text/html" } }),
  cut: () =>
    new Response(
      new ReadableStream({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode("data: {"))
          controller.close()
        }
      }),
      { headers: { "content-type": "text/event-stream" } }
    )
}

/** Begins, and is refused then. */
const overloadedStream = () => {
  const response = { id: "resp_1", object: "response", status: "in_progress", model: "m", output: [] }
  const error = { code: "server_is_overloaded", message: "Our servers are currently overloaded." }
  const frames = [
    { type: "response.created", sequence_number: 0, response },
    { type: "response.in_progress", sequence_number: 1, response },
    { type: "response.failed", sequence_number: 2, response: { ...response, status: "failed", error } }
  ]
  const text = frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join("")
  return new Response(text, { headers: { "content-type": "text/event-stream" } })
}

/** The refusal that a request names (`hostile:429`); undefined to answer as usual. */
export const answer = ({ text }: Asked) => {
  const named = /hostile:([\w-]+)/.exec(text)?.[1] ?? ""
  if (named === "overloaded-stream") return overloadedStream()
  return (refusals[named] ?? ofAll[named])?.()
}
