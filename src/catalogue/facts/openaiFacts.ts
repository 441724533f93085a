import { Schema } from "effect"
import { answerField } from "../../contract/fields.ts"
import { kinds } from "../../contract/kinds.ts"
import { modalities, reasoningEfforts } from "../../contract/records/ModelFacts.ts"
import { unpriced } from "../../ledger/Price.ts"
import type { Price } from "../../ledger/Price.ts"
import type { Model } from "../Catalogue.ts"
import { windowOf } from "./modelFacts.ts"

const Tokens = Schema.NullOr(Schema.Int)
const Day = Schema.NullOr(Schema.String)
const Usd = (description: string) => answerField(Schema.String, description)
const Modalities = Schema.Array(Schema.Literal(...modalities))

const Pricing = Schema.Struct({
  prompt: Usd("An input token."),
  completion: Usd("An output token."),
  internal_reasoning: Usd("A token of reasoning."),
  input_cache_read: Usd("A token read from a cache."),
  input_cache_write: Usd("A token written to a cache."),
  request: Usd("A request, beside its tokens."),
  web_search: Usd("A web search."),
  rerank_unit: Usd("A rerank unit."),
  video_second: Usd("A second of video.")
}).annotations({ identifier: "ModelPricing" })

/** The facts of a model, in the members that OpenRouter and LM Studio add to OpenAI's object. */
export const OpenAIFacts = {
  name: answerField(Schema.String, "The id again: models have no other name."),
  context_length: answerField(Tokens, "Its context window in tokens; null if unknown."),
  max_context_length: answerField(Tokens, "The same, for clients of LM Studio."),
  max_completion_tokens: answerField(Tokens, "Its longest output in tokens; null if unknown."),
  top_provider: answerField(
    Schema.Struct({
      context_length: answerField(Tokens, "The window."),
      max_completion_tokens: answerField(Tokens, "The longest output."),
      is_moderated: answerField(Schema.Literal(false), "Always false: the gateway moderates nothing.")
    }),
    "The same, for clients of OpenRouter."
  ),
  architecture: answerField(
    Schema.Struct({
      modality: answerField(Schema.String, "Both lists in one text: `text+image->text`."),
      input_modalities: answerField(Modalities, "What it is known to read."),
      output_modalities: answerField(Modalities, "What it is known to write.")
    }),
    "The content that it reads and writes."
  ),
  pricing: answerField(
    Schema.NullOr(Pricing),
    "Dollars as decimal texts, at its first route and for short inputs; null without a price."
  ),
  supported_parameters: answerField(Schema.Array(Schema.String), "Parameters that it is known to obey."),
  reasoning_efforts: answerField(
    Schema.NullOr(Schema.Array(Schema.Literal(...reasoningEfforts))),
    "The efforts of its reasoning, least first; null if unknown."
  ),
  prompt_caching: answerField(Schema.NullOr(Schema.Boolean), "True if its provider caches prompts; null if unknown."),
  shutdown_date: answerField(Day, "The day from which its provider no longer serves it; null if none is known."),
  expiration_date: answerField(Day, "The same, for clients of OpenRouter."),
  canonical_slug: answerField(Schema.String, "The id again, for clients of OpenRouter, as are the members below."),
  default_parameters: answerField(Schema.Null, "Always null: the gateway sets none."),
  links: answerField(
    Schema.Struct({ details: answerField(Schema.String, "The path of this object.") }),
    "Paths about it."
  ),
  per_request_limits: answerField(Schema.Null, "Always null."),
  supported_voices: answerField(Schema.Null, "Always null.")
} as const

/** The members of a model. */
export const openaiFacts = ({ facts, id, kind, routes }: Model) => {
  const { caching, efforts, max_output_tokens: output = null, retires = null } = facts
  const window = windowOf(facts) ?? null
  const { inputs = ["text" as const], outputs = [kinds[kind].writes] } = facts
  return {
    name: id,
    context_length: window,
    max_context_length: window,
    max_completion_tokens: output,
    top_provider: { context_length: window, max_completion_tokens: output, is_moderated: false as const },
    architecture: {
      modality: `${inputs.join("+")}->${outputs.join("+")}`,
      input_modalities: inputs,
      output_modalities: outputs
    },
    pricing: pricingOf(routes[0]?.price),
    supported_parameters: kind === "text" ? parametersOf(facts) : [],
    reasoning_efforts: efforts ?? null,
    prompt_caching: caching ?? null,
    shutdown_date: retires,
    expiration_date: retires,
    canonical_slug: id,
    default_parameters: null,
    links: { details: `/v1/models/${encodeURIComponent(id)}` },
    per_request_limits: null,
    supported_voices: null
  }
}

const parametersOf = ({ structured_output, thinking, tools }: Model["facts"]): ReadonlyArray<string> => [
  "max_tokens",
  "max_completion_tokens",
  ...(tools === true ? ["tools", "tool_choice"] : []),
  ...(structured_output === true ? ["response_format", "structured_outputs"] : []),
  ...(thinking === true ? ["reasoning", "reasoning_effort"] : [])
]

const pricingOf = (price: Price | undefined): typeof Pricing.Type | null => {
  if (price === undefined || price === unpriced) return null
  const { pieces, rates, request = 0, search, varying, videoSecond } = price
  const token = (nanoUsdPerMillion: number) => decimal(Math.round(nanoUsdPerMillion * (varying?.factor ?? 1)), 15)
  return {
    prompt: token(rates.input),
    completion: token(rates.output),
    internal_reasoning: token(rates.reasoning),
    input_cache_read: token(rates.cacheRead),
    input_cache_write: token(rates.cacheWrite),
    request: decimal(request, 9),
    web_search: decimal(search, 9),
    rerank_unit: decimal(pieces?.rerank_units ?? 0, 9),
    video_second: decimal(videoSecond, 9)
  }
}

/** A count of `10^-places` in dollars, without an exponent: `0.00000125`. */
const decimal = (count: number, places: number): string => {
  const digits = String(count).padStart(places + 1, "0")
  const point = digits.length - places
  let end = digits.length
  while (end > point && digits[end - 1] === "0") end--
  return end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`
}
