import type { JsonObject } from "../contract/fields.ts"
import { numberAt } from "../contract/json/json.ts"

/** LiteLLM's costs of a token, and the rates here, of a million. */
const perToken: Readonly<Record<string, string>> = {
  input_cost_per_token: "input",
  output_cost_per_token: "output",
  cache_read_input_token_cost: "cached_input",
  cache_creation_input_token_cost: "cache_write",
  cache_creation_input_token_cost_above_1hr: "cache_write_1h",
  output_cost_per_reasoning_token: "reasoning"
}

/** Costs of one piece. */
const perPiece: Readonly<Record<string, string>> = {
  output_cost_per_image: "per_image",
  input_cost_per_character: "per_character",
  input_cost_per_query: "per_rerank_unit"
}

/** True for a cost that an entry may have. */
export const isCost = (name: string): boolean => /_cost(?:$|_per_|_above_)/.test(name)

/** A price of one's own; undefined if LiteLLM's list counts. */
export const priceOf = (
  ...places: ReadonlyArray<JsonObject>
): {
  readonly price: Readonly<Record<string, number>> | undefined
  readonly left: ReadonlyArray<string>
  readonly wrong: ReadonlyArray<string>
} => {
  const wrong: Array<string> = []
  const costs = new Map(
    places.flatMap((place) =>
      Object.keys(place)
        .filter((name) => isCost(name) && place[name] !== null && typeof place[name] !== "object")
        .flatMap((name) => {
          const cost = numberAt(place, name) ?? numberOf(place[name])
          if (cost !== undefined && cost >= 0) return [[name, cost] as const]
          wrong.push(name)
          return []
        })
    )
  )
  const price: Record<string, number> = {}
  const left: Array<string> = []
  for (const [name, cost] of costs) {
    const rate = perToken[name] ?? perPiece[name]
    if (rate === undefined) left.push(name)
    // A double's digits: 1.5e-7 times a million is 0.15.
    else price[rate] = Number((cost * (name in perToken ? 1e6 : 1)).toPrecision(12))
  }
  return { price: Object.keys(price).length === 0 ? undefined : price, left, wrong }
}

/** YAML reads `1e-6` as a text. */
const numberOf = (value: unknown): number | undefined =>
  typeof value === "string" && /^\d+(?:\.\d+)?(?:e-?\d+)?$/i.test(value) ? Number(value) : undefined
