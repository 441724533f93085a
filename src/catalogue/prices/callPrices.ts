import type { PriceInUsd } from "../../ledger/videoPrice.ts"

type PerCall = NonNullable<PriceInUsd["per_call"]>

/**
 * A listed price with what the provider bills for searches and other tools of its own (`pricePages.ts`), where the list
 * says nothing of them. Agents offer a search in every request, and could not be served without its price.
 *
 * @param provider undefined for the model's maker
 */
export const withCallPrices = (listed: PriceInUsd, provider: string | undefined, model: string): PriceInUsd => {
  // Groq's flex costs as on demand (console.groq.com/docs/flex-processing).
  const usd = provider === "groq" ? { ...listed, service_tier: { flex: 1, ...listed.service_tier } } : listed
  const billed = perCall.find((one) => one.provider === (provider ?? makerOf(model)) && one.models.test(model))?.calls
  if (billed === undefined) return usd
  const { per_call: calls, per_search } = usd
  const search = per_search === undefined ? {} : { web_search: per_search }
  return { ...usd, per_call: { ...billed, ...search, ...calls } }
}

/** USD a call. The first row that matches counts. */
const perCall: ReadonlyArray<{ readonly provider: string; readonly models: RegExp; readonly calls: PerCall }> = [
  { provider: "openai", models: /search/, calls: { web_search: 0.025 } },
  { provider: "openai", models: /^(?:gpt-|o\d|chatgpt|codex)/, calls: { web_search: 0.01, file_search: 0.0025 } },
  { provider: "azure", models: /^(?:gpt-|o\d|codex)/, calls: { web_search: 0.014, file_search: 0.0025 } },
  { provider: "anthropic", models: /^claude-/, calls: { web_search: 0.01 } },
  { provider: "google", models: /^claude-/, calls: { web_search: 0.01 } },
  // An answer of these costs one search, however often it searches.
  {
    provider: "google",
    models: /^gemini-[12]\./,
    calls: { web_search: { usd: 0.035, once: true }, maps: { usd: 0.025, once: true } }
  },
  { provider: "google", models: /^gemini-/, calls: { web_search: 0.014, maps: 0.014 } },
  {
    provider: "x-ai",
    models: /^grok-/,
    calls: {
      web_search: 0.005,
      x_search: 0.005,
      code_interpreter: 0.005,
      file_search: 0.01,
      collections_search: 0.0025
    }
  }
]

/** The maker of a model, by its name. */
export const makerOf = (model: string): string | undefined => makers.find(([names]) => names.test(model))?.[1]

const makers = [
  [/^(?:gpt-|o\d|chatgpt|codex)/, "openai"],
  [/^claude-/, "anthropic"],
  [/^gemini-/, "google"],
  [/^grok-/, "x-ai"],
  [/^deepseek-/, "deepseek"]
] as const
