/** A limit that an upstream named when it refused a request for too much output. */
export interface NamedLimit {
  /** The context window, for input and output together. */
  readonly contextTokens: number | undefined
  /** The input tokens as the upstream counts them; undefined if it did not count them all. */
  readonly inputTokens: number | undefined
  /** The most output tokens of the model. */
  readonly outputTokens: number | undefined
  /** True if the sentence is the whole message: nothing in it can come from the request. */
  readonly isWhole: boolean
}

/**
 * The sentences of providers that refuse too much output. Their only variable parts are numbers and the model's id, so
 * nothing of a request's text is in them.
 */
const sentences: ReadonlyArray<RegExp> = [
  // OpenAI's older models, DeepSeek, vLLM before 0.8.
  /This model's maximum context length is (?<context>\d+) tokens\. However, you requested \d+ tokens \((?<input>\d+) in the messages, \d+ in the completion\)\. Please reduce the length of the messages or completion\./,
  // vLLM. Since 0.17 it counts no more of the input than it needs.
  /'max_tokens' or 'max_completion_tokens' is too large: \d+\. This model's maximum context length is (?<context>\d+) tokens and your request has (?<input>\d+) input tokens \(\d+ > \d+ - \d+\)\./,
  /This model's maximum context length is (?<context>\d+) tokens\. However, you requested \d+ output tokens and your prompt contains at least \d+ input tokens, for a total of at least \d+ tokens\.(?: Please reduce the length of the input prompt or the number of requested output tokens\.)?/,
  /You passed \d+ input tokens and requested \d+ output tokens\. However, the model's context length is only (?<context>\d+) tokens, resulting in a maximum input length of \d+ tokens\. Please reduce the length of the input prompt\./,
  /max(?:_completion)?_tokens=\d+ cannot be greater than max_model_len=(?:max_total_tokens=)?(?<context>\d+)(?:\. Please request fewer output tokens)?\.?/,
  // SGLang.
  /Requested token count exceeds the model's maximum context length of (?<context>\d+) tokens\. You requested a total of \d+ tokens: (?<input>\d+) tokens from the input messages and \d+ tokens for the completion\. Please reduce the number of tokens in the input messages or the completion to fit within the limit\./,
  // OpenRouter. Its count of the input is approximate.
  /This endpoint's maximum context length is (?<context>\d+) tokens\. However, you requested about \d+ tokens \((?:\d+ of \w+ input, )+\d+ in the output\)\. Please reduce the length of either one(?:, or use the [\w"-]+ (?:transform|plugin) to compress your prompt automatically)?\./,
  // Hugging Face's TGI, Together.
  /(?:Input validation error: )?`inputs` tokens \+ `max_new_tokens` must be <= (?<context>\d+)\. Given: (?<input>\d+) `inputs` tokens and \d+ `max_new_tokens`/,
  // Anthropic.
  /input length and `max_tokens` exceed context limit: (?<input>\d+) \+ \d+ > (?<context>\d+)(?:, decrease input length or `max_tokens` and try again)?/,
  /max_tokens: \d+ > (?<output>\d+), which is the maximum allowed number of output tokens for [\w.:@/-]{1,200}/,
  // OpenAI: chat completions, responses.
  /max(?:_completion)?_tokens is too large: \d+\. This model supports at most (?<output>\d+) completion tokens, whereas you provided \d+\./,
  /Invalid 'max_(?:output|completion)_tokens': integer above maximum value\. Expected a value <= (?<output>\d+), but got \d+ instead\./,
  // Groq.
  /`max(?:_completion)?_tokens` must be less than or equal to `(?<output>\d+)`, the maximum value for `max(?:_completion)?_tokens` is less than the `context_window` for this model/,
  // DeepSeek.
  /Invalid max_tokens value, the valid range of max_tokens is \[1, ?(?<output>\d+)\]/,
  // Alibaba.
  /(?:<400> InternalError\.Algo\.InvalidParameter: )?Range of max_tokens should be \[1, ?(?<output>\d+)\]/,
  // Bedrock.
  /The maximum tokens you requested exceeds the model limit of (?<output>\d+)\.(?: Try again with a maximum tokens value that is lower than \d+\.)?/,
  // Ollama's cloud.
  /max_tokens \(\d+\) exceeds model's maximum output tokens \((?<output>\d+)\) for model [\w.:@/-]{1,200}/
]

/** vLLM adds the parameter to its sentences, Ollama's cloud an id. */
const suffix = /^(?: \(parameter=\w{1,40}, value=\d{1,20}\)| \(ref: [\w-]{1,64}\))?$/

/** The limit that an upstream's message names; undefined if it is about something else. */
export const namedLimit = (message: string): NamedLimit | undefined => {
  for (const sentence of sentences) {
    const found = sentence.exec(message)
    if (found === null) continue
    const { context, input, output } = found.groups ?? {}
    return {
      contextTokens: tokens(context),
      inputTokens: tokens(input),
      outputTokens: tokens(output),
      isWhole: found.index === 0 && suffix.test(message.slice(found[0].length))
    }
  }
  return undefined
}

const tokens = (digits: string | undefined): number | undefined => {
  const count = Number(digits ?? Number.NaN)
  return Number.isSafeInteger(count) && count > 0 ? count : undefined
}
