import type { Price } from "../../config/sections/Model.ts"
import { makerOf } from "./callPrices.ts"
import type { LengthPrices } from "./Addition.ts"

type PriceInUsd = typeof Price.Type
type Variants = Pick<PriceInUsd, "service_tier" | "speed" | "inference_geo" | "hours">

/**
 * A built-in price with its tiers, speeds, places and hours, and with OpenAI's cache writes for twelve hours: the bundled
 * list says nothing of them.
 *
 * @param provider undefined for the model's maker
 */
export const withVariants = (price: LengthPrices, provider: string | undefined, model: string): LengthPrices => {
  const seller = provider ?? makerOf(model)
  const found = rows.find((row) => row.provider === seller && row.models.test(model))
  const complete = seller === "openai" && /^gpt-(?:5\.6|[6-9])/.test(model) ? withHalfDay(price) : price
  return found === undefined ? complete : { ...complete, usd: { ...found.variants, ...complete.usd } }
}

/** Writes for twelve hours cost two and a half times the input. */
const withHalfDay = ({ tiers, usd }: LengthPrices): LengthPrices => {
  const halfDay = (one: PriceInUsd): PriceInUsd =>
    one.input === undefined || one.cache_write === undefined ? one : { cache_write_12h: one.input * 2.5, ...one }
  return { usd: halfDay(usd), tiers: tiers.map(({ above, usd: higher }) => ({ above, usd: halfDay(higher) })) }
}

interface Row {
  readonly provider: string
  readonly models: RegExp
  readonly variants: Variants
}

const tiers = (provider: string, models: RegExp, service_tier: NonNullable<Variants["service_tier"]>): Row => ({
  provider,
  models,
  variants: { service_tier }
})

const us = { us: 1.1 }
/** DeepSeek's hours of half the price, all but Monday to Friday from 01 to 04 and from 06 to 10 UTC; it ignores holidays. */
const deepseekHours: NonNullable<Variants["hours"]> = [
  { utc: ["00:00-01:00", "04:00-06:00", "10:00-00:00"], factor: 0.5 },
  { days: ["sat", "sun"], factor: 0.5 }
]

/**
 * Of the providers' pages (`pricePages.ts`), as LiteLLM's list has them (1.110.2): a factor where all rates have one,
 * otherwise rates. The first row that matches counts.
 */
const rows: ReadonlyArray<Row> = [
  tiers("openai", /^gpt-6(?:\.1-sol|-astra)(?!-law)/, { priority: 2, flex: 0.5, ultrafast: 6 }),
  tiers("openai", /^gpt-5\.[45]-pro/, { flex: 0.5 }),
  tiers("openai", /^gpt-5\.4(?!-)|^gpt-5\.4-2/, {
    priority: 2,
    flex: {
      input: 1.25,
      cached_input: 0.13,
      output: 7.5,
      above: { 272000: { input: 2.5, cached_input: 0.25, output: 11.25 } }
    }
  }),
  tiers("openai", /^gpt-5\.5/, { priority: 2.5, flex: 0.5 }),
  tiers("openai", /^gpt-5\.3-codex/, { priority: 2 }),
  tiers("openai", /^gpt-5-mini/, { priority: 1.8, flex: 0.5 }),
  tiers("openai", /^gpt-5-nano/, { flex: 0.5 }),
  tiers("openai", /^gpt-5(?:$|-2|\.[12](?:$|-2)|\.4-(?:mini|nano)|\.6)/, { priority: 2, flex: 0.5 }),
  // Those of 6.2 are assumed to be as those of 6 and 6.1.
  tiers("openai", /^gpt-6(?:-sol|-luna|\.[12])/, { priority: 2, flex: 0.5 }),
  tiers("openai", /^gpt-4\.1-nano/, { priority: 2 }),
  tiers("openai", /^gpt-4\.1|^gpt-4o-2024-05-13/, { priority: 1.75 }),
  tiers("openai", /^gpt-4o-mini(?:$|-2)/, { priority: 5 / 3 }),
  tiers("openai", /^gpt-4o(?:$|-2)/, { priority: 1.7 }),
  tiers("openai", /^o3(?:$|-2)/, { priority: 1.75, flex: 0.5 }),
  tiers("openai", /^o4-mini(?:$|-2)/, {
    priority: 20 / 11,
    flex: { input: 0.55, cached_input: 0.138, output: 2.2 }
  }),

  tiers("azure", /^gpt-6(?:-astra|-luna|\.1-sol)|^gpt-5\.[45]-pro/, { flex: 0.5 }),
  tiers("azure", /^gpt-6-sol|^gpt-5\.6-|^gpt-5\.4/, { priority: 2, flex: 0.5 }),
  tiers("azure", /^gpt-5\.5/, {
    flex: 0.5,
    priority: {
      input: 12.5,
      cached_input: 1.25,
      output: 75,
      above: { 272000: { input: 20, cached_input: 2, output: 90 } }
    }
  }),
  tiers("azure", /^gpt-5(?:\.1-codex)?-mini/, { priority: 1.8 }),
  tiers("azure", /^gpt-5(?:$|-2|\.[1-3]|\.6)/, { priority: 2 }),
  tiers("azure", /^gpt-4\.1/, { priority: 1.75 }),

  {
    provider: "anthropic",
    models: /^claude-opus-(?:4-8|5)/,
    variants: { speed: { fast: 2 }, inference_geo: us }
  },
  {
    provider: "anthropic",
    models: /^claude-(?:(?:opus|sonnet)-(?:4-[67]|[5-9])|haiku-5|fable|mythos)/,
    variants: { inference_geo: us }
  },

  tiers("google", /^gemini-2\.5-pro/, {
    priority: 1.8,
    flex: {
      input: 0.625,
      cached_input: 0.125,
      output: 5,
      above: { 200000: { input: 1.25, cached_input: 0.25, output: 7.5 } }
    }
  }),
  tiers("google", /^gemini-(?:3\.1-pro|pro-latest)/, {
    priority: 1.8,
    flex: { input: 1, cached_input: 0.2, output: 6, above: { 200000: { input: 2, cached_input: 0.4, output: 9 } } }
  }),
  tiers("google", /^gemini-2\.5-flash-lite/, {
    priority: 1.8,
    flex: { input: 0.05, cached_input: 0.01, output: 0.2, audio: { input: 0.15, cached_input: 0.03 } }
  }),
  tiers("google", /^gemini-2\.5-flash(?!-image)/, {
    priority: 1.8,
    flex: { input: 0.15, cached_input: 0.03, output: 1.25, audio: { input: 0.5, cached_input: 0.1 } }
  }),
  tiers("google", /^gemini-3-flash/, {
    priority: 1.8,
    flex: { input: 0.25, cached_input: 0.05, output: 1.5, audio: { input: 0.5, cached_input: 0.1 } }
  }),
  tiers("google", /^gemini-(?:3\.5-)?flash-lite/, {
    priority: { input: 0.54, cached_input: 0.05, output: 4.5 },
    flex: { input: 0.15, cached_input: 0.02, output: 1.25 }
  }),
  tiers("google", /^gemini-3\.5-flash/, {
    priority: 1.8,
    flex: { input: 0.75, cached_input: 0.08, output: 4.5 }
  }),
  tiers("google", /^gemini-(?:4-(?:argon|hydrogen)|3\.[678]-flash|3\.1-flash-lite|flash-latest|3-pro-image)/, {
    priority: 1.8,
    flex: 0.5
  }),

  tiers("aws", /(?:^|\.)openai\.gpt-6(?:-astra|\.1-sol)/, { ultrafast: 6 }),
  tiers("aws", /(?:^|\.)(?:amazon\.nova-(?:premier|2-pro)|qwen\.qwen3-coder-30b|zai\.glm-5(?!\.))/, { priority: 1.75 }),
  tiers(
    "aws",
    /(?:^|\.)(?:amazon\.nova-(?:2-lite|pro)|deepseek\.v3\.2|google\.gemma-3-4b|minimax\.minimax-m2\.|mistral\.(?:devstral-2|ministral-3-14b)|moonshotai\.kimi-k[23]|nvidia\.nemotron-(?:nano-12b|super)|openai\.gpt-oss-\d|qwen\.qwen3-(?:32b|coder-next)|writer\.palmyra-vision|xai\.grok-4|zai\.glm-(?:4\.7|5\.))/,
    { priority: 1.75, flex: 0.5 }
  ),

  tiers("fireworks", /(?:^|\/)(?:kimi-k2p7|kimi-k3p1|minimax-m3|muse-|qwen3p8-max)/, { priority: 1.5 }),
  tiers("fireworks", /(?:^|\/)gpt-oss-120b/, { priority: 1.2 }),
  tiers("fireworks", /(?:^|\/)(?:deepseek-v4(?!-pro$)|ember-1|glm-5p[23]|kimi-k3|nemotron-|ultramarine)/, {
    priority: 1.25
  }),

  { provider: "deepseek", models: /^deepseek-(?:flash|v4-)/, variants: { hours: deepseekHours } }
]
