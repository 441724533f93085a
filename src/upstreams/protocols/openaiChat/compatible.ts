import { Record } from "effect"
import { anyId, atMost, nineCharacters } from "../callIds.ts"
import type { Effort } from "../reasoning.ts"
import { providerAt, providerNamed } from "../../../config/providers/providers.ts"
import type { ProviderName } from "../../../config/providers/providers.ts"
import { schemaRules } from "../schemas.ts"
import { openaiCompletions } from "./completionModels.ts"
import type { Provider } from "./Provider.ts"
import { ofAnswers, withRules } from "./withRules.ts"
import type { Row } from "./withRules.ts"

const degrees: ReadonlyArray<Effort> = ["low", "medium", "high"]

/** The features that most servers have. */
const usual: Row = {
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
  seed: "seed",
  carries: new Set(["logprobs"]),
  format: "schema",
  formatsBesideTools: true,
  knowsEfforts: false,
  thinksByDefault: false,
  isOwn: false,
  refusesInMessages: new Set(),
  images: undefined,
  bytesAlone: false,
  strictTurns: false,
  systemFirst: false,
  alternates: false,
  models: [],
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
  completions: undefined,
  userAfterTool: true,
  signsCalls: undefined
}

/** An unknown server may be a proxy of any other. */
const generic: Row = { ...usual, documents: "unknown", completions: /./, takesBothBounds: true, servesOpenAi: true }

/** vLLM and SGLang: sampling extensions, and a chat template that controls reasoning. */
const server: Row = {
  ...usual,
  completions: /./,
  systemFirst: true,
  topK: true,
  strictTools: true,
  reasoning: { by: "template", efforts: degrees },
  replayReasoning: ["reasoning_content"],
  maxStops: 64
}

const written = {
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
    isOwn: true,
    refusesInMessages: new Set(["images"]),
    documents: true,
    endUser: { name: "safety_identifier", characters: 128 },
    cacheKey: true,
    webSearch: true,
    completions: openaiCompletions,
    callIds: atMost(40)
  },
  // Older ones read `reasoning_content`, newer ones `reasoning`.
  // Templates of Mistral's and Gemma's older models check that turns alternate.
  vllm: {
    ...server,
    replayReasoning: ["reasoning_content", "reasoning"],
    models: [[/mistral-7b|mixtral|gemma/i, { alternates: true }]]
  },
  sglang: server,
  // Tool calls come whole, without an index; `tool_choice` is ignored.
  ollama: {
    ...usual,
    completions: /./,
    systemAnywhere: true,
    topK: true,
    toolChoice: "none",
    parallelToolCalls: false,
    reasoning: { by: "effort", efforts: ["none", "low", "medium", "high"] },
    replayReasoning: ["reasoning"],
    images: /^image\/(?:png|jpeg|webp)$/,
    bytesAlone: true,
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
    images: "none",
    models: [
      [/deepseek-chat/, {}],
      [/./, { thinksByDefault: true }]
    ],
    reasoning: { by: "thinking" },
    replayReasoning: ["reasoning_content"],
    maxStops: 16,
    endUser: undefined
  },
  groq: {
    ...usual,
    carries: new Set(),
    refuses: new Set([
      "logprobs",
      "top_logprobs",
      "logit_bias",
      "n",
      "prediction",
      "prompt_cache_key",
      "prompt_cache_retention",
      "safety_identifier",
      "verbosity"
    ]),
    refusesInMessages: new Set(ofAnswers),
    formatsBesideTools: false,
    knowsEfforts: true,
    models: [
      [/gpt-oss/, { reasoning: { by: "effort", efforts: degrees } }],
      [/qwen/, { reasoning: { by: "effort", efforts: ["none"] } }],
      [/llama|gemma|mixtral|kimi|compound/, { reasoning: { by: "effort", efforts: [] } }]
    ],
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
    completions: /./,
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
    refuses: new Set([
      "logprobs",
      "top_logprobs",
      "logit_bias",
      "metadata",
      "prompt_cache_key",
      "prompt_cache_retention",
      "safety_identifier",
      "service_tier",
      "store",
      "stream_options",
      "user",
      "verbosity"
    ]),
    refusesInMessages: new Set([...ofAnswers, "reasoning"]),
    seed: "random_seed",
    strictTurns: true,
    carries: new Set(),
    callIds: nineCharacters,
    userAfterTool: false,
    streamUsage: false,
    strictTools: true,
    reasoning: { by: "nothing" },
    maxStops: 16,
    endUser: undefined
  },
  together: { ...usual, completions: /./, topK: true },
  fireworks: { ...usual, completions: /./, topK: true, replayReasoning: ["reasoning_content"] },
  xai: {
    ...usual,
    maxTokens: "max_completion_tokens",
    systemAnywhere: true,
    reasoning: { by: "effort", efforts: ["low", "high"] },
    knowsEfforts: true,
    // Its reasoning models take neither penalties nor stop sequences, most of them no effort.
    refuses: new Set(["frequency_penalty", "presence_penalty", "stop"]),
    maxStops: 0,
    models: [
      [/grok-3-mini|grok-4\.(?:3|20-multi-agent)/, {}],
      [/grok-[34]/, { reasoning: { by: "effort", efforts: [] } }]
    ],
    webSearch: true
  },
  cerebras: {
    ...usual,
    completions: /./,
    refuses: new Set([
      "frequency_penalty",
      "presence_penalty",
      "logit_bias",
      "metadata",
      "prompt_cache_key",
      "prompt_cache_retention",
      "safety_identifier",
      "store",
      "verbosity"
    ]),
    refusesInMessages: new Set(ofAnswers)
  },
  qwen: {
    ...usual,
    carries: new Set(),
    topK: true,
    forcesWhileThinking: false,
    reasoning: { by: "enable_thinking" },
    replayReasoning: ["reasoning_content"],
    endUser: undefined
  },
  moonshot: {
    ...usual,
    carries: new Set(),
    bytesAlone: true,
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
} satisfies Partial<Readonly<globalThis.Record<ProviderName, Row>>>

export const providers = Record.map(written, withRules)

/** With those that speak it as another row does. */
const rows: Readonly<Partial<{ readonly [Name in ProviderName]: Provider }>> = {
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
  return (name === undefined ? undefined : rows[name]) ?? providers.generic
}
