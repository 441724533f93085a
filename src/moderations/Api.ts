import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { BodyLimit, Idempotent, Prefixes, RateHeaders } from "../contract/annotations.ts"
import { ModelNotFoundError } from "../contract/failures/codedErrors.ts"
import { JsonObject, maybe, required, answerField } from "../contract/fields.ts"

/** The model of requests that name none. */
export const usualModeration = "omni-moderation-latest"

/** The body of POST /v1/moderations (docs/api.md#moderations). */
export const CreateModeration = Schema.Struct({
  model: maybe(Schema.NonEmptyString).annotations({
    description: "Id of a moderation model; `GET /v1/models` lists them.",
    default: usualModeration
  }),
  input: required(
    Schema.Union(Schema.String, Schema.Array(Schema.Union(Schema.String, JsonObject))),
    "A text, an array of texts, or parts (`text`, `image_url`) of one input: 1 to 2,048. Required."
  )
}).annotations({
  identifier: "CreateModeration",
  examples: [{ model: "sandbox-moderation", input: "a red fox" }]
})
export type CreateModeration = typeof CreateModeration.Type

const Result = Schema.Struct({
  flagged: Schema.optionalWith(answerField(Schema.Boolean, "True if a category applies."), { exact: true }),
  categories: answerField(JsonObject, "For each category, true if it applies."),
  category_scores: answerField(JsonObject, "For each category, how surely it applies, from 0 to 1."),
  category_applied_input_types: Schema.optionalWith(
    answerField(JsonObject, "For each category, the kinds of input that were looked at."),
    { exact: true }
  )
})

const Moderation = Schema.Struct({
  id: Schema.optionalWith(answerField(Schema.String, "The upstream's id of the answer."), { exact: true }),
  model: answerField(Schema.String, "The requested model."),
  results: answerField(Schema.Array(Result), "A result for each text, or one for all parts."),
  usage: Schema.optionalWith(answerField(JsonObject, "Tokens used, if the upstream reports them."), { exact: true })
}).annotations({ identifier: "Moderation" })

const create = HttpApiEndpoint.post("create", "/v1/moderations")
  .setPayload(CreateModeration)
  .addSuccess(Moderation)
  .annotate(Idempotent, true)
  .annotateContext(
    OpenApi.annotations({ summary: "Moderate inputs", description: "Tells which harmful categories apply." })
  )

/** `/v1/moderations` (docs/api.md#moderations). */
export class ModerationsApi extends HttpApiGroup.make("moderations")
  .add(create)
  .addError(ModelNotFoundError)
  .annotate(Prefixes, ["/v1/moderations"])
  .annotate(BodyLimit, 32 * 1024 * 1024)
  .annotate(RateHeaders, "openai")
  .annotateContext(OpenApi.annotations({ title: "Moderations", description: "Harmful texts and images." })) {}
