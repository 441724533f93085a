import { firstMatch } from "../../../contract/text/firstMatch.ts"
import { traitsOf as claudeTraitsOf } from "../anthropicMessages/models.ts"
import type { Traits } from "../anthropicMessages/models.ts"
import type { ThinkTag } from "../openaiChat/think.ts"
import type { Effort } from "../reasoning.ts"

/** The parts of the dialect that a model takes. */
export interface ConverseTraits {
  /** Set for Claude, whose generations differ. */
  readonly claude?: Traits
  /** The efforts of `reasoningConfig`; none if there is no such thing. */
  readonly efforts: ReadonlyArray<Effort>
  /** False if it refuses system text. */
  readonly system: boolean
  /** `whole`: it refuses tools in a stream, so it is asked for a whole answer. */
  readonly tools: "streamed" | "whole" | "none"
  /** `outside results`: results of tools may hold none. */
  readonly images: "everywhere" | "outside results" | "none"
  /** True if it has `outputConfig.textFormat` and strict tools. */
  readonly structured: boolean
  /** Its own field for `top_k`. */
  readonly topK: "top_k" | "inferenceConfig" | undefined
  /** `all`: a named tool and any tool; `words`: any tool; `auto`: always auto. */
  readonly toolChoice: "all" | "words" | "auto"
  /** Places of cache points. */
  readonly cachePoints: "tools and prompts" | "prompts" | "none"
  /** True if cache points may last for an hour. */
  readonly longCache: boolean
  /** True if results of tools may have a status. */
  readonly marksErrors: boolean
  /** The tag of reasoning in its texts. */
  readonly thinkTag?: ThinkTag
  /** The most stop sequences that it accepts. The gateway searches for the others itself. */
  readonly maxStops: number
}

const usual: ConverseTraits = {
  efforts: [],
  system: true,
  tools: "streamed",
  images: "everywhere",
  structured: false,
  topK: undefined,
  toolChoice: "auto",
  cachePoints: "none",
  longCache: false,
  marksErrors: false,
  maxStops: 4
}

const nova: ConverseTraits = {
  ...usual,
  topK: "inferenceConfig",
  toolChoice: "all",
  cachePoints: "prompts",
  marksErrors: true,
  // langchain-ai/langchain-aws issue 783, BerriAI/litellm issue 9063.
  thinkTag: "thinking"
}

const mistral: ConverseTraits = { ...usual, toolChoice: "words", maxStops: 10 }
const earlyMistral: ConverseTraits = { ...mistral, tools: "whole", images: "none" }

/**
 * The first match counts; an unknown model takes everything. Sources: "Supported models and model features" of Bedrock's
 * guide; earendil-works/pi issues 3739 and 8643, n8n-io/n8n issue 14206, strands-agents/harness-sdk issue 32.
 */
const rows: ReadonlyArray<readonly [RegExp, ConverseTraits]> = [
  [/\bnova-2/, { ...nova, efforts: ["low", "medium", "high"] }],
  [/\bnova-micro/, { ...nova, images: "none" }],
  [/\bnova-/, nova],
  [/\btitan-/, { ...usual, system: false, tools: "none", images: "none" }],
  [/\bmeta\.llama3-(?:[13]|2-[13]b)/, { ...usual, tools: "whole", images: "none" }],
  [/\bmeta\.llama/, { ...usual, tools: "whole" }],
  [/\bmistral\.(?:mistral-7b|mixtral)/, { ...mistral, system: false, tools: "none", images: "none" }],
  [/\bmistral\.mistral-(?:large|small)-24/, earlyMistral],
  [/\bmistral\.pixtral/, { ...mistral, tools: "whole" }],
  [/\bmistral\./, mistral],
  [/\bwriter\./, { ...usual, tools: "whole", images: "none" }],
  [/\bdeepseek\.r1/, { ...usual, tools: "none", images: "none" }],
  [/\b(?:deepseek|cohere|ai21)\./, { ...usual, images: "none" }],
  [/\bopenai\./, { ...usual, images: "outside results" }]
]

export const traitsOf = (model: string): ConverseTraits =>
  model.includes("claude-") ? claude(model) : (firstMatch(rows, model) ?? usual)

const claude = (model: string): ConverseTraits => {
  const traits = claudeTraitsOf(model)
  return {
    ...usual,
    claude: traits,
    structured: traits.structured,
    topK: "top_k",
    toolChoice: "all",
    cachePoints: "tools and prompts",
    // Since 4.5, as structured output.
    longCache: traits.structured,
    marksErrors: true,
    maxStops: Infinity
  }
}
