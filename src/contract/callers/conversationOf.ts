import { isJsonObject } from "../fields.ts"
import type { JsonObject } from "../fields.ts"

/** Headers by which agents name their session. */
export const sessionHeaders = [
  "session_id",
  "session-id",
  "conversation_id",
  "x-session-id",
  "x-claude-code-session-id"
]

/** Claude Code's session within `metadata.user_id`, in either of its forms. */
const claudeSession = /_session_([\w-]{8,64})$|"session_id"\s{0,4}:\s{0,4}"([\w-]{8,64})"/
/** The most characters of a user id to read. */
const mostRead = 1_024

/** The session of an agent, by its headers or its `metadata.user_id`. */
export const sessionOf = (headers: Headers | undefined, userId: string | undefined): string | undefined => {
  if (headers !== undefined) {
    for (const name of sessionHeaders) {
      const session = headers.get(name)
      if (session) return session
    }
  }
  const [, plain, inJson] = (userId === undefined ? null : claudeSession.exec(userId.slice(0, mostRead))) ?? []
  return plain ?? inJson
}

/**
 * The name that a client gives its conversation: the session of an agent, a conversation that the upstream stores, or the
 * key of its cache, which agents choose by session.
 */
export const conversationOf = (headers: Headers, body: JsonObject | undefined): string | undefined => {
  const { conversation, metadata, prompt_cache_key: cacheKey } = body ?? {}
  const userId = metadata !== undefined && isJsonObject(metadata) ? textOf(metadata["user_id"]) : undefined
  const session = sessionOf(headers, userId)
  // Most requests name neither of the two.
  if (session !== undefined || (conversation ?? cacheKey ?? undefined) === undefined) return session
  return textOf(isJsonObject(conversation) ? conversation["id"] : conversation) ?? textOf(cacheKey)
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)
