import { firstMatch } from "../../../contract/text/firstMatch.ts"
import type { Effort } from "../reasoning.ts"

/** The features of a generation of models. The dialect is the same, but models answer 400 to different things. */
export interface Traits {
  /** The default `max_tokens`: the dialect requires one, and a model refuses more than its maximum. */
  readonly maxTokens: number
  /** The form of a thinking request: a budget, or an effort that leaves it to the model. */
  readonly thinking: "none" | "budget" | "adaptive"
  /** The efforts of a model that decides for itself how much it thinks. */
  readonly efforts: ReadonlyArray<Effort>
  /** True if the model has `output_config.format` and strict tools. */
  readonly structured: boolean
  /**
   * The sampling parameters that may be set, of temperature and top_p. Newer models accept one of them, the newest
   * none.
   */
  readonly sampling: "all" | "one" | "none"
}

/** The first match counts. Dated and prefixed ids (`anthropic/claude-…`) match too, and a cloud's (`…-v1:0`, `…@…`). */
const rows: ReadonlyArray<readonly [RegExp, Traits]> = [
  [
    /claude-3-(opus|sonnet|haiku)/,
    { maxTokens: 4_096, thinking: "none", efforts: [], structured: false, sampling: "all" }
  ],
  [/claude-3[-.]5/, { maxTokens: 8_192, thinking: "none", efforts: [], structured: false, sampling: "all" }],
  [/claude-3[-.]7/, { maxTokens: 32_000, thinking: "budget", efforts: [], structured: false, sampling: "all" }],
  [
    /claude-\w+-4([-.][01])?([-@]\d{8})?(-v\d(:\d)?)?$/,
    { maxTokens: 32_000, thinking: "budget", efforts: [], structured: false, sampling: "all" }
  ],
  [/claude-\w+-4[-.]5/, { maxTokens: 32_000, thinking: "budget", efforts: [], structured: true, sampling: "one" }],
  [
    /claude-\w+-4[-.]6/,
    {
      maxTokens: 32_000,
      thinking: "adaptive",
      efforts: ["low", "medium", "high", "max"],
      structured: true,
      sampling: "one"
    }
  ],
  [
    /claude-/,
    {
      maxTokens: 32_000,
      thinking: "adaptive",
      efforts: ["low", "medium", "high", "xhigh", "max"],
      structured: true,
      sampling: "none"
    }
  ]
]

/** Servers of the dialect with models of their own. */
const other: Traits = { maxTokens: 8_192, thinking: "budget", efforts: [], structured: false, sampling: "all" }

/** An id of the newest models. */
const newest = "claude-newest"

/** The id by which a model counts at a place that has Claude alone: a deployment's own name says nothing. */
export const claudeNamed = (model: string): string => (model.includes("claude") ? model : newest)

export const traitsOf = (model: string): Traits => firstMatch(rows, model) ?? other
