import { Option, Schema } from "effect"
import { isJsonObject } from "../../../contract/fields.ts"
import type { JsonObject } from "../../../contract/fields.ts"
import { nextTurn } from "../../../flow/eventLoop.ts"
import type { PriceInUsd } from "../../../ledger/videoPrice.ts"
import type { ListedPrice } from "./FetchedList.ts"

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

/** The most prices of one model by length of input. Real ones have three. */
const mostTiers = 16

/** USD a token; the dearest model costs a thousandth of the bound. */
const Rate = Schema.optional(Schema.NullOr(Schema.Number.pipe(Schema.between(0, 1))))
const Row = Schema.Struct({
  litellm_provider: Schema.String,
  mode: Schema.Literal("chat", "responses", "completion", "embedding"),
  input_cost_per_token: Rate,
  output_cost_per_token: Rate,
  output_cost_per_reasoning_token: Rate,
  cache_read_input_token_cost: Rate,
  cache_creation_input_token_cost: Rate,
  cache_creation_input_token_cost_above_1hr: Rate,
  search_context_cost_per_query: Schema.optional(Schema.Struct({ search_context_size_medium: Rate })),
  tiered_pricing: Schema.optional(
    Schema.Array(
      Schema.Struct({
        range: Schema.optional(Schema.Tuple([Schema.NonNegativeInt], Schema.Number)),
        input_cost_per_token: Rate,
        output_cost_per_token: Rate,
        cache_read_input_token_cost: Rate,
        cache_creation_input_token_cost: Rate
      })
    ).pipe(Schema.maxItems(mostTiers))
  )
})
type Row = typeof Row.Type
const decodeRow = Schema.decodeUnknownOption(Row)
const isRate = Schema.is(Schema.Number.pipe(Schema.between(0, 1)))

/** True for a list in LiteLLM's form. */
export const isLitellm = (list: Readonly<Record<string, unknown>>): boolean =>
  Object.values(list).some((row) => isJsonObject(row) && Object.hasOwn(row, "litellm_provider"))

/**
 * The prices of texts and embeddings in LiteLLM's list (`model_prices_and_context_window.json`), USD a token. Rows of
 * other kinds, of unknown providers and without a price are left out; so is a price of zero, which an operator has to
 * write. Its prices of videos know no input and no sound, and are left to the built-in list.
 */
export const fromLitellm = async (list: JsonObject): Promise<Map<string, ListedPrice>> => {
  const prices = new Map<string, ListedPrice>()
  const add = (name: string, price: ListedPrice) => prices.has(name) || prices.set(name, price)
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
    const price = priceOf(row, written)
    if (price === undefined) continue
    const model = modelOf(key, row.litellm_provider)
    add(`${provider}/${model}`, price)
    if (makers.has(row.litellm_provider)) add(model, price)
  }
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

const tierField =
  /^(input_cost_per_token|output_cost_per_token|cache_read_input_token_cost|cache_creation_input_token_cost)_above_(\d{1,4})k_tokens$/

type Rates = Partial<Omit<Row, "litellm_provider" | "mode" | "tiered_pricing">>

const priceOf = (row: Row, fields: JsonObject): ListedPrice | undefined => {
  const [first, ...further] = row.tiered_pricing ?? []
  const base = { ...row, ...first }
  const usd = usdOf(base)
  if ((usd.input ?? 0) === 0 || (row.mode !== "embedding" && (usd.output ?? 0) === 0)) return undefined
  const byStart = new Map<number, Rates>()
  for (const [field, value] of Object.entries(fields)) {
    const [, name, thousands] = tierField.exec(field) ?? []
    if (name === undefined || !isRate(value)) continue
    const above = Number(thousands) * 1_000
    if (byStart.size > mostTiers) return undefined
    byStart.set(above, { ...byStart.get(above), [name]: value })
  }
  for (const { range, ...rates } of further) if (range !== undefined) byStart.set(range[0], rates)
  if (byStart.size > mostTiers) return undefined
  const tiers = [...byStart]
    .sort(([one], [other]) => one - other)
    .map(([above, rates]) => ({ above, usd: usdOf({ ...base, ...rates }) }))
  return { usd, ...(tiers.length > 0 && { tiers }) }
}

const usdOf = (row: Rates): PriceInUsd => {
  const fields = {
    input: perMillion(row.input_cost_per_token),
    cached_input: perMillion(row.cache_read_input_token_cost),
    cache_write: perMillion(row.cache_creation_input_token_cost),
    cache_write_1h: perMillion(row.cache_creation_input_token_cost_above_1hr),
    output: perMillion(row.output_cost_per_token),
    reasoning: perMillion(row.output_cost_per_reasoning_token),
    per_search: row.search_context_cost_per_query?.search_context_size_medium ?? undefined
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const perMillion = (usd: number | null | undefined): number | undefined =>
  usd === undefined || usd === null ? undefined : Number((usd * 1_000_000).toPrecision(12))
