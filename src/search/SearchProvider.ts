import type { Effect } from "effect"
import type { SearchOutcome, SearchTool } from "../generation/Conversation.ts"

/** A search query with the rules of its tool. */
export interface SearchRequest {
  readonly query: string
  readonly tool: SearchTool
}

/** A web search service. A failure is an outcome too: the model reads it and continues. */
export interface SearchProvider {
  readonly name: string
  readonly search: (request: SearchRequest) => Effect.Effect<SearchOutcome>
}

/** The number of results, and the length of each in UTF-16 units, by context size. */
export const sizes = {
  low: { results: 3, text: 600 },
  medium: { results: 5, text: 1_500 },
  high: { results: 8, text: 4_000 }
} as const
