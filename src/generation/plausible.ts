import { isCount } from "../contract/json/json.ts"
import { allMeasures, inputOf } from "../contract/records/measures.ts"
import { measures } from "../contract/records/measureTable.ts"
import type { Conversation, Item } from "./Conversation.ts"
import { wholeUsage } from "./addUsage.ts"
import type { Doubt, Usage } from "./GenerationEvent.ts"

/** The limits that a usage is checked against. */
export interface UsageBounds {
  readonly conversation: Conversation
  /** The model's context in tokens; undefined if unknown. */
  readonly contextTokens: number | undefined
  /** The gateway's own count of the input, called only for large inputs. */
  readonly inputTokens: () => number
  /** True if the request has parts that are not in the conversation (tools of the upstream's own). */
  readonly hasMore: () => boolean
}

/** The tolerated excess over the gateway's own count, because tokenizers and hidden prompts differ. */
const slack = 100_000
const factor = 4
/** The largest context of any model, for those of unknown context. */
const widestContext = 2_097_152
/** The longest output of any model, where neither the request nor its context bounds it. */
const longestOutput = 1_048_576
/** The smallest bound that any dialect accepts; smaller ones are raised to it. */
const leastBound = 16
/** The default and the maximum of turns with the upstream's own tools. */
const usualRounds = 10
const mostRounds = 100
/** The most calls of one tool in an answer. */
const mostCalls = 1_000

/**
 * The implausible part of a usage, compared with the request; undefined if there is none. It calls the gateway's own
 * count only for a large input.
 */
export const doubtOf = (usage: Usage, asked: UsageBounds): Doubt | undefined => {
  if (!isWhole(usage)) return "number"
  const input = inputOf(wholeUsage(usage))
  if (input > slack && input > factor * asked.inputTokens() + slack && input > added(asked)) return "input"
  const { contextTokens = longestOutput, conversation } = asked
  const bound = conversation.maxOutputTokens
  const output = outputOf(usage)
  if (output > (bound === undefined ? contextTokens : Math.max(bound, leastBound)) && output > added(asked))
    return "output"
  // Others write at most what their own context holds, and only if the upstream has tools or edits of its own.
  if (usage.besides?.some((one) => outputOf(one) > contextTokens && outputOf(one) > added(asked)) === true)
    return "output"
  if (usage.searches > 0 && usage.searches > searchesOf(asked)) return "searches"
  if (usage.calls !== undefined && Object.values(usage.calls).some((count) => count > mostCalls)) return "calls"
  return undefined
}

const outputOf = ({ outputTokens, reasoningTokens }: Usage): number => Math.max(outputTokens, reasoningTokens)

/** `doubtOf` for the usage at an answer's start, when the output is not known yet. */
export const doubtOfStart = (usage: Usage, asked: UsageBounds): Doubt | undefined =>
  doubtOf({ ...usage, outputTokens: 0, reasoningTokens: 0, searches: 0 }, asked)

const isWhole = (usage: Usage): boolean =>
  allMeasures.every((measure) => isCount(usage[measures[measure].name] ?? 0)) &&
  (usage.calls === undefined || Object.values(usage.calls).every(isCount)) &&
  (usage.besides === undefined || usage.besides.every(isWhole))

/** The most input that the upstream itself may add: the model's context per turn, 0 without tools of its own. */
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

/** True for an item with a file that the upstream fetches or stores, whose size is unknown. */
const refers = (item: Item): boolean =>
  (item.type === "message" || item.type === "tool-result") &&
  item.content.some(
    (part) =>
      (part.type === "image" || part.type === "document") && (part.source.type === "url" || part.source.type === "file")
  )
