import { Effect } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Conversation, SearchTool } from "../generation/Conversation.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import { startGeneration, upstreamOf } from "../upstreams/text/upstreamOf.ts"
import type { Generation } from "../generation/Generation.ts"
import { toolGeneration } from "../tools/toolGeneration.ts"
import { Citer } from "./Citer.ts"
import type { SearchProvider } from "./SearchProvider.ts"
import { Sources } from "./Sources.ts"
import { withFunction } from "./searchFunction.ts"
import { searchServerTool } from "./searchServerTool.ts"

/**
 * An upstream whose models can search through the gateway: it searches at a provider and continues with the results
 * until the model answers. An upstream with its own search is not changed.
 *
 * @param provider undefined drops the search, and refuses requests that must use it
 */
export const withSearch = (upstream: TextUpstream, provider: SearchProvider | undefined): TextUpstream => {
  if (upstream.searches === true) return upstream
  const searching = upstreamOf(upstream.name, (conversation, options) => {
    const tool = searchOf(conversation)
    if (tool === undefined) return startGeneration(upstream, conversation, options)
    if (provider === undefined || options.isUnsearched === true) {
      if (isForced(conversation, tool)) return Effect.fail(noProvider(conversation))
      if (options.strict === true) return Effect.fail(provider === undefined ? notLost : notFree)
      return Effect.map(startGeneration(upstream, withoutSearch(conversation), options), leftOut)
    }
    const sources = new Sources()
    const { conversation: asked, name } = withFunction(conversation, tool, sources)
    return Effect.map(startGeneration(upstream, asked, options), (first) =>
      toolGeneration({
        upstream,
        options,
        asked,
        first,
        tools: [searchServerTool({ name, tool, provider, sources })],
        text: new Citer(sources)
      })
    )
  })
  return {
    ...upstream,
    ...(upstream.keys && {
      keys: upstream.keys.map((one) => ({ ...one, upstream: withSearch(one.upstream, provider) }))
    }),
    isSearchedFor: provider !== undefined,
    generate: (conversation, options) => {
      if (searchOf(conversation) === undefined) return upstream.generate(conversation, options)
      if (conversation.toolChoice.type === "none") return upstream.generate(withoutSearch(conversation), options)
      return searching.generate(conversation, options)
    }
  }
}

const searchOf = ({ tools }: Conversation): SearchTool | undefined => tools.find((tool) => tool.type === "search")

/** True if the model has to search. Coding agents list a web search in every request. It is dropped if the model has other tools and a choice. */
export const isForced = (
  { toolChoice, tools }: Pick<Conversation, "toolChoice" | "tools">,
  { name }: SearchTool
): boolean => {
  if (tools.every(({ type }) => type === "search")) return true
  if (toolChoice.type === "tool") return toolChoice.name === name
  if (toolChoice.type !== "required") return false
  return tools.every((tool) => tool.type === "search" || toolChoice.names?.includes(tool.name) === false)
}

const notLost = new InvalidRequest({
  param: "tools.web_search",
  message: "tools.web_search: not supported as asked by this model's upstream, and no search provider is configured"
})

const notFree = new InvalidRequest({
  param: "tools.web_search",
  message: "tools.web_search: has no price for this model, so it is not run where money is counted"
})

const leftOut = (generation: Generation): Generation =>
  Object.assign(generation, { adapted: [...(generation.adapted ?? []), "tools.web_search"] })

const withoutSearch = (conversation: Conversation): Conversation => ({
  ...conversation,
  tools: conversation.tools.filter((tool) => tool.type !== "search")
})

const noProvider = ({ tools }: Conversation) => {
  const param = `tools[${tools.findIndex((tool) => tool.type === "search")}]`
  return new InvalidRequest({
    param: "tools",
    message: `${param}: web search is not available for this model: its upstream has none and no search provider is configured`
  })
}
