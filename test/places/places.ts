/** One place of upstreams and the models that are tried there. */
export interface TriedPlace {
  readonly provider: string
  readonly protocol: string
  readonly models: ReadonlyArray<string>
  readonly more?: Readonly<Record<string, unknown>>
}

const claude = ["claude-sonnet-4-5", "claude-opus-4-6", "claude-opus-4-8", "claude-3-5-haiku-20241022"]
const bedrockClaude = [
  "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  "us.anthropic.claude-opus-4-6-v1:0",
  "us.anthropic.claude-opus-4-8",
  "us.anthropic.claude-3-5-haiku-20241022-v1:0"
]
const openai = ["gpt-4.1", "o4-mini", "gpt-5", "gpt-5.2", "gpt-5.4", "gpt-5.6"]
const gemini = ["gemini-2.5-pro", "gemini-2.5-flash", "gemini-3-pro-preview"]

export const tried: Readonly<Record<string, TriedPlace>> = {
  anthropic: { provider: "anthropic", protocol: "anthropic-messages", models: claude },
  "bedrock-invoke": {
    provider: "bedrock",
    protocol: "anthropic-messages",
    models: bedrockClaude,
    more: { region: "us-east-1" }
  },
  "bedrock-mantle": {
    provider: "mantle",
    protocol: "anthropic-messages",
    models: ["anthropic.claude-sonnet-4-5", "anthropic.claude-opus-4-8"],
    more: { region: "us-east-1" }
  },
  "vertex-claude": {
    provider: "vertex",
    protocol: "anthropic-messages",
    models: ["claude-sonnet-4-5@20250929", "claude-opus-4-8"],
    more: { region: "us-east5", project: "p" }
  },
  "foundry-claude": {
    provider: "foundry",
    protocol: "anthropic-messages",
    models: ["claude-opus-4-6", "claude-opus-4-8"],
    more: { resource: "r" }
  },
  "bedrock-converse": {
    provider: "bedrock",
    protocol: "bedrock-converse",
    more: { region: "us-east-1" },
    models: [
      ...bedrockClaude.slice(0, 3),
      "us.amazon.nova-pro-v1:0",
      "us.amazon.nova-micro-v1:0",
      "us.meta.llama3-3-70b-instruct-v1:0",
      "us.meta.llama4-maverick-17b-instruct-v1:0",
      "us.mistral.pixtral-large-2502-v1:0",
      "us.writer.palmyra-x5-v1:0",
      "us.deepseek.r1-v1:0",
      "cohere.command-r-plus-v1:0",
      "openai.gpt-oss-120b-1:0"
    ]
  },
  "openai-responses": { provider: "openai", protocol: "openai-responses", models: openai },
  "openai-chat": { provider: "openai", protocol: "openai-chat", models: openai },
  "azure-responses": { provider: "azure", protocol: "openai-responses", models: openai, more: { resource: "r" } },
  "azure-chat": { provider: "azure", protocol: "openai-chat", models: openai, more: { resource: "r" } },
  gemini: { provider: "gemini", protocol: "gemini", models: gemini },
  "vertex-gemini": {
    provider: "vertex",
    protocol: "gemini",
    models: gemini,
    more: { region: "us-central1", project: "p" }
  },
  deepseek: {
    provider: "deepseek",
    protocol: "openai-chat",
    models: ["deepseek-chat", "deepseek-reasoner", "deepseek-v4"]
  },
  groq: {
    provider: "groq",
    protocol: "openai-chat",
    models: ["llama-3.3-70b-versatile", "openai/gpt-oss-120b", "qwen/qwen3-32b"]
  },
  mistral: {
    provider: "mistral",
    protocol: "openai-chat",
    models: ["mistral-large-latest", "magistral-medium-latest"]
  },
  xai: { provider: "xai", protocol: "openai-chat", models: ["grok-4", "grok-3-mini", "grok-4.3"] },
  cerebras: { provider: "cerebras", protocol: "openai-chat", models: ["gpt-oss-120b", "llama-3.3-70b"] },
  vllm: { provider: "vllm", protocol: "openai-chat", models: ["Qwen/Qwen3-32B", "mistralai/Mistral-7B-Instruct-v0.3"] },
  ollama: { provider: "ollama", protocol: "openai-chat", models: ["llama3.2"] }
}
