import type { Conversation, Item } from "../generation/Conversation.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import { mostCounted } from "../tokens/tokens.ts"
import { kinds } from "../contract/kinds.ts"

/** Tokens of the results of one call, which the next round reads. */
const callResults = 10_000
/** Tokens of a document that only the upstream reads: a hundred pages. */
const longestDocument = 200_000

/**
 * The most input tokens that a request may cause at its upstream: its own, documents that only the upstream reads, and all
 * of it again with the results of each search or other call. No round reads more than the known longest input; all of
 * them together are held up to the model's configured context.
 *
 * @param counted the gateway's count of the input
 */
export const mostInput = (conversation: Conversation, model: Model, counted: number, calls: number): number => {
  const own = mostCounted(conversation)
  const { contextTokens = Infinity, longestInput = Infinity } = kinds[model.kind].readsAtOnce ? model : {}
  const round = Math.min(conversation.items.some(refers) ? own + longestDocument : own, longestInput)
  const most = round + calls * Math.min(round + callResults, longestInput)
  return Math.max(counted, Math.min(most, contextTokens))
}

/** True for an item with a document of which only the address or the id is known. */
export const refers = (item: Item): boolean =>
  (item.type === "message" || item.type === "tool-result") &&
  item.content.some((part) => part.type === "document" && (part.source.type === "url" || part.source.type === "file"))
