import { many } from "./Hostile.ts"

/** A published list whose one row has a price for each of so many lengths of input. */
export const hostilePrices = () => ({
  "gpt-4": {
    litellm_provider: "openai",
    mode: "chat",
    input_cost_per_token: 1e-6,
    output_cost_per_token: 1e-6,
    ...Object.fromEntries(
      ["input", "output"].flatMap((side) =>
        many(9_500, (index) => [`${side}_cost_per_token_above_${index + 1}k_tokens`, 1e-6])
      )
    )
  }
})
