import { Schema } from "effect"
import { optionalField } from "./fields.ts"
import { HttpUrl } from "./values.ts"

/** LiteLLM's published list, the widest there is (MIT). */
export const usualPriceList =
  "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json"

export const Prices = Schema.Struct({
  refresh_hours: optionalField(
    Schema.Number.pipe(Schema.between(1, 8_760)),
    "The hours between two fetches of the list.",
    "fetched by `gateway prices refresh` alone"
  ),
  from: optionalField(
    HttpUrl,
    "The list's address: LiteLLM's list, or a `prices_file` as JSON. Redirects are not followed.",
    `\`${usualPriceList}\``
  )
})
