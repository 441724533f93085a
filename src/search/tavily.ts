import { Redacted } from "effect"
import { searchAddresses } from "../config/sections/Search.ts"
import { withoutSlash } from "../config/withoutSlash.ts"
import { listAt, textAt } from "../contract/json/json.ts"
import { callProvider } from "./callProvider.ts"
import type { SearchProvider } from "./SearchProvider.ts"

/** Tavily's search, which returns the relevant part of a page. */
export const tavily = (options: {
  readonly apiKey: Redacted.Redacted
  readonly baseUrl?: string | undefined
  readonly proxy?: string | undefined
}): SearchProvider => ({
  name: "tavily",
  search: ({ query, tool }) => {
    const body = JSON.stringify({
      query,
      max_results: 20,
      search_depth: tool.contextSize === "high" ? "advanced" : "basic",
      ...(tool.allowedDomains !== undefined && { include_domains: tool.allowedDomains.map(hostOf) }),
      ...(tool.blockedDomains !== undefined && {
        exclude_domains: tool.blockedDomains.filter((domain) => !domain.includes("/"))
      })
    })
    const url = `${withoutSlash(options.baseUrl ?? searchAddresses.tavily)}/search`
    const headers = { authorization: `Bearer ${Redacted.value(options.apiKey)}` }
    return callProvider({ url, headers, body, proxy: options.proxy }, tool, (answer) =>
      listAt(answer, "results").map((result) => ({
        url: textAt(result, "url") ?? "",
        title: textAt(result, "title") ?? "",
        text: textAt(result, "content") ?? "",
        date: textAt(result, "published_date")
      }))
    )
  }
})

/** The gateway filters by path itself. */
const hostOf = (domain: string): string => domain.split("/")[0] ?? domain
