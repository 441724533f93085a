import type { Incoming } from "../../contract/handlers.ts"
import { isJsonObject } from "../../contract/fields.ts"
import { isConversationId } from "../ids.ts"

/** The conversation of this gateway that a request belongs to; undefined if it names none, or one of an upstream. */
export const conversationOf = (conversation: unknown): string | undefined => {
  const id = isJsonObject(conversation) ? conversation["id"] : conversation
  return typeof id === "string" && isConversationId(id) ? id : undefined
}

/** The request as upstreams get it: to them, the conversation is unknown. */
export const withoutConversation = (request: Incoming): Incoming =>
  isJsonObject(request.body) ? { ...request, body: { ...request.body, conversation: undefined } } : request
