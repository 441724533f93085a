import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { BodyLimit, Prefixes, RateHeaders } from "../../contract/annotations.ts"
import { CodedError } from "../../contract/failures/codedErrors.ts"
import { answerField, maybe } from "../../contract/fields.ts"
import { Metadata } from "../../contract/Metadata.ts"
import { InputItem } from "../InputItem.ts"
import { ItemPageParams, itemPageOf } from "../itemPage.ts"

const id = Schema.String.annotations({ description: "Id of the conversation." })
const path = Schema.Struct({ id })
const itemPath = Schema.Struct({ id, item_id: Schema.String.annotations({ description: "Id of the item." }) })

const Includes = Schema.optional(Schema.Union(Schema.String, Schema.Array(Schema.String))).annotations({
  description: "Optional parts of the items: `web_search_call.action.sources`, `reasoning.encrypted_content`."
})
const includes = { include: Includes, "include[]": Includes }

/** The most items that a request adds, as at OpenAI. */
const Items = Schema.Array(InputItem)
  .pipe(Schema.maxItems(20))
  .annotations({ description: "an array of at most 20 items" })

const Conversation = Schema.Struct({
  id: answerField(Schema.String, "Id of the conversation; `conversation` of a response request names it."),
  object: Schema.Literal("conversation"),
  created_at: Schema.Int.annotations({ description: "Unix seconds." }),
  metadata: answerField(Schema.Record({ key: Schema.String, value: Schema.String }), "As sent.")
}).annotations({ identifier: "Conversation" })
export type Conversation = typeof Conversation.Type

const NovelItem = Schema.Struct(
  {
    type: answerField(Schema.String, "A type that is not listed here."),
    id: answerField(Schema.String, "Id of the item.")
  },
  { key: Schema.String, value: Schema.Unknown }
).annotations({ identifier: "ConversationNovelItem", description: "An item that some upstream knows, as it was sent." })

const Item = Schema.Union(InputItem, NovelItem)

const ItemList = itemPageOf(Item, "The items.").annotations({ identifier: "ConversationItemList" })

/** The body of POST /v1/conversations. */
export const CreateConversation = Schema.Struct({
  items: maybe(Items).annotations({ description: "Its first items, at most 20." }),
  metadata: maybe(Metadata).annotations({ description: "Strings to keep with it." })
}).annotations({ identifier: "ConversationCreate", examples: [{ metadata: { topic: "demo" } }] })

/** The body of POST /v1/conversations/{id}/items. */
export const AddItems = Schema.Struct({ items: Items }).annotations({
  identifier: "ConversationItems",
  examples: [{ items: [{ type: "message", role: "user", content: "Hello!" }] }]
})

const create = HttpApiEndpoint.post("create", "/v1/conversations")
  .setPayload(CreateConversation)
  .addSuccess(Conversation)
  .annotateContext(
    OpenApi.annotations({
      summary: "Create a conversation",
      description: "Name it in `conversation` of a response request: what was said before comes before the input."
    })
  )

const find = HttpApiEndpoint.get("find", "/v1/conversations/:id")
  .setPath(path)
  .addSuccess(Conversation)
  .annotateContext(OpenApi.annotations({ summary: "Read a conversation" }))

const update = HttpApiEndpoint.post("update", "/v1/conversations/:id")
  .setPath(path)
  .setPayload(
    Schema.Struct({
      metadata: maybe(Metadata).annotations({ description: "Takes the place of what was kept." })
    }).annotations({
      identifier: "ConversationUpdate",
      examples: [{ metadata: { topic: "demo" } }]
    })
  )
  .addSuccess(Conversation)
  .annotateContext(OpenApi.annotations({ summary: "Replace a conversation's metadata" }))

const remove = HttpApiEndpoint.del("remove", "/v1/conversations/:id")
  .setPath(path)
  .addSuccess(
    Schema.Struct({
      id: answerField(Schema.String, "Id of the deleted conversation."),
      object: Schema.Literal("conversation.deleted"),
      deleted: Schema.Literal(true)
    })
  )
  .annotateContext(
    OpenApi.annotations({ summary: "Delete a conversation", description: "With its items; its responses stay." })
  )

const addItems = HttpApiEndpoint.post("addItems", "/v1/conversations/:id/items")
  .setPath(path)
  .setUrlParams(Schema.Struct(includes))
  .setPayload(AddItems)
  .addSuccess(ItemList)
  .annotateContext(OpenApi.annotations({ summary: "Add items to a conversation" }))

const listItems = HttpApiEndpoint.get("listItems", "/v1/conversations/:id/items")
  .setPath(path)
  .setUrlParams(
    Schema.Struct({
      ...ItemPageParams,
      ...includes
    })
  )
  .addSuccess(ItemList)
  .annotateContext(OpenApi.annotations({ summary: "List a conversation's items" }))

const findItem = HttpApiEndpoint.get("findItem", "/v1/conversations/:id/items/:item_id")
  .setPath(itemPath)
  .setUrlParams(Schema.Struct(includes))
  .addSuccess(Item)
  .annotateContext(OpenApi.annotations({ summary: "Read an item of a conversation" }))

const removeItem = HttpApiEndpoint.del("removeItem", "/v1/conversations/:id/items/:item_id")
  .setPath(itemPath)
  .addSuccess(Conversation)
  .annotateContext(OpenApi.annotations({ summary: "Delete an item of a conversation" }))

/** `/v1/conversations` (docs/api.md#conversations). */
export class ConversationsApi extends HttpApiGroup.make("conversations")
  .add(create)
  .add(find)
  .add(update)
  .add(remove)
  .add(addItems)
  .add(listItems)
  .add(findItem)
  .add(removeItem)
  .addError(CodedError)
  .annotate(Prefixes, ["/v1/conversations"])
  .annotate(BodyLimit, 32 * 1024 * 1024)
  .annotate(RateHeaders, "openai")
  .annotateContext(
    OpenApi.annotations({ title: "Conversations", description: "Conversations that responses continue." })
  ) {}
