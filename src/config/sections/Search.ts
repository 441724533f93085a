import { Schema } from "effect"
import { optionalField, requiredField } from "./fields.ts"
import { ProxySetting } from "./Proxy.ts"
import { HeaderSecret, HttpUrl } from "./values.ts"

/** The providers' own addresses. */
export const searchAddresses = { brave: "https://api.search.brave.com", tavily: "https://api.tavily.com" }

/** `search`: web search for models whose upstream has none. */
export const Search = Schema.Struct({
  provider: requiredField(Schema.Literal("brave", "tavily", "searxng"), "The search provider."),
  api_key: optionalField(HeaderSecret, "Its API key; required for Brave and Tavily."),
  base_url: optionalField(HttpUrl, "Its address; required for SearXNG.", "the provider's own"),
  proxy: optionalField(ProxySetting, "Like an upstream's ([proxies](#proxies)).", "the top level's")
}).pipe(
  Schema.filter((search) =>
    search.provider === "searxng"
      ? search.base_url !== undefined || { path: ["base_url"], message: "is required for searxng" }
      : search.api_key !== undefined || { path: ["api_key"], message: `is required for ${search.provider}` }
  )
)
