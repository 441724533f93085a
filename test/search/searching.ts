import { Effect } from "effect"
import type { Conversation } from "../../src/generation/Conversation.ts"
import { withSearch } from "../../src/search/withSearch.ts"
import type { SearchProvider } from "../../src/search/SearchProvider.ts"
import { conversation, user } from "../upstreams/conversations.ts"
import { outcome } from "../upstreams/events.ts"
import { generated } from "../upstreams/generated.ts"
import { calls, corpusProvider, drained, scripted, stops, tool, used } from "./script.ts"
import type { Turn } from "./script.ts"

export const options = { upstreamModel: "m", stream: true, requestId: "req_1" }

export const asking = (over: Partial<Conversation> = {}) =>
  conversation({ items: [user("What is Paris?")], tools: [tool()], ...over })

export const run = (turns: ReadonlyArray<Turn>, asked: Conversation = asking(), given?: SearchProvider) =>
  Effect.gen(function* () {
    const model = scripted(turns)
    const { provider, queries } = corpusProvider()
    const generation = yield* generated(withSearch(model.upstream, given ?? provider), asked, options)
    const events = yield* Effect.promise(() => drained(generation))
    return { ...outcome(events), events, model, queries }
  })

export const searching = [...calls("web_search", "call_0", { query: "Paris" }), used(10, 5), stops("tool-calls")]
