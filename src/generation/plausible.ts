import { isCount } from "../contract/json.ts"
import type { Conversation, Item } from "./Conversation.ts"
import type { Doubt, Usage } from "./GenerationEvent.ts"

/** What a usage is measured against. */
export interface UsageBounds {
  readonly conversation: Conversation
  /** The model's context in tokens; undefined where it is not known. */
  readonly contextTokens: number | undefined
  /** The gateway's own count of the input; only asked for where a small number does not settle it. */
  readonly inputTokens: () => number
  /** Whether the request has parts that the conversation does not say (tools of the upstream's own). */
  readonly hasMore: () => boolean
}

/** Tokens of input beyond the gateway's own count that are believed anyhow: tokenizers and hidden prompts differ. */
const slack = 100_000
const factor = 4
/** No model has more, where its own context is not known. */
const widestContext = 2_097_152
/** No model writes more at a time, where neither the request nor its context bounds it. */
const longestOutput = 1_048_576
/** The least that a dialect can ask for, which a smaller bound becomes. */
const leastBound = 16
/** Turns of a model that uses its upstream's own tools, where the request sets no number, and at most. */
const usualRounds = 10
const mostRounds = 100

/**
 * What of a usage can't be, measured against the request; undefined where it can. Plain arithmetic but for a large input,
 * which is compared with the gateway's own count.
 */
export const doubtOf = (usage: Usage, asked: UsageBounds): Doubt | undefined => {
  if (!isWhole(usage)) return "number"
  const input = inputOf(usage)
  if (input > slack && input > factor * asked.inputTokens() + slack && input > added(asked)) return "input"
  const { contextTokens = longestOutput, conversation } = asked
  const bound = conversation.maxOutputTokens
  const output = Math.max(usage.outputTokens, usage.reasoningTokens)
  if (output > (bound === undefined ? contextTokens : Math.max(bound, leastBound)) && output > added(asked))
    return "output"
  if (usage.searches > 0 && usage.searches > searchesOf(asked)) return "searches"
  return undefined
}

/** As `doubtOf` for what is told when an answer begins: its output is not known yet. */
export const doubtOfStart = (usage: Usage, asked: UsageBounds): Doubt | undefined =>
  doubtOf({ ...usage, outputTokens: 0, reasoningTokens: 0, searches: 0 }, asked)

const inputOf = (usage: Usage) => usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens

const isWhole = (usage: Usage): boolean =>
  isCount(usage.inputTokens) &&
  isCount(usage.cacheReadTokens) &&
  isCount(usage.cacheWriteTokens) &&
  isCount(usage.cacheWriteHourTokens ?? 0) &&
  isCount(usage.outputTokens) &&
  isCount(usage.reasoningTokens) &&
  isCount(usage.searches)

/** The most where the upstream itself adds input or turns: the model's context each turn. 0 where it does not. */
const added = (asked: UsageBounds): number => {
  const { contextTokens = widestContext, conversation } = asked
  const addsInput = conversation.tools.some(isSearch) || conversation.items.some(refers) || asked.hasMore()
  return addsInput ? contextTokens * (1 + roundsOf(conversation)) : 0
}

const roundsOf = (conversation: Conversation): number => {
  const search = conversation.tools.find(isSearch)
  return Math.min(mostRounds, search?.maxUses ?? usualRounds)
}

const searchesOf = (asked: UsageBounds): number => {
  const search = asked.conversation.tools.find(isSearch)
  if (search !== undefined) return search.maxUses ?? mostRounds
  return asked.hasMore() ? mostRounds : 0
}

const isSearch = (tool: Conversation["tools"][number]) => tool.type === "search"

/** Whether it has a file that the upstream fetches or keeps, whose size nobody here knows. */
const refers = (item: Item): boolean =>
  (item.type === "message" || item.type === "tool-result") &&
  item.content.some(
    (part) =>
      (part.type === "image" || part.type === "document") && (part.source.type === "url" || part.source.type === "file")
  )
