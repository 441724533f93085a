import { firstMatch } from "../../../contract/text/firstMatch.ts"
import type { Effort } from "../reasoning.ts"
import type { Provider } from "./Provider.ts"

type Deviations = Partial<Provider>

const by = (...efforts: ReadonlyArray<Effort>): Deviations => ({
  maxTokens: "max_completion_tokens",
  reasoning: { by: "effort", efforts }
})

/** Reasons always, and takes no stop sequences. */
const early: Deviations = { samples: "if told not to reason", maxStops: 0 }

/**
 * Deviations of OpenAI's own models by chat completions, by generation. The first match counts. Models that reason only
 * on request accept sampling parameters otherwise; the newest need an explicit `none` beside functions. Sources:
 * OpenAI's guides on reasoning and on the latest model; BerriAI/litellm pull 34569, pipecat-ai/pipecat issue 4043.
 */
const rows: ReadonlyArray<readonly [RegExp, Deviations]> = [
  [/gpt-oss/, {}],
  [/gpt-[34]|chatgpt|gpt-[\d.]{1,6}-chat/, { reasoning: { by: "effort", efforts: [] } }],
  [/(?:^|\/)o\d/, { ...by("low", "medium", "high"), ...early, parallelToolCalls: false }],
  [/gpt-5-pro/, { ...by("high"), ...early }],
  [/gpt-5(?![.\d])/, { ...by("minimal", "low", "medium", "high"), ...early }],
  [/gpt-5\.1(?!\d)/, { ...by("none", "low", "medium", "high"), samples: "unless reasoning" }],
  [/gpt-5\.[23](?!\d)/, { ...by("none", "low", "medium", "high", "xhigh"), samples: "unless reasoning" }],
  [
    /gpt-5\.[45](?!\d)/,
    { ...by("none", "low", "medium", "high", "xhigh"), samples: "unless reasoning", functions: "no effort" }
  ],
  [
    /gpt-(?:5\.|[6-9]|\d\d)/,
    {
      ...by("none", "low", "medium", "high", "xhigh", "max"),
      samples: "if told not to reason",
      functions: "none"
    }
  ]
]

/** A server's row for one of its models, by the model's public id. */
export const ofModel = (provider: Provider, model: string): Provider => {
  const all = provider.servesOpenAi ? rows : provider.models
  const deviations = all.length === 0 ? undefined : firstMatch(all, model)
  return deviations === undefined ? provider : { ...provider, ...deviations }
}
