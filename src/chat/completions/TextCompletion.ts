import { Schema } from "effect"
import { answerField, JsonObject } from "../../contract/fields.ts"
import { Usage } from "../Completion.ts"

const FinishReason = Schema.Literal("stop", "length", "content_filter")
export type FinishReason = typeof FinishReason.Type

const TextChoice = Schema.Struct({
  text: answerField(Schema.String, "The answer."),
  index: answerField(Schema.Int, "The index of the answer: those to one prompt stand together."),
  logprobs: answerField(Schema.NullOr(JsonObject), "Log probabilities of its tokens, if requested; else null."),
  finish_reason: answerField(FinishReason, "The reason that it ended.")
})
export type TextChoice = typeof TextChoice.Type

/** The answer to a request (docs/api.md#completions). */
export const TextCompletion = Schema.Struct({
  id: answerField(Schema.String, "Id of the completion."),
  object: Schema.Literal("text_completion"),
  created: answerField(Schema.Int, "Unix time in seconds."),
  model: answerField(Schema.String, "The requested model."),
  choices: answerField(Schema.Array(TextChoice), "The answers, in order."),
  usage: answerField(Usage, "Tokens used, by all answers.")
}).annotations({ identifier: "TextCompletion" })
export type TextCompletion = typeof TextCompletion.Type
