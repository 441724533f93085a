/** The headers by which Anthropic's clients are known, at paths that several dialects have. */
export const anthropicHeaders = ["anthropic-version", "x-api-key"] as const

/** True for a request of one of Anthropic's clients. */
export const isAnthropicClient = (headers: Headers): boolean => anthropicHeaders.some((name) => headers.has(name))
