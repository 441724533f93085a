import { anthropic, azureFilter, chat, google, message, openAi, response, vllm } from "./refusing.ts"
import type { Refusing } from "./refusing.ts"

/**
 * Error bodies as the providers send them, from reports of their users: openai/codex 7250 and 38849, himanushi/chat-code
 * 17, compl-ai 20, anthropics/claude-code 58367, BerriAI/litellm 6975, goose 7504, aws-samples/assessment-generator 2,
 * google-gemini/gemini-cli 4231 and 6678, vllm 4667 and ogx 4534, OpenHands 8149, and the providers' documents.
 */
export const refusals: ReadonlyArray<Refusing> = [
  {
    provider: "OpenAI",
    protocol: "openai-responses",
    reason: "too_long",
    status: 400,
    body: openAi(
      "context_length_exceeded",
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "input"
    )
  },
  {
    provider: "OpenAI",
    protocol: "openai-chat",
    reason: "too_long",
    status: 400,
    body: openAi(
      "context_length_exceeded",
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens. Please reduce the length of the messages.",
      "messages"
    )
  },
  {
    provider: "OpenAI",
    protocol: "openai-chat",
    reason: "refused",
    status: 400,
    body: openAi(
      "invalid_prompt",
      "Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt: https://platform.openai.com/docs/guides/reasoning#advice-on-prompting"
    )
  },
  {
    provider: "OpenAI",
    protocol: "openai-responses",
    reason: "refused",
    status: 200,
    ...response("incomplete", "content_filter", 0)
  },
  {
    provider: "OpenAI",
    protocol: "openai-responses",
    reason: "failed",
    status: 429,
    body: {
      error: {
        message: "You exceeded your current quota, please check your plan and billing details.",
        type: "insufficient_quota",
        param: null,
        code: "insufficient_quota"
      }
    }
  },
  {
    provider: "OpenAI",
    protocol: "openai-responses",
    reason: "failed",
    status: 200,
    ...response("completed", undefined, 0)
  },
  {
    provider: "Azure",
    protocol: "openai-chat",
    reason: "too_long",
    status: 400,
    body: openAi(
      "context_length_exceeded",
      "This model's maximum context length is 4097 tokens. However, you requested 4120 tokens (3120 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
      "messages"
    )
  },
  { provider: "Azure", protocol: "openai-chat", reason: "refused", status: 400, body: { error: azureFilter } },
  { provider: "Azure", protocol: "openai-chat", reason: "refused", status: 200, ...chat("content_filter", 0) },
  {
    provider: "Azure",
    protocol: "openai-chat",
    reason: "failed",
    status: 429,
    body: {
      error: {
        code: "429",
        message:
          "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 9 seconds."
      }
    }
  },
  {
    provider: "Anthropic",
    protocol: "anthropic-messages",
    reason: "too_long",
    status: 400,
    body: anthropic("invalid_request_error", "prompt is too long: 209303 tokens > 200000 maximum")
  },
  {
    provider: "Anthropic",
    protocol: "anthropic-messages",
    reason: "refused",
    status: 400,
    body: anthropic("invalid_request_error", "Output blocked by content filtering policy")
  },
  { provider: "Anthropic", protocol: "anthropic-messages", reason: "refused", status: 200, ...message("refusal", 0) },
  {
    provider: "Anthropic",
    protocol: "anthropic-messages",
    reason: "failed",
    status: 529,
    body: anthropic("overloaded_error", "Overloaded")
  },
  { provider: "Anthropic", protocol: "anthropic-messages", reason: "failed", status: 200, ...message("end_turn", 0) },
  {
    provider: "Bedrock",
    protocol: "openai-chat",
    reason: "too_long",
    status: 400,
    body: { message: "Input is too long for requested model." }
  },
  {
    provider: "Bedrock",
    protocol: "anthropic-messages",
    reason: "too_long",
    status: 400,
    body: { message: "The model returned the following errors: prompt is too long: 227255 tokens > 200000 maximum" }
  },
  { provider: "Bedrock", protocol: "openai-chat", reason: "refused", status: 200, ...chat("guardrail_intervened", 0) },
  {
    provider: "Bedrock",
    protocol: "openai-chat",
    reason: "failed",
    status: 429,
    body: { message: "Too many tokens, please wait before trying again." }
  },
  {
    provider: "Gemini",
    protocol: "openai-chat",
    reason: "too_long",
    status: 400,
    body: google(
      400,
      "INVALID_ARGUMENT",
      "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576)."
    )
  },
  {
    provider: "Gemini",
    protocol: "openai-chat",
    reason: "refused",
    status: 200,
    ...chat("PROHIBITED_CONTENT", 0)
  },
  {
    provider: "Gemini",
    protocol: "openai-chat",
    reason: "failed",
    status: 503,
    body: google(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")
  },
  { provider: "Gemini", protocol: "openai-chat", reason: "failed", status: 200, ...chat("stop", 0) },
  {
    provider: "vLLM",
    protocol: "openai-chat",
    reason: "too_long",
    status: 400,
    body: vllm(
      400,
      "BadRequestError",
      "This model's maximum context length is 6048 tokens. However, you requested 6616 tokens (6568 in the messages, 48 in the completion). Please reduce the length of the messages or completion."
    )
  },
  {
    provider: "vLLM",
    protocol: "openai-chat",
    reason: "too_long",
    status: 400,
    body: vllm(400, "BadRequestError", "max_tokens must be at least 1, got -186.")
  },
  {
    provider: "vLLM",
    protocol: "openai-chat",
    reason: "failed",
    status: 500,
    body: vllm(
      500,
      "InternalServerError",
      "EngineCore encountered an issue. See stack trace (above) for the root cause."
    )
  },
  {
    provider: "OpenRouter",
    protocol: "openai-chat",
    reason: "too_long",
    status: 400,
    body: {
      error: {
        code: 400,
        message:
          'This endpoint\'s maximum context length is 40960 tokens. However, you requested about 42988 tokens (42892 of text input, 96 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.'
      }
    }
  },
  {
    provider: "OpenRouter",
    protocol: "openai-chat",
    reason: "refused",
    status: 403,
    body: {
      error: {
        code: 403,
        message: 'openai/gpt-5 requires moderation on OpenAI. Your input was flagged for "violence/graphic".',
        metadata: {
          reasons: ["violence/graphic"],
          flagged_input: "how do I",
          provider_name: "OpenAI",
          model_slug: "openai/gpt-5"
        }
      }
    }
  },
  {
    provider: "OpenRouter",
    protocol: "openai-chat",
    reason: "refused",
    status: 400,
    body: {
      error: {
        code: 400,
        message: "Provider returned error",
        metadata: { raw: JSON.stringify({ error: azureFilter }), provider_name: "Azure" }
      }
    }
  },
  {
    provider: "OpenRouter",
    protocol: "openai-chat",
    reason: "failed",
    status: 502,
    body: {
      error: {
        code: 502,
        message: "Provider returned error",
        metadata: { raw: "upstream connect error", provider_name: "DeepInfra" }
      }
    }
  },
  {
    provider: "Mistral",
    protocol: "openai-chat",
    reason: "too_long",
    status: 400,
    body: {
      object: "error",
      message: "Prompt contains 36021 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      type: "invalid_request_prompt",
      param: null,
      code: "3051"
    }
  },
  { provider: "Mistral", protocol: "openai-chat", reason: "too_long", status: 200, ...chat("model_length", 0) },
  {
    provider: "Mistral",
    protocol: "openai-chat",
    reason: "failed",
    status: 429,
    body: {
      object: "error",
      message: "Service tier capacity exceeded for this model.",
      type: "service_tier_capacity_exceeded",
      param: null,
      code: "3505"
    }
  }
]
