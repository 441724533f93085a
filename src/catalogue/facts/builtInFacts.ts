import { claudeVersion } from "../../config/providers/claudeVersion.ts"
import type { Modality, ModelFacts, ReasoningEffort } from "../../contract/records/ModelFacts.ts"
import { traitsOf as claudeTraits } from "../../upstreams/protocols/anthropicMessages/models.ts"
import { traitsOf as gptTraits } from "../../upstreams/protocols/openaiResponses/models.ts"

interface Row {
  /** The provider's id in the lists of prices. */
  readonly provider: string
  readonly models: RegExp
  readonly facts: ModelFacts | ((model: string) => ModelFacts)
}

const documents: ReadonlyArray<Modality> = ["text", "image", "file"]
const everything: ReadonlyArray<Modality> = ["text", "image", "audio", "video", "file"]
const writesText = { outputs: ["text"] } satisfies ModelFacts
const usual = { ...writesText, tools: true, structured_output: true, caching: true } satisfies ModelFacts

const gpt = (models: RegExp, context_tokens: number, more: ModelFacts = {}): Row => ({
  provider: "openai",
  models,
  facts: (model) => {
    const { efforts } = gptTraits(model)
    return { ...usual, context_tokens, inputs: documents, ...thinkingBy(efforts), ...more }
  }
})

const thinkingBy = (efforts: ReadonlyArray<ReasoningEffort>): ModelFacts => ({
  thinking: efforts.length > 0,
  ...(efforts.length > 0 && { efforts })
})

const gemini = (models: RegExp, more: ModelFacts): Row => ({
  provider: "google",
  models,
  facts: { ...usual, context_tokens: 1_048_576, inputs: everything, thinking: true, ...more }
})

const of = (provider: string, models: RegExp, context_tokens: number, facts: ModelFacts): Row => ({
  provider,
  models,
  facts: { ...writesText, tools: true, thinking: true, caching: true, context_tokens, ...facts }
})

const seesImages: ReadonlyArray<Modality> = ["text", "image"]
const small = { max_input_tokens: 272_000 } satisfies ModelFacts
const large = { max_input_tokens: 922_000 } satisfies ModelFacts

/**
 * The facts of makers' own models, as LiteLLM's list has them (1.110.2), with the windows of `@pydantic/genai-prices`.
 * The first row that matches counts; the longest output of Claude and GPT is that of `outputLimits.ts`.
 */
const rows: ReadonlyArray<Row> = [
  gpt(/^gpt-5\.6-cyber/, 400_000, small),
  gpt(/^gpt-(?:5\.6|6)(?![\d.]*-chat)/, 1_050_000, large),
  gpt(/^gpt-5\.[45]-pro/, 1_050_000, { structured_output: false }),
  gpt(/^gpt-5\.[45](?:$|-2)/, 1_050_000),
  gpt(/^gpt-5(?:$|-2|-mini|-nano|\.[123](?:$|-2|-codex)|\.2-pro|\.4-(?:mini|nano))/, 400_000, small),
  gpt(/^gpt-5-pro/, 400_000, { max_output_tokens: 272_000 }),
  gpt(/^gpt-4\.1/, 1_047_576),
  gpt(/^gpt-4o(?:$|-2024-(?:08|11)|-mini(?:$|-2))/, 128_000),
  gpt(/^o[34](?:$|-2|-pro|-mini(?:$|-2))/, 200_000),
  {
    provider: "anthropic",
    models: /^claude-/,
    facts: (model) => {
      const { efforts, structured, thinking } = claudeTraits(model)
      const version = claudeVersion(model)
      return {
        ...usual,
        context_tokens: version < 4.6 ? 200_000 : 1_000_000,
        inputs: documents,
        ...thinkingBy(efforts),
        thinking: thinking !== "none",
        structured_output: structured
      }
    }
  },
  gemini(/^gemini-4-(?:argon|hydrogen)/, {}),
  gemini(/^gemini-(?:2\.5|3(?:\.\d)?)-(?:pro|flash(?:-lite)?)(?:$|-preview(?:$|-\d\d))/, { max_output_tokens: 65_536 }),
  gemini(/^gemini-(?:pro|flash|flash-lite)-latest$/, { max_output_tokens: 65_536 }),
  of("x-ai", /^grok-4\.20[\w-]*non-reasoning/, 1_000_000, {
    inputs: seesImages,
    thinking: false,
    structured_output: true
  }),
  of("x-ai", /^grok-4\.(?:3|20)(?!-multi)/, 1_000_000, { inputs: seesImages, structured_output: true }),
  of("x-ai", /^grok-(?:4\.[5-7]|build-latest)/, 500_000, { inputs: seesImages, structured_output: true }),
  of("deepseek", /^deepseek-v4-pro/, 1_000_000, {
    inputs: ["text"],
    max_output_tokens: 393_216,
    structured_output: true
  }),
  of("deepseek", /^deepseek-(?:v4-)?flash/, 1_000_000, {
    inputs: seesImages,
    max_output_tokens: 393_216,
    structured_output: true
  }),
  of("moonshotai", /^kimi-k3/, 1_048_576, {
    inputs: seesImages,
    efforts: ["low", "high", "max"],
    structured_output: true
  }),
  of("moonshotai", /^kimi-k2\.[567]/, 262_144, { inputs: seesImages, structured_output: true }),
  of("zai", /^glm-5\.3-flash/, 1_048_576, { inputs: seesImages, max_output_tokens: 128_000, structured_output: true }),
  of("zai", /^glm-5\.[23]/, 1_000_000, { max_output_tokens: 128_000 }),
  of("zai", /^glm-(?:5v-turbo)/, 200_000, { inputs: seesImages, max_output_tokens: 128_000 }),
  of("zai", /^glm-(?:5|4\.[67])/, 200_000, { max_output_tokens: 128_000 }),
  of("minimax", /^MiniMax-M3/i, 1_000_000, { inputs: seesImages, max_output_tokens: 128_000 })
]

/** The days from which makers no longer serve models, as they announced them by 2026-11-20. */
const retirements: ReadonlyArray<readonly [provider: string, models: RegExp, day: string]> = [
  ["openai", /^(?:gpt-5(?:-mini|-nano|-pro)?|o3(?:-pro)?)(?:-2025-\d\d-\d\d)?$/, "2026-12-11"],
  ["openai", /^(?:gpt-4\.1(?:-mini)?|gpt-4o(?:-mini)?)(?!-2024-05)(?:-202[45]-\d\d-\d\d)?$/, "2027-01-14"],
  ["openai", /^(?:gpt-5\.1|gpt-5\.3-codex|gpt-5\.4-nano)(?:-202\d-\d\d-\d\d)?$/, "2027-04-01"],
  ["anthropic", /^claude-sonnet-4-5(?:-20250929)?$/, "2026-11-30"],
  ["google", /^gemini-2\.5-(?:pro|flash)$/, "2026-12-01"],
  ["google", /^gemini-3\.1-flash-lite$/, "2027-05-07"]
]

/** The facts of a model at its maker; undefined if the table does not have it. */
export const builtInFacts = (model: string, provider: string | undefined): ModelFacts | undefined => {
  const isOf = (maker: string) => provider === undefined || provider === maker
  const row = rows.find((one) => isOf(one.provider) && one.models.test(model))
  const retires = retirements.find(([maker, models]) => isOf(maker) && models.test(model))?.[2]
  if (row === undefined && retires === undefined) return undefined
  const facts = typeof row?.facts === "function" ? row.facts(model) : row?.facts
  return { ...facts, ...(retires !== undefined && { retires }) }
}
