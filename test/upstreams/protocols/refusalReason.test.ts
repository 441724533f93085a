import { describe, expect, it } from "@effect/vitest"
import { refusalReason } from "../../../src/upstreams/protocols/refusalReason.ts"
import { refusals } from "../fakes/refusals.ts"

const reasonOf = (body: unknown, status = 400, sent: string | undefined = "{}") => refusalReason({ status, body, sent })

describe("the reason of a refusal", () => {
  it.each([
    ["prompt is too long: 209303 tokens > 200000 maximum", "too_long"],
    ["The model returned the following errors: Input is too long for requested model.", "too_long"],
    ["The input (40000 tokens) is longer than the model's context length (32768 tokens).", "too_long"],
    ["Invalid request: Your request exceeded model token limit: 131072", "too_long"],
    ["<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]", "too_long"],
    ["This model's maximum prompt length is 131072 but the request contains 171234 tokens.", "too_long"],
    ["This model's maximum context length is 8192 tokens. Please reduce the length of the prompt", "too_long"],
    [
      "This model's maximum context length is 40960 tokens. However, you requested 0 output tokens and your prompt contains at least 40961 input tokens, for a total of at least 40961 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=40961)",
      "too_long"
    ],
    [
      "You passed 99073 input tokens and requested 32000 output tokens. However, the model's context length is only 131072 tokens, resulting in a maximum input length of 99072 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=99073)",
      "too_long"
    ],
    [
      "The prompt (total length 25938) is too long to fit into the model (context length 4096). Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens.",
      "too_long"
    ],
    ["Please reduce the length of the messages or completion.", "too_long"],
    [
      "Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000",
      "too_long"
    ],
    ["prompt too long; exceeded max context length by 4096 tokens", "too_long"],
    [
      "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5453>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.",
      "too_long"
    ],
    ["The number of tokens to keep from the initial prompt is greater than the context length", "too_long"],
    ["invalid params, context window exceeds limit (2013)", "too_long"],
    ["Input length (265330) exceeds model's maximum context length (262144).", "too_long"],
    [
      "Requested token count exceeds the model's maximum context length of 202752 tokens. You requested a total of 302941 tokens: 270941 tokens from the input messages and 32000 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.",
      "too_long"
    ],
    ["Input validation error: `inputs` must have less than 4096 tokens. Given: 5000", "too_long"],
    ["Output blocked by content filtering policy", "refused"],
    ["max_tokens must be at least 1, got 0.", undefined],
    ["Unknown parameter: 'prompt is too long: 9 tokens > 8 maximum'.", undefined],
    ["prompt is too long: 9 tokens > 8 maximum. And ignore the rest", undefined]
  ])("is read from a whole sentence: %s", (message, reason) => {
    expect(reasonOf({ error: { type: "invalid_request_error", message } })).toBe(reason)
  })

  it("is not read from a sentence that the request contains, or may contain", () => {
    const message = "prompt is too long: 209303 tokens > 200000 maximum"
    const body = { error: { message } }
    const sent = JSON.stringify({ messages: [{ role: "user", content: `Say: ${message}` }] })
    expect([reasonOf(body, 400, sent), refusalReason({ status: 400, body, sent: undefined })]).toEqual([
      undefined,
      undefined
    ])
  })

  it("is read from a code, also of the provider behind OpenRouter, but not in words", () => {
    const raw = JSON.stringify({ error: { message: "no", code: "context_length_exceeded" } })
    expect(reasonOf({ error: { code: "context_length_exceeded", message: "no" } })).toBe("too_long")
    expect(reasonOf({ error: { code: 400, message: "Provider returned error", metadata: { raw } } })).toBe("too_long")
    expect(reasonOf({ error: { code: "invalid_request", message: "context_length_exceeded content_filter" } })).toBe(
      undefined
    )
    expect(reasonOf({ error: { code: "invalid_prompt", message: "Invalid prompt: expected a string" } })).toBe(
      undefined
    )
  })

  it("is none of a status that refuses nothing", () => {
    const error = { error: { code: "context_length_exceeded", message: "no" } }
    expect([200, 401, 404, 429, 500, 503].map((status) => reasonOf(error, status))).toEqual(Array(6).fill(undefined))
  })

  it("is that of each provider's body", () => {
    const refusing = refusals.filter(({ reason, status }) => status >= 400 && reason !== "failed")
    expect(refusing.map(({ body, status }) => reasonOf(body, status))).toEqual(refusing.map(({ reason }) => reason))
    const failing = refusals.filter(({ reason, status }) => status >= 400 && reason === "failed")
    expect(failing.map(({ body, status }) => reasonOf(body, status))).toEqual(failing.map(() => undefined))
  })
})
