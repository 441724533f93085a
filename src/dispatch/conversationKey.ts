import { sessionOf } from "../contract/callers/conversationOf.ts"
import type { Conversation } from "../generation/Conversation.ts"

/** The most characters of system and first turn to read. */
const mostCharacters = 8_192

/**
 * Text that is the same for all requests of a conversation, and hardly for two conversations: the caller's cache key, the
 * agent's session, otherwise how the conversation begins.
 */
export const conversationKey = (conversation: Conversation, headers: Headers | undefined): string => {
  const { cacheKey, endUser } = conversation
  if (cacheKey !== undefined) return `key:${cacheKey}`
  const session = sessionOf(headers, endUser)
  return session === undefined ? `text:${beginning(conversation)}` : `session:${session}`
}

const beginning = ({ items, system }: Conversation): string => {
  const first = items.find((item) => item.type === "message" && item.role === "user")
  const parts = first?.type === "message" ? first.content : []
  const text = parts.map((part) => (part.type === "text" ? part.text : part.type === "image" ? imageOf(part) : ""))
  // The turn comes first: agents' system texts are long, and the same for all their conversations.
  return [...text, ...system]
    .map((one) => one.slice(0, mostCharacters))
    .join("\n")
    .slice(0, 2 * mostCharacters)
}

const imageOf = ({
  source
}: {
  readonly source: { readonly type: string; readonly data?: string; readonly url?: string }
}) => source.data?.slice(-256) ?? source.url ?? ""
