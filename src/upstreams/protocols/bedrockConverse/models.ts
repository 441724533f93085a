import { traitsOf as claudeTraitsOf } from "../anthropicMessages/models.ts"
import type { Traits } from "../anthropicMessages/models.ts"
import type { Effort } from "../reasoning.ts"

/** The parts of the dialect that a model takes. */
export interface ConverseTraits {
  /** Set for Claude, whose generations differ. */
  readonly claude?: Traits
  /** The efforts of `reasoningConfig`; none if there is no such thing. */
  readonly efforts: ReadonlyArray<Effort>
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
  /** The most stop sequences that it accepts. The gateway searches for the others itself. */
  readonly maxStops: number
}

const usual: ConverseTraits = {
  efforts: [],
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
  marksErrors: true
}

/** The first match counts. */
const rows: ReadonlyArray<readonly [RegExp, ConverseTraits]> = [
  [/\bnova-2/, { ...nova, efforts: ["low", "medium", "high"] }],
  [/\bnova-/, nova],
  [/\bmistral\./, { ...usual, toolChoice: "words", maxStops: 10 }]
]

export const traitsOf = (model: string): ConverseTraits =>
  model.includes("claude-") ? claude(model) : (rows.find(([pattern]) => pattern.test(model))?.[1] ?? usual)

const claude = (model: string): ConverseTraits => {
  const traits = claudeTraitsOf(model)
  return {
    claude: traits,
    efforts: [],
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
