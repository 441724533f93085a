import { Schema } from "effect"
import { answerField, JsonObject } from "../../contract/fields.ts"

const pairs = answerField(Schema.Record({ key: Schema.String, value: Schema.String }), "As sent, or as updated.")
const anything = { key: Schema.String, value: Schema.Unknown }
const pageFields = {
  object: Schema.Literal("list"),
  first_id: answerField(Schema.NullOr(Schema.String), "Id of the first; null on an empty page."),
  last_id: answerField(Schema.NullOr(Schema.String), "Id of the last, for `after`; null on an empty page."),
  has_more: answerField(Schema.Boolean, "True if there are more.")
}

/** A stored completion as its reader gets it: the answer with its metadata. */
export const StoredChatCompletion = Schema.Struct(
  {
    id: answerField(Schema.String, "Id of the completion."),
    object: Schema.Literal("chat.completion"),
    created: answerField(Schema.Int, "Unix time in seconds."),
    model: answerField(Schema.String, "The requested model."),
    choices: answerField(Schema.Array(JsonObject), "The answers, in order."),
    metadata: pairs
  },
  anything
).annotations({ identifier: "StoredChatCompletion", description: "The answer, with its metadata." })
export type StoredChatCompletion = typeof StoredChatCompletion.Type

export const StoredChatCompletionList = Schema.Struct({
  ...pageFields,
  data: answerField(Schema.Array(StoredChatCompletion), "The completions of the page.")
}).annotations({ identifier: "StoredChatCompletionList" })

export const StoredChatMessage = Schema.Struct(
  {
    id: answerField(Schema.String, "Id of the message."),
    role: answerField(Schema.String, "The speaker."),
    content: answerField(Schema.NullOr(Schema.String), "Its text; null if it came in parts, or has none."),
    content_parts: answerField(
      Schema.NullOr(Schema.Array(JsonObject)),
      "Its parts of the types `text` and `image_url`; null if its content came as a text."
    ),
    name: answerField(Schema.NullOr(Schema.String), "As sent."),
    refusal: answerField(Schema.NullOr(Schema.String), "As sent.")
  },
  anything
).annotations({
  identifier: "StoredChatMessage",
  description: "A message of the request, with its other fields as sent."
})
export type StoredChatMessage = typeof StoredChatMessage.Type

export const StoredChatMessageList = Schema.Struct({
  ...pageFields,
  data: answerField(Schema.Array(StoredChatMessage), "The messages of the page.")
}).annotations({ identifier: "StoredChatMessageList" })
