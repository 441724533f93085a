import { Effect } from "effect"
import { InvalidRequest } from "../contract/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import { searchingGeneration } from "./searchingGeneration.ts"
import type { SearchProvider } from "./SearchProvider.ts"
import { Sources } from "./Sources.ts"
import { withFunction } from "./asked.ts"

/**
 * An upstream that answers web searches although its models can't: the gateway searches through a provider and asks the
 * model again with what was found, until it answers. An upstream that searches itself is left as it is.
 *
 * @param provider undefined refuses requests that offer a search
 */
export const withSearch = (upstream: TextUpstream, provider: SearchProvider | undefined): TextUpstream => {
  if (upstream.searches === true) return upstream
  return {
    ...upstream,
    generate: (conversation, options) => {
      const tool = conversation.tools.find((tool) => tool.type === "search")
      if (tool === undefined) return upstream.generate(conversation, options)
      if (conversation.toolChoice.type === "none") return upstream.generate(withoutSearch(conversation), options)
      if (provider === undefined) return Effect.fail(noProvider(conversation))
      const sources = new Sources()
      const { conversation: asked, name } = withFunction(conversation, tool, sources)
      return Effect.zipWith(upstream.generate(asked, options), Effect.runtime(), (first, runtime) =>
        searchingGeneration({ upstream, provider, options, asked, name, tool, sources, first, runtime })
      )
    }
  }
}

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
