import type { Effect } from "effect"
import type { SearchOutcome, SearchTool } from "../generation/Conversation.ts"

/** One search: what for, and the rules of the tool that asked. */
export interface SearchRequest {
  readonly query: string
  readonly tool: SearchTool
}

/** Somebody who searches the web for us. What goes wrong is an outcome too: the model is told and goes on. */
export interface SearchProvider {
  readonly name: string
  readonly search: (request: SearchRequest) => Effect.Effect<SearchOutcome>
}

/** How many results a search gives, and how much of each, in UTF-16 units. */
export const sizes = {
  low: { results: 3, text: 600 },
  medium: { results: 5, text: 1_500 },
  high: { results: 8, text: 4_000 }
} as const
