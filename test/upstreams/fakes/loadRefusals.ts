/** Error bodies of providers as they document them, or as their users report them, by the part that rests. */
export const openAi = (message: string, code: string | null = "rate_limit_exceeded", type = "tokens") => ({
  error: { message, type, param: null, code }
})
export const anthropic = (message: string, type = "rate_limit_error") => ({ type: "error", error: { type, message } })
export const google = (status: string, message: string, details: ReadonlyArray<object> = []) => ({
  error: { code: status === "UNAVAILABLE" ? 503 : 429, status, message, details }
})
export const quota = (quotaId: string, quotaMetric = "generativelanguage.googleapis.com/generate_content") => [
  {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    violations: [{ quotaId, quotaMetric, quotaDimensions: { model: "gemini-3-pro" } }]
  },
  { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "22s" }
]
export const limitOf = (unit: string, used: number, requested: number, limit = 30_000) =>
  `Rate limit reached for gpt-5 in organization org-x on ${unit === "RPM" ? "requests" : "tokens"} per min (${unit}): ` +
  `Limit ${limit}, Used ${used}, Requested ${requested}. Please try again in 20s. Visit https://platform.openai.com/account/rate-limits to learn more.`

export const overloaded = { part: "model", isOfAll: true, isOfEveryKey: true }
const amazon = (type: string) => ({ "x-amzn-errortype": type })

export const loadRefusals = [
  ["OpenAI: tokens a minute", 429, openAi(limitOf("TPM", 12_000, 29_000)), {}, { part: "shared" }],
  ["OpenAI: tokens a day", 429, openAi(limitOf("TPD", 12_000, 29_000)), {}, { part: "shared" }],
  ["OpenAI: requests a minute", 429, openAi(limitOf("RPM", 500, 1, 500)), {}, { part: "shared", isOfAll: true }],
  ["OpenAI: more than a minute takes", 429, openAi(limitOf("TPM", 0, 52_000)), {}, "nothing"],
  [
    "OpenAI: too large",
    429,
    openAi(
      "Request too large for gpt-4.1 in organization org-x on tokens per min (TPM): Limit 30000, Requested 52000. The input or output tokens must be reduced in order to run successfully."
    ),
    {},
    "nothing"
  ],
  [
    "OpenAI: no requests left",
    429,
    openAi("slow", "rate_limit_exceeded", "requests"),
    { "x-ratelimit-remaining-requests": "0" },
    { part: "shared", isOfAll: true }
  ],
  [
    "OpenAI: tokens left",
    429,
    openAi("slow"),
    { "x-ratelimit-remaining-requests": "12", "x-ratelimit-remaining-tokens": "900" },
    { part: "lane" }
  ],
  ["OpenAI: flex", 429, openAi("Resource unavailable", "resource_unavailable"), {}, { ...overloaded, part: "flex" }],
  ["OpenAI: slow down", 503, openAi("Slow Down", "slow_down", "service_unavailable_error"), {}, overloaded],
  ["OpenAI: overload", 503, openAi("busy", "server_is_overloaded"), {}, overloaded],
  [
    "Anthropic: tokens a minute",
    429,
    anthropic(
      "This request would exceed your organization's rate limit of 40,000 input tokens per minute (org: x, model: claude-opus-4-5)."
    ),
    { "anthropic-ratelimit-input-tokens-remaining": "1200", "anthropic-ratelimit-requests-remaining": "40" },
    { part: "lane" }
  ],
  [
    "Anthropic: the account's limit",
    429,
    anthropic("This request would exceed your account's rate limit. Please try again later."),
    { "anthropic-ratelimit-input-tokens-remaining": "1200" },
    { part: "lane" }
  ],
  [
    "Anthropic: no tokens left",
    429,
    anthropic("This request would exceed your organization's rate limit of 40,000 input tokens per minute."),
    { "anthropic-ratelimit-input-tokens-remaining": "0", "retry-after": "9" },
    { part: "group" }
  ],
  [
    "Anthropic: no requests left",
    429,
    anthropic("Number of request tokens has exceeded it"),
    { "anthropic-ratelimit-requests-remaining": "0", "retry-after": "9" },
    { part: "group", isOfAll: true }
  ],
  [
    "Anthropic: requests a minute",
    429,
    anthropic("This request would exceed your organization's rate limit of 50 requests per minute (org: x)."),
    {},
    { part: "group", isOfAll: true }
  ],
  [
    "Anthropic: fast",
    429,
    anthropic("fast"),
    { "anthropic-fast-output-tokens-remaining": "0", "retry-after": "9" },
    { part: "fast" }
  ],
  [
    "Anthropic: long context",
    429,
    anthropic("Extra usage is required for long context requests."),
    {},
    { part: "long", isOfAll: true, forMs: 600_000 }
  ],
  [
    "Anthropic: acceleration",
    429,
    anthropic(
      "This request would exceed your organization’s maximum usage increase rate for input tokens per minute. Please scale up."
    ),
    {},
    { part: "key" }
  ],
  [
    "Anthropic: spend",
    429,
    anthropic("This workspace has reached its specified spend limit."),
    {},
    { part: "key", isOfAll: true }
  ],
  ["Anthropic: overload", 529, anthropic("Overloaded", "overloaded_error"), {}, overloaded],
  [
    "Azure: calls",
    429,
    openAi(
      "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have exceeded call rate limit of your current OpenAI S0 pricing tier. Please retry after 20 seconds.",
      "429"
    ),
    {},
    { part: "shared", isOfAll: true }
  ],
  [
    "Azure: tokens",
    429,
    openAi(
      "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 20 seconds.",
      "429"
    ),
    {},
    { part: "lane" }
  ],
  [
    "Bedrock: requests",
    429,
    { message: "Too many requests, please wait before trying again." },
    amazon("ThrottlingException"),
    { part: "shared", isOfAll: true }
  ],
  [
    "Bedrock: tokens",
    429,
    { message: "Too many tokens, please wait before trying again." },
    amazon("ThrottlingException"),
    { part: "shared" }
  ],
  ["Bedrock: not ready", 429, { message: "not ready" }, amazon("ModelNotReadyException"), { part: "lane" }],
  ["Bedrock: unavailable", 503, { message: "busy" }, amazon("ServiceUnavailableException"), undefined],
  [
    "Gemini: requests a minute",
    429,
    google("RESOURCE_EXHAUSTED", "quota", quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier")),
    {},
    { part: "tier", isOfAll: true }
  ],
  [
    "Gemini: tokens a minute",
    429,
    google("RESOURCE_EXHAUSTED", "quota", quota("GenerateContentInputTokensPerModelPerMinute-FreeTier")),
    {},
    { part: "tier" }
  ],
  [
    "Gemini: grounding",
    429,
    google(
      "RESOURCE_EXHAUSTED",
      "quota",
      quota("GroundedRequestsPerMinute", "generativelanguage.googleapis.com/google_search_grounding")
    ),
    {},
    { part: "search", isOfAll: true }
  ],
  ["Gemini: overload without words", 503, google("UNAVAILABLE", "try later"), {}, undefined],
  [
    "Vertex",
    429,
    google("RESOURCE_EXHAUSTED", "Resource exhausted. Please try again later."),
    {},
    { part: "tier", isOfEveryKey: true }
  ],
  [
    "Vertex: requests",
    429,
    google(
      "RESOURCE_EXHAUSTED",
      "Quota exceeded for aiplatform.googleapis.com/online_prediction_requests_per_base_model with base model: gemini-3-pro."
    ),
    {},
    { part: "tier", isOfAll: true }
  ],
  [
    "Groq: flex",
    498,
    { error: { message: "full", type: "capacity", code: "capacity_exceeded" } },
    {},
    { ...overloaded, part: "flex" }
  ],
  ["Groq: flex, without a code", 498, { error: { message: "full" } }, {}, { ...overloaded, part: "flex" }],
  [
    "Groq: requests a day",
    429,
    openAi(
      "Rate limit reached for model `llama-4` in organization `org_x` service tier `on_demand` on requests per day (RPD): Limit 1000, Used 1000, Requested 1. Please try again in 1m26.4s."
    ),
    {},
    { part: "shared", isOfAll: true }
  ],
  [
    "Mistral",
    429,
    {
      message: "Service tier capacity exceeded for this model.",
      type: "service_tier_capacity_exceeded",
      code: "3505"
    },
    {},
    { part: "lane" }
  ],
  ["DeepSeek", 429, openAi("Rate limit reached", "rate_limit_reached", "unknown"), {}, { part: "lane" }],
  ["Moonshot: overload", 429, openAi("busy", null, "engine_overloaded_error"), {}, overloaded],
  [
    "Moonshot: requests",
    429,
    openAi(
      "Your account org-x<ak-y> request reached organization max RPM: 3, please try again after 1 seconds",
      null,
      "rate_limit_reached_error"
    ),
    {},
    { part: "key", isOfAll: true }
  ],
  ["Moonshot: else", 429, openAi("words", null, "rate_limit_reached_error"), {}, { part: "key" }],
  [
    "Fireworks, Together: overload",
    503,
    openAi("busy", "service_overloaded", "engine_overloaded"),
    {},
    { ...overloaded, part: "tier" }
  ],
  [
    "OpenRouter: a provider behind it",
    429,
    { error: { code: 429, message: "Provider returned error", metadata: { provider_name: "x", raw: "busy" } } },
    {},
    { part: "lane" }
  ],
  ["a page", 429, "<html>", {}, { part: "lane" }],
  ["an empty account", 429, openAi("quota", "insufficient_quota", "insufficient_quota"), {}, undefined],
  ["a failure", 500, openAi("oh", null, "server_error"), {}, undefined]
] as const
