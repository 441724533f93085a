import type { FallbackReason } from "../../contract/records/FallbackReason.ts"
import { objectAt, parseJson, textAt } from "../../contract/json/json.ts"
import { isContentRefused, words } from "./errorMeaning.ts"
import type { ProviderError } from "./errorMeaning.ts"
import { errorIn, errorWords } from "./errorWords.ts"

/** Codes and types of an input that exceeds the context. */
const tooLong: ReadonlyMap<string, "too_long"> = new Map([
  // OpenAI, Azure, Groq, and many that copy it
  ["context_length_exceeded", "too_long"],
  ["model_context_window_exceeded", "too_long"],
  // GitHub
  ["model_max_prompt_tokens_exceeded", "too_long"],
  // Mistral
  ["3051", "too_long"],
  // llama.cpp
  ["exceed_context_size_error", "too_long"],
  // Zhipu
  ["1261", "too_long"]
])

/**
 * Whole messages of providers that give no code. Numbers, ids of models and names of parameters are all that varies.
 */
const sentences: ReadonlyArray<readonly [FallbackReason, RegExp]> = [
  // Anthropic, also on Bedrock
  ["too_long", /^prompt is too long(?:: \d+ tokens > \d+ maximum)?\.?$/i],
  ["too_long", /^input length and `max_tokens` exceed context limit: \d+ \+ \d+ > \d+(?:, [\w ,`]{1,80})?$/],
  ["refused", /^Output blocked by content filtering policy\.?$/],
  // Bedrock
  ["too_long", /^Input is too long for requested model\.?$/],
  ["too_long", /^Input Tokens Exceeded: Number of input tokens exceeds maximum length\. [\w ,.]{1,80}$/],
  // Llama on Bedrock
  ["too_long", /^This model's maximum context length is \d+ tokens\. Please reduce the length of the prompt\.?$/],
  // Gemini, Vertex
  ["too_long", /^The input token count (?:\(\d+\) )?exceeds the maximum number of tokens allowed \(?\d+\)?\.$/],
  [
    "too_long",
    /^Unable to submit request because the input token count is \d+ but model only supports up to \d+\. [\w .:/-]{1,300}$/
  ],
  // OpenAI's older models, DeepSeek, vLLM, OpenRouter
  [
    "too_long",
    /^This (?:model|endpoint)'s maximum context length is \d+ tokens[.,] [Hh]owever, [\w .,;:()="'-]{1,400}$/
  ],
  ["too_long", /^This model's maximum prompt length is \d+ but the request contains \d+ tokens\.$/],
  // vLLM
  ["too_long", /^The decoder prompt \(length \d+\) is longer than the maximum model length of \d+\. [\w `.-]{1,200}$/],
  [
    "too_long",
    /^The prompt \(total length \d+\) is too long to fit into the model \(context length \d+\)\. [\w `.-]{1,200}$/
  ],
  [
    "too_long",
    /^You passed \d+ input tokens and requested \d+ output tokens\. However, the model's context length is only \d+ tokens, [\w .,()=]{1,200}$/
  ],
  ["too_long", /^max_tokens must be at least 1, got -\d+\.$/],
  // Groq, Cerebras
  [
    "too_long",
    /^Please reduce the length of the messages or completion\.(?: Current length is \d+ while limit is \d+)?$/
  ],
  // Ollama
  ["too_long", /^prompt too long; exceeded (?:max )?context length by \d+ tokens$/],
  // LM Studio
  [
    "too_long",
    /^(?:The number of )?tokens to keep from the initial prompt is greater than the context length(?: \(n_keep: \d+ ?>=? n_ctx: \d+\))?(?:\. Try to load the model with a larger context length, or provide a shorter input)?\.?$/
  ],
  // MiniMax
  ["too_long", /^invalid params, context window exceeds limit(?: \(2013\))?$/],
  // SGLang, Together
  ["too_long", /^Input length \(?\d+\)? exceeds (?:the )?model's maximum context length \(\d+\)\.$/],
  [
    "too_long",
    /^Requested token count exceeds the model's maximum context length of \d+ tokens\. You requested a total of [\w .,:]{1,300}$/
  ],
  // Hugging Face's TGI
  ["too_long", /^(?:Input validation error: )?`inputs` must have less than \d+ tokens\. Given: \d+$/],
  ["too_long", /^The input \(\d+ tokens\) is longer than the model's context length \(\d+ tokens\)\.$/],
  // Mistral
  [
    "too_long",
    /^Prompt contains \d+ tokens(?: and \d+ draft tokens)?, too large for model with \d+ maximum context length$/
  ],
  // Moonshot
  ["too_long", /^Invalid request: Your request exceeded model token limit: \d+(?: \(requested: \d+\))?$/],
  // Alibaba
  ["too_long", /^(?:<400> InternalError\.Algo\.InvalidParameter: )?Range of input length should be \[1, ?\d+\]$/],
  // OpenAI: the code alone is also that of a malformed prompt
  [
    "refused",
    /^Invalid prompt: your prompt was flagged as potentially violating our usage policy\. [\w .:/#-]{1,200}$/
  ],
  ["refused", /^Invalid prompt: we've limited access to this content for safety reasons\.[\w .:/#-]{0,300}$/]
]

/** Bedrock's beginning of a model's own message. */
const bedrocks = /^The model returned the following errors: /

const longestSentence = 600

/**
 * The reason that another route or model might take the request; undefined if the refusal is about something else. A
 * code decides, otherwise a whole sentence that the request does not contain.
 */
export const refusalReason = (told: ProviderError): FallbackReason | undefined => {
  const { body, status } = told
  if (status !== undefined && !Number.isNaN(status) && !refusing.has(status)) return undefined
  const error = errorIn(body)
  const raw = parseJson(textAt(objectAt(error, "metadata"), "raw") ?? "")
  const errors = raw === undefined ? [error] : [error, errorIn(raw)]
  if (errors.some(isContentRefused)) return "refused"
  return (
    errors
      .flatMap(words)
      .map((word) => tooLong.get(word))
      .find((reason) => reason !== undefined) ?? bySentence(told)
  )
}

/** The statuses of refusals. */
const refusing: ReadonlySet<number> = new Set([400, 403, 413, 422])

const bySentence = ({ body, sent }: ProviderError): FallbackReason | undefined => {
  const message = errorWords(body)
  if (sent === undefined || message === undefined || message.length > longestSentence) return undefined
  const sentence = message.replace(bedrocks, "").trim()
  if (sent.includes(sentence)) return undefined
  return sentences.find(([, pattern]) => pattern.test(sentence))?.[0]
}
