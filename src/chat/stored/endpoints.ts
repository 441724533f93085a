import { HttpApiEndpoint, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { maybe } from "../../contract/fields.ts"
import { Metadata } from "../../contract/Metadata.ts"
import { wholeNumber } from "../../contract/wholeNumber.ts"
import { StoredChatCompletion, StoredChatCompletionList, StoredChatMessageList } from "./StoredCompletion.ts"

const path = Schema.Struct({ id: Schema.String.annotations({ description: "Id of a stored chat completion." }) })

const pages = {
  after: Schema.optional(Schema.String).annotations({ description: "Id of the last one of the page before." }),
  limit: Schema.optional(wholeNumber(1, 100)).annotations({ description: "The most on a page. Default 20." }),
  order: Schema.optional(Schema.Literal("asc", "desc")).annotations({ description: "By time. Default `asc`." })
}

/** Pairs of metadata are parameters of their own, `metadata[key]=value`, which no schema names. */
export const ListCompletions = Schema.Struct(
  { model: Schema.optional(Schema.String).annotations({ description: "Only those of this model." }), ...pages },
  { key: Schema.TemplateLiteral("metadata[", Schema.String, "]"), value: Schema.String }
)
export type ListCompletions = typeof ListCompletions.Type

export const list = HttpApiEndpoint.get("list", "/v1/chat/completions")
  .setUrlParams(ListCompletions)
  .addSuccess(StoredChatCompletionList)
  .annotateContext(
    OpenApi.annotations({
      summary: "List stored chat completions",
      description: "Those that were created with `store: true`, also in pages and by metadata.",
      transform: (operation) => {
        operation.parameters.push({
          name: "metadata",
          in: "query",
          style: "deepObject",
          explode: true,
          required: false,
          schema: { type: "object", additionalProperties: { type: "string" } },
          description: "Only those with these pairs: `metadata[key]=value`."
        })
        return operation
      }
    })
  )

export const find = HttpApiEndpoint.get("find", "/v1/chat/completions/:id")
  .setPath(path)
  .addSuccess(StoredChatCompletion)
  .annotateContext(OpenApi.annotations({ summary: "Read a stored chat completion" }))

export const update = HttpApiEndpoint.post("update", "/v1/chat/completions/:id")
  .setPath(path)
  .setPayload(
    Schema.Struct({
      metadata: maybe(Metadata).annotations({ description: "Takes the place of what was kept." })
    }).annotations({ identifier: "ChatUpdateCompletion", examples: [{ metadata: { topic: "demo" } }] })
  )
  .addSuccess(StoredChatCompletion)
  .annotateContext(OpenApi.annotations({ summary: "Replace a stored chat completion's metadata" }))

export const remove = HttpApiEndpoint.del("remove", "/v1/chat/completions/:id")
  .setPath(path)
  .addSuccess(
    Schema.Struct({
      id: Schema.String.annotations({ description: "Id of the deleted completion." }),
      object: Schema.Literal("chat.completion.deleted"),
      deleted: Schema.Literal(true)
    })
  )
  .annotateContext(OpenApi.annotations({ summary: "Delete a stored chat completion" }))

export const messages = HttpApiEndpoint.get("messages", "/v1/chat/completions/:id/messages")
  .setPath(path)
  .setUrlParams(Schema.Struct(pages))
  .addSuccess(StoredChatMessageList)
  .annotateContext(OpenApi.annotations({ summary: "List the messages of a stored chat completion" }))
