import { Redacted } from "effect"
import { withoutSlash } from "../config/withoutSlash.ts"
import { listAt, textAt } from "../contract/json/json.ts"
import { callProvider } from "./callProvider.ts"
import type { SearchProvider } from "./SearchProvider.ts"

/** A SearXNG instance with `json` among its configured formats. The key is for a proxy in front of it. */
export const searxng = (options: {
  readonly apiKey: Redacted.Redacted | undefined
  readonly baseUrl: string
  readonly proxy?: string | undefined
}): SearchProvider => ({
  name: "searxng",
  search: ({ query, tool }) => {
    const url = new URL(`${withoutSlash(options.baseUrl)}/search`)
    // Engines accept this operator for one domain only; results are filtered again.
    const only = tool.allowedDomains?.length === 1 ? ` site:${tool.allowedDomains[0]?.split("/")[0] ?? ""}` : ""
    url.searchParams.set("q", `${query}${only}`)
    url.searchParams.set("format", "json")
    const headers = options.apiKey === undefined ? {} : { authorization: `Bearer ${Redacted.value(options.apiKey)}` }
    return callProvider({ method: "GET", url: url.href, headers, proxy: options.proxy }, tool, (answer) =>
      listAt(answer, "results").map((result) => ({
        url: textAt(result, "url") ?? "",
        title: textAt(result, "title") ?? "",
        text: textAt(result, "content") ?? "",
        date: textAt(result, "publishedDate")
      }))
    )
  }
})
