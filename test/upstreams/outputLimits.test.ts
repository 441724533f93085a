import { describe, expect, it } from "@effect/vitest"
import { LearnedLimits } from "../../src/upstreams/outputLimits/LearnedLimits.ts"
import { namedLimit } from "../../src/upstreams/outputLimits/outputRefusals.ts"
import { conversation } from "../messages/request.ts"

const vllm =
  "This model's maximum context length is 40960 tokens. However, you requested 64012 tokens (12 in the messages, 64000 in the completion). Please reduce the length of the messages or completion."
const context = (contextTokens: number, inputTokens?: number) => ({ contextTokens, inputTokens, isWhole: true })
const output = (outputTokens: number) => ({ outputTokens, isWhole: true })

describe("a refusal of too much output", () => {
  it.each([
    [vllm, context(40_960, 12)],
    [
      "'max_tokens' or 'max_completion_tokens' is too large: 64000. This model's maximum context length is 40960 tokens and your request has 12 input tokens (64000 > 40960 - 12).",
      context(40_960, 12)
    ],
    [
      "This model's maximum context length is 32768 tokens. However, you requested 32000 output tokens and your prompt contains at least 769 input tokens, for a total of at least 32769 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=769)",
      context(32_768)
    ],
    [
      "You passed 99073 input tokens and requested 32000 output tokens. However, the model's context length is only 131072 tokens, resulting in a maximum input length of 99072 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=99073)",
      context(131_072)
    ],
    ["max_tokens=8888 cannot be greater than max_model_len=max_total_tokens=3072.", context(3_072)],
    [
      "max_completion_tokens=131072 cannot be greater than max_model_len=128000. Please request fewer output tokens.",
      context(128_000)
    ],
    [
      "Requested token count exceeds the model's maximum context length of 202752 tokens. You requested a total of 202941 tokens: 170941 tokens from the input messages and 32000 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.",
      context(202_752, 170_941)
    ],
    [
      "This endpoint's maximum context length is 65536 tokens. However, you requested about 65810 tokens (1430 of text input, 380 of tool input, 64000 in the output). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically.",
      context(65_536)
    ],
    [
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 12 `inputs` tokens and 64000 `max_new_tokens`",
      context(8_193, 12)
    ],
    [
      "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
      context(200_000, 188_240)
    ],
    [
      "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku-20241022",
      output(8_192)
    ],
    [
      "max_tokens is too large: 64000. This model supports at most 16384 completion tokens, whereas you provided 64000.",
      output(16_384)
    ],
    [
      "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 16384, but got 64000 instead.",
      output(16_384)
    ],
    [
      "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
      output(8_192)
    ],
    ["Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", output(8_192)],
    ["<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]", output(8_192)],
    [
      "The maximum tokens you requested exceeds the model limit of 8192. Try again with a maximum tokens value that is lower than 8192.",
      output(8_192)
    ],
    [
      "max_tokens (64000) exceeds model's maximum output tokens (32768) for model glm-5.3 (ref: 3761884e-8e9b-4c46)",
      output(32_768)
    ]
  ])("names a limit: %s", (message, limit) => {
    expect(namedLimit(message)).toMatchObject(limit)
  })

  it("is none where it is about something else", () => {
    for (const message of [
      "",
      "tools.0.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
      "max_tokens: Field required",
      "This model's maximum context length is 40960 tokens."
    ]) {
      expect(namedLimit(message)).toBeUndefined()
    }
  })

  it("is not whole within other words", () => {
    expect(namedLimit(`litellm.BadRequestError: ${vllm}`)?.isWhole).toBe(false)
    expect(namedLimit(`${vllm} Received: hello`)?.isWhole).toBe(false)
  })
})

describe("an upstream's limits", () => {
  const asks = (max_tokens: number) => conversation({ max_tokens })
  let nowMs = 0
  const limits = () => new LearnedLimits(() => nowMs)

  it("are remembered for ten minutes, by model", () => {
    const learned = limits()
    expect(learned.learn("qwen", asks(64_000), vllm, {})).toBe(40_960 - 12)
    const most = learned.mostFor("qwen", asks(64_000))!
    expect(most).toBeLessThan(40_960)
    expect(most).toBeGreaterThan(40_000)
    expect(learned.mostFor("qwen", asks(30_000))).toBeUndefined()
    expect(learned.mostFor("other", asks(64_000))).toBeUndefined()
    nowMs += 599_999
    expect(learned.mostFor("qwen", asks(64_000))).toBe(most)
    nowMs += 1
    expect(learned.mostFor("qwen", asks(64_000))).toBeUndefined()
  })

  it("are forgotten where there are too many: callers of a wildcard name models", () => {
    const learned = limits()
    for (let index = 0; index <= 1_000; index++) learned.learn(`qwen-${index}`, asks(64_000), vllm, {})
    expect(learned.mostFor("qwen-0", asks(64_000))).toBeUndefined()
    expect(learned.mostFor("qwen-1000", asks(64_000))).toBeDefined()
  })

  it("of output and of context both count", () => {
    const learned = limits()
    learned.learn("qwen", asks(64_000), vllm, {})
    learned.learn("qwen", asks(64_000), "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", {})
    expect(learned.mostFor("qwen", asks(64_000))).toBe(8_192)
  })

  it.each([
    ["the request has the sentence in it", vllm, { messages: [{ role: "user", content: `say ${vllm}` }] }],
    ["other words are around it", `litellm.BadRequestError: ${vllm}`, {}]
  ])("help this request alone where %s", (_, message, sent) => {
    const learned = limits()
    expect(learned.learn("qwen", asks(64_000), message, sent)).toBe(40_960 - 12)
    expect(learned.mostFor("qwen", asks(64_000))).toBeUndefined()
  })

  it("change nothing where the input alone is too long, or where the request asks for less", () => {
    const full =
      "This model's maximum context length is 4096 tokens. However, you requested 9100 tokens (5100 in the messages, 4000 in the completion). Please reduce the length of the messages or completion."
    expect(limits().learn("qwen", asks(4_000), full, {})).toBeUndefined()
    expect(limits().learn("qwen", asks(100), vllm, {})).toBeUndefined()
  })
})
