import { Effect } from "effect"
import type { Holder } from "../../contract/callers/Caller.ts"
import type { InvalidRequest } from "../../contract/failures/Failure.ts"
import { makeObjection } from "../../contract/open.ts"
import { isJsonObject } from "../../contract/fields.ts"
import { handlers } from "../../contract/handlers.ts"
import { isOfNovelType } from "../InputItem.ts"
import type { InputItem } from "../InputItem.ts"
import { includedIn, wholeItem } from "../read.ts"
import type { IncludeParams } from "../read.ts"
import type { ConversationRow } from "../store/ConversationRow.ts"
import { ResponseStore } from "../store/ResponseStore.ts"
import { AddItems, ConversationsApi, CreateConversation } from "./Api.ts"
import type { Conversation } from "./Api.ts"
import { newItems } from "./newItems.ts"
import type { ConversationItem } from "./newItems.ts"

export const ConversationsHandlers = handlers(
  ConversationsApi,
  Effect.map(ResponseStore, (responses) => {
    const { conversations } = responses

    /** The items of a request, with those that it only names. */
    const itemsOf = (caller: Holder, items: ReadonlyArray<InputItem>, refused: InvalidRequest | undefined) =>
      refused === undefined
        ? Effect.map(responses.resolve(caller, items), (found) => newItems(found))
        : Effect.fail(refused)

    return {
      create: ({ caller, payload, request }) =>
        Effect.flatMap(itemsOf(caller, payload.items ?? [], objections.create(payload, known(request.body))), (items) =>
          Effect.map(conversations.create(caller, payload.metadata ?? {}, items), shown)
        ),
      find: ({ caller, path }) => Effect.map(conversations.find(caller, path.id), shown),
      update: ({ caller, path, payload }) =>
        Effect.map(conversations.update(caller, path.id, payload.metadata ?? {}), shown),
      remove: ({ caller, path: { id } }) =>
        Effect.as(conversations.remove(caller, id), {
          id,
          object: "conversation.deleted" as const,
          deleted: true as const
        }),
      addItems: ({ caller, path, payload, request, urlParams }) =>
        Effect.flatMap(itemsOf(caller, payload.items, objections.add(payload, known(request.body))), (items) =>
          Effect.as(conversations.add(caller, path.id, items), listOf(items, urlParams, false))
        ),
      listItems: ({ caller, path, urlParams }) =>
        Effect.map(conversations.page(caller, path.id, urlParams), ({ hasMore, items }) =>
          listOf(items, urlParams, hasMore)
        ),
      findItem: ({ caller, path, urlParams }) =>
        Effect.map(conversations.item(caller, path.id, path.item_id), (found) => shownOf(found, urlParams)),
      removeItem: ({ caller, path }) => Effect.map(conversations.removeItem(caller, path.id, path.item_id), shown)
    }
  })
)

const objections = { create: makeObjection(CreateConversation), add: makeObjection(AddItems) }

/** A body whose items of types that the contract does not know, which are kept for upstreams that do, break no rule. */
const known = (body: unknown): unknown =>
  isJsonObject(body) && Array.isArray(body["items"])
    ? { ...body, items: body["items"].map((item: unknown) => (isOfNovelType(item) ? plain : item)) }
    : body

const plain: InputItem = { type: "message", role: "user", content: "" }

const shown = ({ created_at, id, metadata }: ConversationRow): Conversation => ({
  id,
  object: "conversation",
  created_at: Math.floor(created_at / 1_000),
  metadata
})

const listOf = (items: ReadonlyArray<ConversationItem>, params: IncludeParams, hasMore: boolean) => ({
  object: "list" as const,
  data: items.map((item) => shownOf(item, params)),
  first_id: items[0]?.id ?? null,
  last_id: items.at(-1)?.id ?? null,
  has_more: hasMore
})

/** An item without the parts that are only shown to those who ask. */
const shownOf = ({ id, item }: ConversationItem, params: IncludeParams): InputItem => {
  const { encryptedReasoning, searchSources } = includedIn(params)
  const whole = wholeItem(item, id)
  if (whole.type !== "reasoning" && whole.type !== "web_search_call") return whole
  const { encrypted_content: _, ...open } = whole
  const shown = encryptedReasoning ? whole : open
  if (shown.type === "reasoning" || searchSources) return shown
  const { sources: _sources, ...action } = shown.action ?? {}
  return { ...shown, action }
}
