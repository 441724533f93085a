import { describe, expect, it } from "@effect/vitest"
import { isAboutInput, troubleOf } from "../../../src/upstreams/protocols/errorMeaning.ts"

const tooLow =
  "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."
const usedUp = "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."
const anthropic = (type: string, message: string) => ({ type: "error", error: { type, message } })
const openai = (code: string | null, type: string, message = "words") => ({
  error: { message, type, param: null, code }
})
const google = (status: string, reason: string) => [
  { error: { code: 400, message: "words", status, details: [{ "@type": "ErrorInfo", reason }] } }
]

const precondition = (message: string) => ({ error: { code: 400, message, status: "FAILED_PRECONDITION" } })

describe("an upstream's error", () => {
  it.each([
    ["OpenAI's quota", 429, openai("insufficient_quota", "insufficient_quota"), "empty-account"],
    ["OpenAI's limit of spending", 400, openai("billing_hard_limit_reached", "invalid_request_error"), "empty-account"],
    ["Anthropic's credits", 400, anthropic("invalid_request_error", tooLow), "empty-account"],
    ["Anthropic's usage limit", 400, anthropic("invalid_request_error", usedUp), "empty-account"],
    ["Anthropic's billing", 402, anthropic("billing_error", "words"), "empty-account"],
    [
      "DeepSeek's balance",
      402,
      openai("invalid_request_error", "unknown_error", "Insufficient Balance"),
      "empty-account"
    ],
    ["Zhipu's balance", 429, { error: { code: "1113", message: "words" } }, "empty-account"],
    ["Alibaba's arrears", 400, { code: "Arrearage", message: "words" }, "empty-account"],
    ["Ark's overdue account", 403, { error: { code: "AccountOverdueError", message: "words" } }, "empty-account"],
    ["a key", 401, openai("invalid_api_key", "invalid_request_error"), "refused-key"],
    ["a key of Anthropic's that may not", 403, anthropic("permission_error", "words"), "refused-key"],
    ["a country of OpenAI's", 403, openai("unsupported_country_region_territory", "request_forbidden"), "refused-key"],
    ["a key of Google's", 400, google("INVALID_ARGUMENT", "API_KEY_INVALID"), "refused-key"],
    [
      "a place that Google doesn't serve",
      400,
      precondition("User location is not supported for the API use."),
      "refused-key"
    ],
    [
      "a project of Google's without billing",
      400,
      [precondition("Please enable billing on your project.")],
      "refused-key"
    ],
    ["too many requests", 429, "slow down", "saturated"],
    ["overload", 529, anthropic("overloaded_error", "Overloaded"), "saturated"]
  ] as const)("tells of the upstream itself: %s", (_, status, body, trouble) => {
    expect(troubleOf({ status, body, sent: "" })).toBe(trouble)
    expect(isAboutInput({ status, body })).toBe(false)
  })

  it.each([
    ["a field's name", 400, openai("unknown_parameter", "invalid_request_error", "Unknown: 'insufficient_quota'")],
    ["a sentence inside another", 400, anthropic("invalid_request_error", `messages.0: unexpected: ${tooLow}`)],
    ["a sentence of another status", 422, anthropic("invalid_request_error", tooLow)],
    ["a page of a firewall", 403, undefined],
    ["a file that isn't ready", 400, precondition("The File abc is not in an ACTIVE state and usage is not allowed.")],
    [
      "a bound of tokens beyond the credits",
      402,
      openai(
        null,
        "x",
        "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 12. To increase, visit …"
      )
    ],
    [
      "more tokens than fit in a minute",
      429,
      openai(
        "rate_limit_exceeded",
        "tokens",
        "Request too large for gpt-4.1 in organization org-x on tokens per min (TPM): Limit 30000, Requested 52000."
      )
    ],
    [
      "a provider that the request may have chosen",
      429,
      { error: { code: 429, message: "Provider returned error", metadata: { provider_name: "x", raw: "busy" } } }
    ],
    ["an error of its own", 500, openai("insufficient", "server_error")],
    ["unavailable", 503, google("UNAVAILABLE", "x")]
  ] as const)("may be the request's fault: %s", (_, status, body) => {
    expect(troubleOf({ status, body, sent: "" })).toBeUndefined()
  })

  it("is not believed where the request holds its sentence", () => {
    const body = anthropic("invalid_request_error", tooLow)
    expect(troubleOf({ status: 400, body, sent: JSON.stringify({ messages: tooLow }) })).toBeUndefined()
    expect(troubleOf({ status: 400, body, sent: undefined })).toBeUndefined()
  })

  it.each([
    ["OpenRouter's moderation", 403, { error: { code: 403, message: "flagged", metadata: { reasons: ["x"] } } }],
    ["a content policy", 403, openai("content_policy_violation", "invalid_request_error")],
    [
      "xAI's",
      403,
      { code: "The caller does not have permission", error: "Content violates usage guidelines. Team: x" }
    ],
    ["a conflict with words", 409, openai(null, "conflict_error")],
    ["a tool server that the caller named", 424, openai("http_error", "external_connector_error")]
  ] as const)("is about the input: %s", (_, status, body) => {
    expect(isAboutInput({ status, body })).toBe(true)
    expect(troubleOf({ status, body, sent: "" })).toBeUndefined()
  })

  it("is not about the input where nothing says so", () => {
    expect(isAboutInput({ status: 409, body: undefined })).toBe(false)
    expect(isAboutInput({ status: 424, body: { message: "ModelErrorException" } })).toBe(false)
    expect(isAboutInput({ status: 403, body: { error: { message: "no", metadata: { reasons: [] } } } })).toBe(false)
  })
})
