import { Effect } from "effect"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { isObject, listAt, numberAt, textAt } from "../../contract/json/json.ts"
import type { Metadata, StoredCompletion } from "../store/StoredCompletions.ts"
import type { ListCompletions } from "./endpoints.ts"
import type { StoredChatCompletion, StoredChatMessage } from "./StoredCompletion.ts"

/** The pairs of `metadata[key]=value` in a query. */
export const metadataIn = (query: ListCompletions): Metadata =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => {
      const [, key] = pair.exec(name) ?? []
      return key === undefined || typeof value !== "string" ? [] : [[key, value]]
    })
  )

const pair = /^metadata\[([^\]]*)\]$/

/** A stored completion with the fields that clients rely on. */
export const shown = ({ completion, created_at, id, metadata, model }: StoredCompletion): StoredChatCompletion => ({
  ...completion,
  id,
  object: "chat.completion",
  created: Math.trunc(numberAt(completion, "created") ?? created_at / 1_000),
  model,
  choices: listAt(completion, "choices").filter(isObject),
  metadata
})

export const pageOf = <A extends { readonly id: string }>(data: ReadonlyArray<A>, hasMore: boolean) => ({
  object: "list" as const,
  data,
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
  has_more: hasMore
})

/** One page of a completion's messages. */
export const messagePage = (
  id: string,
  messages: ReadonlyArray<JsonObject>,
  { after, limit = 20, order }: Pick<ListCompletions, "after" | "limit" | "order">
) => {
  const all = messages.map((message, index) => ({ id: `${id}-${index}`, message }))
  if (order === "desc") all.reverse()
  const from = after === undefined ? 0 : all.findIndex((one) => one.id === after) + 1
  if (from === 0 && after !== undefined) {
    return Effect.fail(
      new InvalidRequest({ param: "after", message: "after: expected the id of a message of this chat completion" })
    )
  }
  return Effect.succeed(pageOf(all.slice(from, from + limit).map(shownMessage), from + limit < all.length))
}

const shownMessage = ({ id, message }: { readonly id: string; readonly message: JsonObject }): StoredChatMessage => {
  const { content } = message
  return {
    ...message,
    id,
    role: textAt(message, "role") ?? "user",
    content: typeof content === "string" ? content : null,
    content_parts: Array.isArray(content) ? content.filter(isShown) : null,
    name: textAt(message, "name") ?? null,
    refusal: textAt(message, "refusal") ?? null
  }
}

/** Of the parts, OpenAI's clients know texts and images. */
const isShown = (part: unknown): part is JsonObject =>
  isObject(part) && (part["type"] === "text" || part["type"] === "image_url")
