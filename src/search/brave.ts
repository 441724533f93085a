import { Redacted } from "effect"
import { searchAddresses } from "../config/sections/Search.ts"
import { withoutSlash } from "../config/withoutSlash.ts"
import type { SearchTool } from "../generation/Conversation.ts"
import { listAt, objectAt, textAt } from "../contract/json/json.ts"
import { callProvider } from "./callProvider.ts"
import type { SearchProvider } from "./SearchProvider.ts"

/** Brave's web search. Domains are operators in its query. */
export const brave = (options: {
  readonly apiKey: Redacted.Redacted
  readonly baseUrl?: string | undefined
  readonly proxy?: string | undefined
}): SearchProvider => ({
  name: "brave",
  search: ({ query, tool }) => {
    const url = new URL(`${withoutSlash(options.baseUrl ?? searchAddresses.brave)}/res/v1/web/search`)
    url.searchParams.set("q", `${query}${operators(tool)}`)
    url.searchParams.set("count", "20")
    url.searchParams.set("text_decorations", "false")
    if (tool.location?.country !== undefined) url.searchParams.set("country", tool.location.country.toUpperCase())
    const headers = { accept: "application/json", "x-subscription-token": Redacted.value(options.apiKey) }
    return callProvider({ method: "GET", url: url.href, headers, proxy: options.proxy }, tool, (answer) =>
      listAt(objectAt(answer, "web"), "results").map((result) => ({
        url: textAt(result, "url") ?? "",
        title: textAt(result, "title") ?? "",
        text: [textAt(result, "description"), ...listAt(result, "extra_snippets")]
          .filter((text) => typeof text === "string")
          .join("\n"),
        date: textAt(result, "page_age") ?? textAt(result, "age")
      }))
    )
  }
})

/** Hosts only; the gateway filters by path itself. */
const operators = ({ allowedDomains, blockedDomains }: SearchTool): string => {
  const site = (domain: string) => `site:${domain.split("/")[0] ?? domain}`
  const allowed = allowedDomains?.map(site) ?? []
  const blocked = (blockedDomains ?? []).filter((domain) => !domain.includes("/")).map((domain) => ` -${site(domain)}`)
  return `${allowed.length === 0 ? "" : ` (${allowed.join(" OR ")})`}${blocked.join("")}`
}
