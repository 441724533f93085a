import { Schema } from "effect"
import { JsonObject, answerField } from "../contract/fields.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const FunctionCall = Schema.Struct({
  name: answerField(Schema.String, "Name of the function."),
  arguments: answerField(Schema.String, "Its arguments, as JSON text.")
})
export type FunctionCall = typeof FunctionCall.Type

const ToolCall = Schema.Union(
  Schema.Struct({
    id: answerField(Schema.String, "Id of the call, for its `tool` message."),
    type: Schema.Literal("function"),
    function: answerField(FunctionCall, "The function to call.")
  }),
  Schema.Struct({
    id: answerField(Schema.String, "Id of the call, for its `tool` message."),
    type: Schema.Literal("custom"),
    custom: answerField(
      Schema.Struct({
        name: answerField(Schema.String, "Name of the tool."),
        input: answerField(Schema.String, "The arguments.")
      }),
      "The function to call."
    )
  })
)
export type ToolCall = typeof ToolCall.Type

const Annotation = Schema.Struct({
  type: Schema.Literal("url_citation"),
  url_citation: answerField(
    Schema.Struct({
      start_index: answerField(Schema.Int, "Start of the supported words in `content`."),
      end_index: answerField(Schema.Int, "End of the words, exclusive."),
      url: answerField(Schema.String, "Address of the page."),
      title: answerField(Schema.String, "Title of the page.")
    }),
    "A page that supports the text."
  )
})
export type Annotation = typeof Annotation.Type

/** As OpenRouter, LiteLLM and Vercel's gateway have it: OpenAI's chat completions have no images in answers. */
const MadeImage = Schema.Struct({
  type: Schema.Literal("image_url"),
  index: answerField(Schema.Int, "The index of the image."),
  image_url: answerField(Schema.Struct({ url: answerField(Schema.String, "The image as a data URL.") }), "The image.")
})
export type MadeImage = typeof MadeImage.Type

/** The assistant's message. */
export const AnswerMessage = Schema.Struct({
  role: Schema.Literal("assistant"),
  content: answerField(Schema.NullOr(Schema.String), "The text; null if there is none."),
  refusal: answerField(Schema.NullOr(Schema.String), "The reason the model does not answer; null if it does."),
  reasoning_content: optional(Schema.String).annotations({ description: "The model's thinking." }),
  reasoning_details: optional(Schema.Array(JsonObject)).annotations({
    description: "The signed thinking; return it unchanged."
  }),
  annotations: optional(Schema.Array(Annotation)).annotations({ description: "Citations in the text." }),
  images: optional(Schema.Array(MadeImage)).annotations({ description: "The images that the model made." }),
  tool_calls: optional(Schema.Array(ToolCall)).annotations({ description: "The tools to call." }),
  function_call: optional(FunctionCall).annotations({
    description: "The function to call, if the request used `functions`."
  })
})
export type AnswerMessage = typeof AnswerMessage.Type

const FinishReason = Schema.Literal("stop", "length", "tool_calls", "content_filter", "function_call")
export type FinishReason = typeof FinishReason.Type

const Choice = Schema.Struct({
  index: answerField(Schema.Int, "The index of the answer."),
  message: answerField(AnswerMessage, "The answer."),
  logprobs: answerField(
    Schema.NullOr(JsonObject),
    "Log probabilities of its tokens, if requested and told; else null."
  ),
  finish_reason: answerField(FinishReason, "The reason that it ended.")
})
export type Choice = typeof Choice.Type

const count = Schema.NonNegativeInt

export const Usage = Schema.Struct({
  prompt_tokens: answerField(count, "Input tokens, cached ones included."),
  completion_tokens: answerField(count, "Generated tokens, reasoning included."),
  total_tokens: answerField(count, "Both together."),
  prompt_tokens_details: answerField(
    Schema.Struct({
      cached_tokens: answerField(count, "Input tokens read from a cache."),
      cache_write_tokens: Schema.optionalWith(count, { exact: true }).annotations({
        description: "Input tokens written to a cache, if there are any."
      })
    }),
    "The input."
  ),
  completion_tokens_details: answerField(
    Schema.Struct({ reasoning_tokens: answerField(count, "Tokens of reasoning.") }),
    "The output."
  )
})
export type Usage = typeof Usage.Type

/** The answer to a request (docs/api.md#the-completion). */
export const ChatCompletion = Schema.Struct({
  id: answerField(Schema.String, "Id of the completion."),
  object: Schema.Literal("chat.completion"),
  created: answerField(Schema.Int, "Unix time in seconds."),
  model: answerField(Schema.String, "The requested model."),
  choices: answerField(Schema.Array(Choice), "The answers, in order."),
  service_tier: optional(Schema.String).annotations({
    description: "The tier that served it, if the upstream told it."
  }),
  usage: answerField(Usage, "Tokens used, by all answers.")
}).annotations({ identifier: "ChatCompletion" })
export type ChatCompletion = typeof ChatCompletion.Type
