/** A place, and the model that stands for it. */
export interface Cell {
  readonly place: string
  readonly model: string
  /** False if the model reads texts alone. */
  readonly readsImages?: boolean
  /** The gateway's own bound of the conversation, in tokens: it refuses what is longer, and the place nothing. */
  readonly context?: number
}

const context = 60_000

export const cells: ReadonlyArray<Cell> = [
  { place: "anthropic", model: "claude-opus-4-8" },
  { place: "bedrock-invoke", model: "us.anthropic.claude-opus-4-8" },
  { place: "bedrock-converse", model: "us.anthropic.claude-opus-4-8" },
  { place: "bedrock-converse", model: "us.amazon.nova-pro-v1:0" },
  { place: "bedrock-converse", model: "us.meta.llama4-maverick-17b-instruct-v1:0" },
  { place: "bedrock-mantle", model: "anthropic.claude-opus-4-8" },
  { place: "vertex-claude", model: "claude-opus-4-8" },
  { place: "foundry-claude", model: "claude-opus-4-8" },
  { place: "openai-responses", model: "gpt-5.6" },
  { place: "openai-chat", model: "gpt-5.6" },
  { place: "azure-responses", model: "gpt-5.6" },
  { place: "azure-chat", model: "gpt-5.6" },
  { place: "gemini", model: "gemini-3-pro-preview" },
  { place: "vertex-gemini", model: "gemini-3-pro-preview" },
  { place: "deepseek", model: "deepseek-v4", readsImages: false },
  { place: "groq", model: "openai/gpt-oss-120b" },
  { place: "mistral", model: "mistral-large-latest" },
  { place: "xai", model: "grok-4.3" },
  { place: "cerebras", model: "gpt-oss-120b" },
  { place: "vllm", model: "Qwen/Qwen3-32B" },
  { place: "ollama", model: "llama3.2" },
  { place: "anthropic", model: "claude-opus-4-8", context },
  { place: "openai-responses", model: "gpt-5.6", context },
  { place: "gemini", model: "gemini-3-pro-preview", context },
  { place: "vllm", model: "Qwen/Qwen3-32B", context }
]
