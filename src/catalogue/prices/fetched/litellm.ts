import { dearestImage } from "../../../ledger/imagePrice.ts"
import { Option, Schema } from "effect"
import { isJsonObject, JsonObject } from "../../../contract/fields.ts"
import { nextTurn } from "../../../flow/eventLoop.ts"
import type { PriceInUsd } from "../../../ledger/videoPrice.ts"
import { longAbove } from "../longInput.ts"
import type { ListedPrice } from "./FetchedList.ts"
import { litellmFacts } from "./litellmFacts.ts"
import { addKinds, kindPriceOf } from "./litellmImages.ts"
import type { KindPrice } from "./litellmImages.ts"
import { mostShare, mostSteps, Rate, ratesAt, ratesIn, stepsOf, tiersOf, usdOf } from "./litellmRates.ts"
import type { RowRates } from "./litellmRates.ts"
import { offPeakHours } from "./offPeak.ts"

/** Providers of LiteLLM's list, and their ids in the built-in one. The models of `makers` are also known by their names alone. */
const providers = new Map([
  ["anthropic", "anthropic"],
  ["azure", "azure"],
  ["azure_ai", "azure"],
  ["bedrock", "aws"],
  ["bedrock_converse", "aws"],
  ["cerebras", "cerebras"],
  ["cohere", "cohere"],
  ["cohere_chat", "cohere"],
  ["dashscope", "dashscope"],
  ["deepinfra", "deepinfra"],
  ["deepseek", "deepseek"],
  ["fireworks_ai", "fireworks"],
  ["gemini", "google"],
  ["groq", "groq"],
  ["minimax", "minimax"],
  ["mistral", "mistral"],
  ["moonshot", "moonshotai"],
  ["novita", "novita"],
  ["openai", "openai"],
  ["openrouter", "openrouter"],
  ["perplexity", "perplexity"],
  ["qwencloud", "dashscope"],
  ["together_ai", "together"],
  ["vertex_ai-anthropic_models", "google"],
  ["volcengine", "volcengine"],
  ["voyage", "voyage"],
  ["xai", "x-ai"],
  ["zai", "zai"]
])

/** Those that sell models of their own alone. */
const makers = new Set([
  "anthropic",
  "cohere",
  "cohere_chat",
  "dashscope",
  "deepseek",
  "gemini",
  "minimax",
  "mistral",
  "moonshot",
  "openai",
  "qwencloud",
  "volcengine",
  "voyage",
  "xai",
  "zai"
])

const OptionalRate = Schema.optional(Schema.NullOr(Rate))
const Row = Schema.Struct({
  litellm_provider: Schema.String,
  mode: Schema.Literal(
    "chat",
    "responses",
    "completion",
    "embedding",
    "rerank",
    "image_generation",
    "image_edit",
    "audio_speech",
    "audio_transcription"
  ),
  input_cost_per_query: OptionalRate,
  input_cost_per_request: OptionalRate,
  output_cost_per_image: OptionalRate,
  input_cost_per_image: OptionalRate,
  input_cost_per_character: OptionalRate,
  input_cost_per_second: OptionalRate,
  output_cost_per_second: OptionalRate,
  search_context_cost_per_query: Schema.optional(
    Schema.Struct({ search_context_size_medium: OptionalRate, search_context_size_high: OptionalRate })
  ),
  web_search_billing_unit: Schema.optional(Schema.Unknown),
  google_maps_grounding_cost_per_query: OptionalRate,
  provider_specific_entry: Schema.optional(Schema.Unknown),
  off_peak_pricing: Schema.optional(Schema.Unknown),
  tiered_pricing: Schema.optional(
    Schema.Array(
      Schema.Struct({ range: Schema.optional(Schema.Tuple([Schema.NonNegativeInt], Schema.Number)) }, JsonObject)
    ).pipe(Schema.maxItems(mostSteps))
  )
})
type Row = typeof Row.Type
const decodeRow = Schema.decodeUnknownOption(Row)

const Share = Schema.optional(Schema.Number.pipe(Schema.greaterThan(0), Schema.lessThanOrEqualTo(mostShare)))
const Shares = Schema.Struct({ fast: Share, us: Share })
const decodeShares = Schema.decodeUnknownOption(Shares)

/** True for a list in LiteLLM's form. */
export const isLitellm = (list: Readonly<Record<string, unknown>>): boolean =>
  Object.values(list).some((row) => isJsonObject(row) && Object.hasOwn(row, "litellm_provider"))

/**
 * The prices of texts, embeddings, reranking and of the models of image tools in LiteLLM's list
 * (`model_prices_and_context_window.json`), USD a token. Its query of a rerank model is our rerank unit. Rows of other
 * kinds, of unknown providers and without a price are left out; so is a price of zero, which an operator has to write.
 * Its prices of videos know no input and no sound, and are left to the built-in list.
 */
export const fromLitellm = async (list: JsonObject): Promise<Map<string, ListedPrice>> => {
  const prices = new Map<string, ListedPrice>()
  const add = (name: string, price: ListedPrice) => prices.has(name) || prices.set(name, price)
  const kinds = new Map<string, Array<KindPrice>>()
  const addKind = (name: string, kind: KindPrice) => kinds.set(name, [...(kinds.get(name) ?? []), kind])
  let work = 0
  for (const [key, written] of Object.entries(list)) {
    if (work > workPerTurn) {
      work = 0
      await nextTurn()
    }
    work += rowWork + (isJsonObject(written) ? Object.keys(written).length : 0)
    const row = Option.getOrUndefined(decodeRow(written))
    const provider = row === undefined ? undefined : providers.get(row.litellm_provider)
    if (row === undefined || provider === undefined || !isJsonObject(written)) continue
    const model = modelOf(key, row.litellm_provider)
    const kind = kindPriceOf(model, written)
    if (kind !== undefined) {
      addKind(`${provider}/${kind.model}`, kind)
      if (makers.has(row.litellm_provider)) addKind(kind.model, kind)
      continue
    }
    const price = priceOf(row, written, provider)
    if (price === undefined) continue
    add(`${provider}/${model}`, price)
    if (makers.has(row.litellm_provider)) add(model, price)
  }
  addKinds(prices, kinds)
  return prices
}

/** How many fields are read in a turn of the event loop. A row costs as much as so many. */
const workPerTurn = 5_000
const rowWork = 50

/** Without the prefix that LiteLLM routes by: `gemini/gemini-4-argon`. */
const modelOf = (key: string, provider: string): string => {
  const [prefix = "", ...rest] = key.split("/")
  return rest.length > 0 && (prefix === provider || provider.startsWith(`${prefix}-`)) ? rest.join("/") : key
}

const priceOf = (row: Row, fields: JsonObject, provider: string): ListedPrice | undefined => {
  const [first, ...further] = row.tiered_pricing ?? []
  const rates = ratesIn(first === undefined ? fields : { ...fields, ...first }, provider)
  if (rates === undefined) return undefined
  for (const { range, ...written } of further) {
    const rest = ratesIn(written, provider)?.standard.get(0)
    if (range !== undefined && rest !== undefined) rates.standard.set(longAbove(provider, range[0]), rest)
  }
  const starts = stepsOf(rates.standard)
  const usd = { ...usdOf(ratesAt(rates.standard, 0)), ...varyingOf(row, rates), ...piecesOf(row, rates) }
  if (starts.length > mostSteps || !isPriced(row.mode, usd)) return undefined
  const tiers = starts.map((above) => ({ above, usd: usdOf(ratesAt(rates.standard, above)) }))
  const facts = litellmFacts(fields)
  return { usd, ...(tiers.length > 0 && { tiers }), ...(Object.keys(facts).length > 0 && { facts }) }
}

/** The tiers, places and hours that have other rates. */
const varyingOf = ({ off_peak_pricing, provider_specific_entry }: Row, rates: RowRates): PriceInUsd => {
  const { fast, us } = Option.getOrElse(decodeShares(provider_specific_entry), (): Shares => ({}))
  const tiers = tiersOf(rates)
  const hours = offPeakHours(off_peak_pricing, ratesAt(rates.standard, 0))
  return {
    ...(tiers && { service_tier: tiers }),
    ...(fast !== undefined && { speed: { fast } }),
    ...(us !== undefined && { inference_geo: { us } }),
    ...(hours && { hours })
  }
}

type Shares = Schema.Schema.Type<typeof Shares>

/** Prices by the call, by the request and by the piece. */
const piecesOf = (row: Row, rates: RowRates): PriceInUsd => {
  const { google_maps_grounding_cost_per_query: maps, input_cost_per_query: query, litellm_provider: provider } = row
  const second = isPositive(row.input_cost_per_second) ? row.input_cost_per_second : row.output_cost_per_second
  const { input_cost_per_character: character, input_cost_per_image: made, output_cost_per_image: image = made } = row
  const { image: ofImages, input, output } = usdOf(ratesAt(rates.standard, 0))
  const { search_context_size_high: dearest, search_context_size_medium: usual } =
    row.search_context_cost_per_query ?? {}
  // Each answer of Perplexity's is a search, whose price is that of its size, which the request may choose.
  const isFee = provider === "perplexity"
  const search = isFee ? undefined : (usual ?? undefined)
  const request = row.input_cost_per_request ?? (isFee ? dearest : undefined)
  // Google's older models cost one search an answer, however often they search.
  const isOnce = provider === "gemini" && row.web_search_billing_unit !== "per_query"
  const priced = (usd: number) => (isOnce ? { usd, once: true } : usd)
  const calls = {
    ...(search !== undefined && isOnce && { web_search: priced(search) }),
    ...(isPositive(maps) && { maps: priced(maps) })
  }
  return {
    ...(search !== undefined && !isOnce && { per_search: search }),
    ...(Object.keys(calls).length > 0 && { per_call: calls }),
    ...(isPositive(request) && { per_request: request }),
    ...(row.mode === "rerank" && isPositive(query) && { per_rerank_unit: query }),
    // Models with tokens are billed by them.
    ...(row.mode === "image_generation" &&
      isPositive(image) &&
      !isPositive(ofImages?.output) &&
      !isPositive(output) && { per_image: image }),
    ...(row.mode === "audio_speech" && isPositive(character) && { per_character: character }),
    ...(row.mode === "audio_transcription" && isPositive(second) && !isPositive(input) && { per_audio_second: second })
  }
}

const isPositive = (usd: number | null | undefined): usd is number => typeof usd === "number" && usd > 0

/** True if a request of its kind has a price. Images and sound are billed by tokens or by the piece. */
const isPriced = (mode: Row["mode"], usd: PriceInUsd): boolean => {
  const {
    audio,
    image,
    input = 0,
    output = 0,
    per_audio_second = 0,
    per_character = 0,
    per_image = 0,
    per_rerank_unit = 0
  } = usd
  if (mode === "rerank") return input > 0 || per_rerank_unit > 0
  if ((dearestImage(per_image) ?? 0) > 0 || per_character > 0 || per_audio_second > 0) return true
  if (input === 0) return false
  if (mode === "embedding" || mode === "audio_transcription") return true
  if (mode === "audio_speech") return (audio?.output ?? 0) > 0 || output !== 0
  return mode === "image_generation" || mode === "image_edit" ? (image?.output ?? 0) > 0 : output !== 0
}
