import { Schema } from "effect"
import { integer, JsonObject, maybe, required, answerField } from "../contract/fields.ts"

const Token = integer(0)

/** The body of POST /v1/embeddings (docs/api.md#embeddings). */
export const CreateEmbeddings = Schema.Struct({
  model: required(Schema.NonEmptyString, "Id of an embedding model; `GET /v1/models` lists them. Required."),
  input: maybe(
    Schema.Union(Schema.String, Schema.Array(Schema.Union(Schema.String, Token, Schema.Array(Token), JsonObject)))
  ).annotations({
    description:
      'A text, the tokens of a text, or an array of either: at most 2048 inputs of 8192 tokens, none empty. An object (`{"image": …}`) goes to the upstream as it is. Required unless there are `messages`.'
  }),
  messages: maybe(Schema.Array(Schema.Unknown)).annotations({
    description: "Messages with texts and images in place of `input`, for upstreams that embed them (vLLM)."
  }),
  dimensions: maybe(integer(1)).annotations({
    description: "The length of a vector, for models that offer several."
  }),
  encoding_format: maybe(Schema.Literal("float", "base64")).annotations({
    description: "Vectors as arrays of numbers or as base64 of 32-bit floats.",
    default: "float"
  }),
  user: maybe(Schema.String).annotations({ description: "Stable id of the end user." })
}).annotations({ identifier: "CreateEmbeddings", examples: [{ model: "sandbox-embed", input: "Hello!" }] })
export type CreateEmbeddings = typeof CreateEmbeddings.Type

const Embedding = Schema.Struct({
  object: Schema.Literal("embedding"),
  index: answerField(Schema.Int, "The index of the input."),
  embedding: answerField(Schema.Union(Schema.Array(Schema.Number), Schema.String), "The vector.")
})

export const EmbeddingList = Schema.Struct({
  object: Schema.Literal("list"),
  data: answerField(Schema.Array(Embedding), "A vector for each input."),
  model: answerField(Schema.String, "The requested model."),
  usage: answerField(
    Schema.Struct({
      prompt_tokens: answerField(Schema.NonNegativeInt, "Input tokens."),
      total_tokens: answerField(Schema.NonNegativeInt, "The same.")
    }),
    "Tokens used."
  )
}).annotations({ identifier: "EmbeddingList" })
