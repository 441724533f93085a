import { Effect } from "effect"
import { argumentsObject, textAt } from "../contract/json/json.ts"
import type { SearchOutcome, SearchTool } from "../generation/Conversation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { ServerCall, ServerCallEnd, ServerTool } from "../tools/ServerTool.ts"
import { searchItems } from "./searchFunction.ts"
import type { SearchProvider } from "./SearchProvider.ts"
import type { Sources } from "./Sources.ts"

interface Searching {
  /** The name of the search function. */
  readonly name: string
  readonly tool: SearchTool
  readonly provider: SearchProvider
  readonly sources: Sources
}

/** The most searches of a request that sets no number. */
const usualSearches = 10
const longestQuery = 400

/** The web search as a server tool: it searches at a provider, whose pages the model can cite. */
export const searchServerTool = ({ name, provider, sources, tool }: Searching): ServerTool => {
  const outcomeOf = (query: string): Effect.Effect<SearchOutcome> => {
    if (query.trim() === "") return Effect.succeed({ type: "error", code: "invalid_tool_input" })
    if (query.length > longestQuery) return Effect.succeed({ type: "error", code: "query_too_long" })
    return provider.search({ query, tool })
  }

  const ended = (call: ServerCall, outcome: SearchOutcome): ServerCallEnd => ({
    events: [{ type: "search-end", id: call.id, outcome }],
    items: () => searchItems(name, { id: call.id, query: queryOf(call) }, sources.tell(outcome)),
    usage: outcome.type === "results" ? oneSearch : noUsage
  })

  return {
    names: new Set([name]),
    mostCalls: tool.maxUses ?? usualSearches,
    mostUsage: () => oneSearch,
    begins: (call) => [{ type: "search-start", id: call.id, query: queryOf(call) }],
    run: (call) => Effect.map(outcomeOf(queryOf(call)), (outcome) => ended(call, outcome)),
    refuse: (call) => Effect.sync(() => ended(call, { type: "error", code: "max_uses_exceeded" }))
  }
}

const oneSearch = { ...noUsage, searches: 1 }

const queryOf = (call: ServerCall): string => textAt(argumentsObject(call.arguments), "query") ?? ""
