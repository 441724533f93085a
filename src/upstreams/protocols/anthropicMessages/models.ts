/** What a generation of models takes. The dialect is one; what a model answers 400 to is not. */
export interface Traits {
  /** `max_tokens` where the caller sets no bound: the dialect wants one, a model refuses more than it has. */
  readonly maxTokens: number
  /** How thinking is asked for: with a budget, or left to the model within an effort. */
  readonly thinking: "none" | "budget" | "adaptive"
  /** Whether `output_config.format` and strict tools are there. */
  readonly structured: boolean
  /** Which of temperature and top_p may be set; newer models take one of them, the newest none. */
  readonly sampling: "all" | "one" | "none"
}

/** The first match counts. Dated and prefixed ids (`anthropic/claude-…`) match too. */
const rows: ReadonlyArray<readonly [RegExp, Traits]> = [
  [/claude-3-(opus|sonnet|haiku)/, { maxTokens: 4_096, thinking: "none", structured: false, sampling: "all" }],
  [/claude-3[-.]5/, { maxTokens: 8_192, thinking: "none", structured: false, sampling: "all" }],
  [/claude-3[-.]7/, { maxTokens: 32_000, thinking: "budget", structured: false, sampling: "all" }],
  [/claude-\w+-4([-.][01])?(-\d{8})?$/, { maxTokens: 32_000, thinking: "budget", structured: false, sampling: "all" }],
  [/claude-\w+-4[-.]5/, { maxTokens: 32_000, thinking: "budget", structured: true, sampling: "one" }],
  [/claude-\w+-4[-.]6/, { maxTokens: 32_000, thinking: "adaptive", structured: true, sampling: "one" }],
  [/claude-/, { maxTokens: 32_000, thinking: "adaptive", structured: true, sampling: "none" }]
]

/** Servers of the same dialect with models of their own. */
const other: Traits = { maxTokens: 8_192, thinking: "budget", structured: false, sampling: "all" }

export const traitsOf = (model: string): Traits => rows.find(([pattern]) => pattern.test(model))?.[1] ?? other
