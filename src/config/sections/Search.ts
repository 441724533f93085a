import { Schema } from "effect"
import { given, needed } from "./given.ts"
import { HttpUrl, Secret } from "./values.ts"

/** `search`: who searches the web for models whose upstream can't. */
export const Search = Schema.Struct({
  provider: needed(Schema.Literal("brave", "tavily", "searxng"), "Who is asked."),
  api_key: given(Secret, "Its key; Brave and Tavily want one."),
  base_url: given(HttpUrl, "Its address; SearXNG needs one.", "the provider's own")
}).pipe(
  Schema.filter((search) =>
    search.provider === "searxng"
      ? search.base_url !== undefined || { path: ["base_url"], message: "is required for searxng" }
      : search.api_key !== undefined || { path: ["api_key"], message: `is required for ${search.provider}` }
  )
)
