import type { SearchResult, SearchTool } from "../generation/Conversation.ts"
import { isWithin } from "../generation/isWithin.ts"
import { sizes } from "./SearchProvider.ts"

/** A result of a provider. */
export interface ProviderResult {
  readonly url: string
  readonly title: string
  readonly text: string
  /** In the provider's own form. */
  readonly date: string | undefined
}

/** The results that the tool's rules allow, without duplicates, in the provider's order, cut to the requested sizes. */
export const select = (found: ReadonlyArray<ProviderResult>, tool: SearchTool): ReadonlyArray<SearchResult> => {
  const { results, text } = sizes[tool.contextSize]
  const byUrl = new Map(found.filter(({ url }) => isAllowed(url, tool)).map((one) => [one.url, one]))
  return [...byUrl.values()].slice(0, results).map((one) => ({
    url: one.url,
    title: plain(one.title) || one.url,
    text: plain(one.text).slice(0, text),
    pageAge: ageOf(one.date)
  }))
}

/** Providers filter loosely or not at all, and none supports paths. */
const isAllowed = (url: string, { allowedDomains, blockedDomains }: SearchTool): boolean => {
  const at = URL.parse(url)
  if (at === null || !/^https?:$/.test(at.protocol)) return false
  const address = at.host + at.pathname
  const isIn = (domain: string) => isWithin(address, domain)
  if (allowedDomains !== undefined && allowedDomains.length > 0 && !allowedDomains.some(isIn)) return false
  return blockedDomains === undefined || !blockedDomains.some(isIn)
}

/** Some providers highlight matches and write non-ASCII characters as entities. */
const plain = (text: string): string =>
  text
    .replaceAll(/<\/?(?:strong|b|em|i|mark)>/gi, "")
    .replaceAll(/&(?:amp|lt|gt|quot|#x27|#39|nbsp);/g, (entity) => entities[entity] ?? entity)
    .trim()

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
  "&#39;": "'",
  "&nbsp;": " "
}

/** "April 30, 2025". Text that is not a date stays as it is ("2 days ago"). */
const ageOf = (date: string | undefined): string | null => {
  if (date === undefined || date === "") return null
  const at = Date.parse(date)
  if (Number.isNaN(at)) return date
  return new Date(at).toLocaleDateString("en-US", { year: "numeric", month: "long", day: "numeric", timeZone: "UTC" })
}
