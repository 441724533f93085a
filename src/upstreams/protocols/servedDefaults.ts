import type { JsonObject } from "../../contract/fields.ts"
import { textAt } from "../../contract/json/json.ts"
import type { Served } from "../../contract/records/Served.ts"

/** Puts an upstream's defaults into a request that names no tier. */
export type ServedDefaults = (body: JsonObject, defaults: Served, isTierNamed: boolean) => JsonObject

/** In OpenAI's dialects. */
export const openaiDefaults: ServedDefaults = (body, { tier }, isTierNamed) =>
  tier === undefined || isTierNamed ? body : { ...body, service_tier: tier }

/** In Anthropic's, which names a place too. */
export const anthropicDefaults: ServedDefaults = (body, defaults, isTierNamed) => {
  const { geo } = defaults
  const tiered = openaiDefaults(body, defaults, isTierNamed)
  return geo === undefined || (body["inference_geo"] ?? undefined) !== undefined
    ? tiered
    : { ...tiered, inference_geo: geo }
}

/** In Gemini's. */
export const geminiDefaults: ServedDefaults = (body, { tier }, isTierNamed) =>
  tier === undefined || isTierNamed ? body : { ...body, serviceTier: inGemini.get(tier) ?? tier }

const inGemini: ReadonlyMap<string, string> = new Map([
  ["default", "standard"],
  ["fast", "priority"]
])

/** In Bedrock's Converse. */
export const converseDefaults: ServedDefaults = (body, { tier }, isTierNamed) =>
  tier === undefined || isTierNamed ? body : { ...body, serviceTier: { type: tier } }

/** True if a caller's own request names a tier. `auto` leaves it to the account, as nothing does. */
export const namesTier = (body: JsonObject): boolean => {
  const tier = textAt(body, "service_tier")
  return tier !== undefined && tier.toLowerCase() !== "auto"
}
