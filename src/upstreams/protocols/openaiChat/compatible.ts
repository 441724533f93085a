import { anyId, atMost, nineCharacters } from "../callIds.ts"
import type { CallIds } from "../callIds.ts"
import type { CarriedField } from "../../../generation/Conversation.ts"
import type { EndUserField } from "../endUser.ts"
import type { Effort } from "../reasoning.ts"
import type { ThinkTags } from "./think.ts"
import { providerAt, providerNamed } from "../../../config/providers/providers.ts"
import type { ProviderName } from "../../../config/providers/providers.ts"
import { schemaRules } from "../schemas.ts"
import type { SchemaRules } from "../schemas.ts"

/**
 * A server's deviations from the chat-completions dialect. Its addresses, variable and other names are in
 * `src/config/providers/`.
 */
export interface Provider {
  readonly maxTokens: "max_tokens" | "max_completion_tokens"
  /** True if a caller's other name of that bound may pass through. */
  readonly takesBothBounds: boolean
  readonly systemRole: "system" | "developer"
  /** True if system messages may stand between others; many chat templates refuse that. */
  readonly systemAnywhere: boolean
  readonly topK: boolean
  /** True if the server understands `stream_options.include_usage`. */
  readonly streamUsage: boolean
  readonly strictTools: boolean
  readonly schemas: SchemaRules
  /** `all`: words and a named tool; `words`: auto, none, required; `none`: always auto. */
  readonly toolChoice: "all" | "words" | "none"
  readonly parallelToolCalls: boolean
  /** True if a tool may be forced while the model thinks. */
  readonly forcesWhileThinking: boolean
  /** Fields of the dialect that it answers 4xx to. */
  readonly refuses: ReadonlySet<string>
  /** The optional fields of a conversation that it has. */
  readonly carries: ReadonlySet<CarriedField>
  readonly format: "schema" | "object" | "none"
  readonly reasoning: ReasoningControl
  /** True if it serves OpenAI's own models as OpenAI does, so that what they take depends on the model (`ofModel.ts`). */
  readonly servesOpenAi: boolean
  /** When `temperature` and `top_p` may be set: some models refuse them while they reason, and some reason by default. */
  readonly samples: "always" | "unless reasoning" | "if told not to reason"
  /** How functions are offered: beside any effort, with none or without one, or with `none` written out. */
  readonly functions: "any effort" | "no effort" | "none"
  readonly thinkTags: ThinkTags
  /** The fields that return reasoning inside a tool loop; none if it must not be returned. */
  readonly replayReasoning: ReadonlyArray<"reasoning_content" | "reasoning">
  /** True if `file` parts may hold PDFs. */
  readonly documents: boolean
  /** The most stop sequences that it accepts. The gateway searches for the others itself. */
  readonly maxStops: number
  readonly endUser: EndUserField | undefined
  readonly cacheKey: boolean
  /** True if it searches the web for requests with `web_search_options`. */
  readonly webSearch: boolean
  readonly callIds: CallIds
  /** True if a user message may directly follow a tool's result. */
  readonly userAfterTool: boolean
  /** The field that must come back with a tool call: `extra_content.google`, or the reasoning in front of it. */
  readonly signsCalls: "thought_signature" | "reasoning_details" | undefined
}

/** The form in which reasoning is requested. */
export type ReasoningControl =
  /** `reasoning_effort`, one of these. */
  | { readonly by: "effort"; readonly efforts: ReadonlyArray<Effort> }
  /** `thinking: {type: enabled | disabled}`. */
  | { readonly by: "thinking" }
  /** `enable_thinking` and `thinking_budget`. */
  | { readonly by: "enable_thinking" }
  /** `chat_template_kwargs` for templates with a switch, `reasoning_effort` for those with degrees. */
  | { readonly by: "template"; readonly efforts: ReadonlyArray<Effort> }
  /** `reasoning: {effort | max_tokens | enabled}`. */
  | { readonly by: "object"; readonly efforts: ReadonlyArray<Effort> }
  | { readonly by: "nothing" }

const degrees: ReadonlyArray<Effort> = ["low", "medium", "high"]

/** The features that most servers have. */
const usual: Provider = {
  maxTokens: "max_tokens",
  takesBothBounds: false,
  systemRole: "system",
  systemAnywhere: false,
  topK: false,
  streamUsage: true,
  strictTools: false,
  schemas: schemaRules.accepting,
  toolChoice: "all",
  parallelToolCalls: true,
  forcesWhileThinking: true,
  refuses: new Set(),
  carries: new Set(["logprobs"]),
  format: "schema",
  reasoning: { by: "effort", efforts: degrees },
  servesOpenAi: false,
  samples: "always",
  functions: "any effort",
  thinkTags: false,
  replayReasoning: [],
  documents: false,
  maxStops: 4,
  endUser: { name: "user" },
  cacheKey: false,
  webSearch: false,
  callIds: anyId,
  userAfterTool: true,
  signsCalls: undefined
}

/** An unknown server may be a proxy of any other. */
const generic: Provider = { ...usual, takesBothBounds: true, servesOpenAi: true }

/** vLLM and SGLang: sampling extensions, and a chat template that controls reasoning. */
const server: Provider = {
  ...usual,
  topK: true,
  strictTools: true,
  reasoning: { by: "template", efforts: degrees },
  replayReasoning: ["reasoning_content"],
  maxStops: 64
}

export const providers = {
  generic,
  openai: {
    ...usual,
    maxTokens: "max_completion_tokens",
    carries: new Set(["verbosity", "serviceTier", "logprobs"]),
    systemRole: "developer",
    systemAnywhere: true,
    strictTools: true,
    schemas: schemaRules.openai,
    reasoning: { by: "effort", efforts: ["none", "minimal", "low", "medium", "high", "xhigh"] },
    servesOpenAi: true,
    documents: true,
    endUser: { name: "safety_identifier", characters: 128 },
    cacheKey: true,
    webSearch: true,
    callIds: atMost(40)
  },
  // Older ones read `reasoning_content`, newer ones `reasoning`.
  vllm: { ...server, replayReasoning: ["reasoning_content", "reasoning"] },
  sglang: server,
  // Tool calls come whole, without an index; `tool_choice` is ignored.
  ollama: {
    ...usual,
    systemAnywhere: true,
    topK: true,
    toolChoice: "none",
    parallelToolCalls: false,
    reasoning: { by: "effort", efforts: ["none", "low", "medium", "high"] },
    replayReasoning: ["reasoning"],
    maxStops: 64,
    endUser: undefined
  },
  // A named tool choice silently becomes `auto`.
  llamacpp: { ...server, schemas: schemaRules.llamacpp, toolChoice: "words", endUser: undefined },
  // Answers 400 if a tool loop's reasoning is not returned.
  deepseek: {
    ...usual,
    systemAnywhere: true,
    parallelToolCalls: false,
    format: "object",
    forcesWhileThinking: false,
    reasoning: { by: "thinking" },
    replayReasoning: ["reasoning_content"],
    maxStops: 16,
    endUser: undefined
  },
  groq: {
    ...usual,
    carries: new Set(),
    schemas: schemaRules.groq,
    maxTokens: "max_completion_tokens",
    systemAnywhere: true,
    reasoning: { by: "effort", efforts: ["none", "low", "medium", "high"] },
    replayReasoning: ["reasoning"]
  },
  gemini: {
    ...usual,
    carries: new Set(),
    schemas: schemaRules.gemini,
    parallelToolCalls: false,
    reasoning: { by: "effort", efforts: ["none", "minimal", "low", "medium", "high"] },
    endUser: undefined,
    signsCalls: "thought_signature"
  },
  openrouter: {
    ...usual,
    carries: new Set(["verbosity", "logprobs"]),
    systemAnywhere: true,
    topK: true,
    strictTools: true,
    reasoning: { by: "object", efforts: ["none", "minimal", "low", "medium", "high", "xhigh"] },
    replayReasoning: ["reasoning"],
    documents: true,
    endUser: { name: "user", characters: 128 },
    webSearch: true,
    signsCalls: "reasoning_details"
  },
  // Answers 400 to other ids (code 3280), and to a user message directly after a tool (3230), 422 to unknown fields.
  mistral: {
    ...usual,
    refuses: new Set(["user", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"]),
    carries: new Set(),
    callIds: nineCharacters,
    userAfterTool: false,
    streamUsage: false,
    strictTools: true,
    reasoning: { by: "nothing" },
    maxStops: 16,
    endUser: undefined
  },
  together: { ...usual, topK: true },
  fireworks: { ...usual, topK: true, replayReasoning: ["reasoning_content"] },
  xai: {
    ...usual,
    maxTokens: "max_completion_tokens",
    systemAnywhere: true,
    reasoning: { by: "effort", efforts: ["low", "high"] },
    webSearch: true
  },
  qwen: {
    ...usual,
    carries: new Set(),
    topK: true,
    toolChoice: "all",
    forcesWhileThinking: false,
    reasoning: { by: "enable_thinking" },
    replayReasoning: ["reasoning_content"],
    endUser: undefined
  },
  moonshot: {
    ...usual,
    carries: new Set(),
    toolChoice: "words",
    parallelToolCalls: false,
    forcesWhileThinking: false,
    reasoning: { by: "thinking" },
    replayReasoning: ["reasoning_content"],
    endUser: undefined
  },
  zhipu: {
    ...usual,
    carries: new Set(),
    toolChoice: "none",
    parallelToolCalls: false,
    format: "object",
    reasoning: { by: "thinking" },
    replayReasoning: ["reasoning_content"],
    maxStops: 1,
    endUser: undefined
  }
} satisfies Readonly<Partial<Record<ProviderName, Provider>>>

/** With those that speak it as another row does. */
const rows: Readonly<Partial<Record<ProviderName, Provider>>> = {
  ...providers,
  // Older versions of its interface know no developers, and none searches the web for chat.
  azure: { ...providers.openai, systemRole: "system", webSearch: false },
  vertex: providers.gemini
}

/** The row of an upstream: by its setting, else its host, else its name, else `generic`. */
export const providerOf = (
  upstream: { readonly baseUrl: string; readonly name: string },
  provider?: string
): Provider => {
  const name = providerNamed(provider ?? "") ?? providerAt(upstream.baseUrl) ?? providerNamed(upstream.name)
  return (name === undefined ? undefined : rows[name]) ?? generic
}
