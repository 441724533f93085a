import type { Citation, SearchOutcome, SearchResult, SearchTool } from "../generation/Conversation.ts"
import { isWithin } from "../generation/isWithin.ts"
import { corpus } from "./corpus.ts"
import type { CorpusPage } from "./corpus.ts"

/** One search of the sandbox. */
export interface Search {
  readonly query: string
  readonly outcome: SearchOutcome
}

/** True if a text asks for a web search. */
export const asksToSearch = (text: string): boolean => asking.test(text)

/**
 * The searches that a text asks for: one per "search", or the number in "3 times" or "3 searches". The first one over
 * the tool's `maxUses` fails with `max_uses_exceeded` and is the last.
 */
export const searchesFor = (text: string, tool: SearchTool): ReadonlyArray<Search> => {
  const queries = queriesOf(text)
  const allowed = tool.maxUses ?? Infinity
  return queries.slice(0, allowed + 1).map((query, index) => ({
    query,
    outcome:
      index < allowed ? { type: "results", results: find(query, tool) } : { type: "error", code: "max_uses_exceeded" }
  }))
}

/** The answer after searches, with a citation for each quoted page. */
export const reportOn = (
  searches: ReadonlyArray<Search>,
  tool: SearchTool
): { readonly text: string; readonly citations: ReadonlyArray<Citation> } => {
  const made = searches.filter((search) => search.outcome.type === "results")
  const queries = made.length === 0 ? "nothing" : made.map((search) => `"${search.query}"`).join(", ")
  const near = tool.location?.city === undefined ? "" : ` near ${tool.location.city}`
  let text = `I searched for ${queries}${near}.`
  const citations: Array<Citation> = []
  const quoted = new Set<string>()
  for (const { outcome } of searches) {
    if (outcome.type === "error") {
      text += ` No more searches were allowed (${outcome.code}).`
      continue
    }
    if (outcome.results.length === 0) text += " No page that the domain filter allows was found."
    for (const result of outcome.results.slice(0, mostQuoted)) {
      if (quoted.has(result.url)) continue
      quoted.add(result.url)
      const citedText = firstSentence(result.text)
      text += ` ${result.title}: `
      const start = text.length
      text += citedText
      citations.push({ url: result.url, title: result.title, citedText, start, end: text.length })
    }
  }
  return { text, citations }
}

const asking =
  /(?<![a-z])(?:search|look(?:ing)? (?:it |this |that )?up|google|browse|web|internet|online|latest|news|today|current|currently|recent|recently)(?![a-z])|(?<![a-z])search(?:es|ing)(?![a-z])/i
const verb =
  /(?<![a-z])(?:search(?:es|ing)?|look(?:ing)? (?:it |this |that )?up|google|browse)(?![a-z])(?:\s{1,4}(?:in|on))?(?:\s{1,4}the)?(?:\s{1,4}(?:web|internet|online)(?![a-z]))?(?:\s{1,4}again)?(?:\s{1,4}(?:for|about|on)(?![a-z]))?\s{0,4}:?/gi
const repeats = /(\d{1,2})\s+(?:times|searches)/i

const mostSearches = 20
const mostQuoted = 2
const longestQuery = 120
/** The most characters of a question that are read. */
const lookedAt = 20_000
const longestCitation = 150

const queriesOf = (whole: string): ReadonlyArray<string> => {
  const text = whole.slice(0, lookedAt)
  const times = Math.min(Number(repeats.exec(text)?.[1] ?? 1), mostSearches)
  if (times > 1) return Array.from({ length: times }, (_, index) => `${tidy(text)} (${index + 1})`)
  const queries = text.split(verb).slice(1).map(tidy)
  const searches = queries.filter((query) => query !== "").slice(0, mostSearches)
  return searches.length > 0 ? searches : [tidy(text) || "the web"]
}

/** A clause without leading and trailing conjunctions. */
const tidy = (clause: string): string => {
  let trimmed = clause.trim().slice(0, 2 * longestQuery)
  for (;;) {
    const shorter = withoutMarks(trimmed).replace(/(?<![a-z\d_])(?:and|then|also|please)$/i, "")
    if (shorter === trimmed) return trimmed.slice(0, longestQuery).trim()
    trimmed = shorter
  }
}

const withoutMarks = (text: string): string => {
  let end = text.length
  while (end > 0 && /[\s,;.!?]/.test(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

const resultsBySize = { low: 1, medium: 3, high: 5 }

/** Pages that share words with the query; if there are none, the first allowed page. */
const find = (query: string, tool: SearchTool): ReadonlyArray<SearchResult> => {
  const allowed = corpus.filter((page) => isAllowed(page, tool))
  const words = wordsOf(query)
  const scored = allowed
    .map((page) => ({ page, score: score(page, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, resultsBySize[tool.contextSize])
    .map(({ page }) => page)
  return (scored.length > 0 ? scored : allowed.slice(0, 1)).map((page) => ({
    url: `https://${page.address}`,
    title: page.title,
    text: page.text,
    pageAge: page.age
  }))
}

const isAllowed = (page: CorpusPage, tool: SearchTool): boolean => {
  const address = page.address
  if (tool.allowedDomains?.length && !tool.allowedDomains.some((domain) => isWithin(address, domain))) return false
  return tool.blockedDomains === undefined || !tool.blockedDomains.some((domain) => isWithin(address, domain))
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word.length > 2 && !common.has(word))
  )

const common = new Set(
  "the and for are was what who when where which how why with from about that this you your".split(" ")
)

const score = (page: CorpusPage, words: ReadonlySet<string>): number => {
  const title = wordsOf(`${page.title} ${page.address}`)
  const text = wordsOf(page.text)
  let total = 0
  for (const word of words) total += (title.has(word) ? 2 : 0) + (text.has(word) ? 1 : 0)
  return total
}

const firstSentence = (text: string): string => (/^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text).slice(0, longestCitation)
