import type { Ask, Refusal } from "./rule.ts"

/** The refusals of an input that is too long, in the words of each place. */
export const overflowOf = ({ model, place }: Ask): Refusal => {
  switch (place) {
    case "bedrock-invoke":
      return { says: "Input is too long for requested model." }
    case "bedrock-converse":
      return {
        says: model.includes("nova")
          ? "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again."
          : model.includes("claude")
            ? "The model returned the following errors: prompt is too long: 227255 tokens > 200000 maximum"
            : model.includes("llama")
              ? "This model's maximum context length is 131072 tokens. Please reduce the length of the prompt"
              : "Input is too long for requested model."
      }
    case "openai-responses":
    case "azure-responses":
      return {
        says: "Your input exceeds the context window of this model. Please adjust your input and try again.",
        param: "input",
        code: "context_length_exceeded"
      }
    case "openai-chat":
    case "azure-chat":
      return {
        says: "This model's maximum context length is 272000 tokens. However, your messages resulted in 290000 tokens. Please reduce the length of the messages.",
        param: "messages",
        code: "context_length_exceeded"
      }
    case "gemini":
      return {
        says: "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576)."
      }
    case "vertex-gemini":
      return {
        says: "Unable to submit request because the input token count is 1200293 but model only supports up to 1048576. Reduce the input token count and try again. You can also use the CountTokens API to calculate prompt token count and billable characters. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini"
      }
    case "deepseek":
      return {
        says: "This model's maximum context length is 131072 tokens. However, you requested 139264 tokens (131073 in the messages, 8191 in the completion). Please reduce the length of the messages or completion.",
        code: "invalid_request_error"
      }
    case "groq":
      return { says: "Please reduce the length of the messages or completion." }
    case "cerebras":
      return {
        says: "Please reduce the length of the messages or completion. Current length is 142328 while limit is 131072"
      }
    case "mistral":
      return {
        says: "Prompt contains 136021 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
        type: "invalid_request_prompt",
        code: "3051"
      }
    case "xai":
      return { says: "This model's maximum prompt length is 131072 but the request contains 171234 tokens." }
    case "vllm":
      return {
        says: "You passed 131073 input tokens and requested 0 output tokens. However, the model's context length is only 131072 tokens, resulting in a maximum input length of 131072 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=131073)"
      }
    case "ollama":
      return { says: "prompt too long; exceeded max context length by 4096 tokens" }
    default:
      return { says: "prompt is too long: 208310 tokens > 200000 maximum" }
  }
}
