import type { Citation, SearchOutcome, SearchResult } from "../generation/Conversation.ts"

const longestCitation = 150

/** The pages shown to a model, numbered for its citations. */
export class Sources {
  private readonly shown: Array<SearchResult> = []

  get isEmpty(): boolean {
    return this.shown.length === 0
  }

  /** A search outcome as text for the model. */
  tell(outcome: SearchOutcome): string {
    if (outcome.type === "error") return explained[outcome.code] ?? `The search failed: ${outcome.code}.`
    if (outcome.results.length === 0) return "Nothing was found."
    const pages = outcome.results.map((result) => {
      const number = this.shown.push(result)
      const age = result.pageAge === null ? "" : ` (${result.pageAge})`
      return `[[${number}]] ${result.title}${age}\n${result.url}\n${result.text}`
    })
    return `${pages.join("\n\n")}\n\n${howToCite}`
  }

  /** A citation of a page by its number, for a range of text; undefined if no page has the number. */
  cite(number: number, statement: string, start: number, end: number): Citation | undefined {
    const page = this.shown[number - 1]
    if (page === undefined) return undefined
    return { url: page.url, title: page.title, citedText: sentenceFor(page.text, statement), start, end }
  }
}

const howToCite =
  "After each statement that rests on one of these pages write the page's number in double brackets, as in [[1]]. Write no list of sources."

const explained: Partial<Record<string, string>> = {
  max_uses_exceeded: "No more searches are allowed. Answer from what you have.",
  invalid_tool_input: 'Give a "query": a short text to search the web for.',
  query_too_long: "The query is too long. Search for fewer words.",
  unavailable: "The web can't be searched right now. Answer from what you have."
}

/** The sentence of a page that shares the most words with a statement. */
const sentenceFor = (page: string, statement: string): string => {
  const words = wordsOf(statement)
  let best = ""
  let most = -1
  for (const [sentence] of page.matchAll(/[^.!?\n]+(?:[.!?]+(?=\s|$)|\n|$|[.!?]+)/g)) {
    const shared = [...wordsOf(sentence)].filter((word) => words.has(word)).length
    if (shared <= most || sentence.trim() === "") continue
    best = sentence
    most = shared
  }
  return best.trim().slice(0, longestCitation)
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])
