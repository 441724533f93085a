import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { AnthropicError } from "../contract/failures/anthropicErrors.ts"
import { Prefixes, RateHeaders, SharedPaths } from "../contract/annotations.ts"
import { CodedError } from "../contract/failures/codedErrors.ts"
import { answerField } from "../contract/fields.ts"
import { AnthropicFacts } from "./facts/anthropicFacts.ts"
import { OpenAIFacts } from "./facts/openaiFacts.ts"
import { VideoBoundsRecord } from "./VideoBoundsRecord.ts"
import { modelKinds } from "../contract/kinds.ts"

const Kind = Schema.Literal(...modelKinds)

const shared = {
  id: Schema.String.annotations({ description: "The id that requests use." }),
  object: Schema.Literal("model"),
  created: Schema.Int.annotations({ description: "Unix seconds of its release; 0 if that is unknown." }),
  kind: answerField(Kind, "Generates text, embeddings or videos."),
  owned_by: answerField(Schema.String, "The owner of the model."),
  type: answerField(Schema.Literal("model"), "The same as `object`, for Anthropic's clients."),
  display_name: answerField(Schema.String, "The id again: models have no other name."),
  created_at: answerField(Schema.String, "`created` in RFC 3339."),
  video: Schema.optionalWith(VideoBoundsRecord, { exact: true }).annotations({
    description: "The bounds of a video model, by the best of its routes."
  })
}

const OpenAIModel = Schema.Struct({ ...shared, ...OpenAIFacts }).annotations({ identifier: "OpenAIModel" })
const AnthropicModel = Schema.Struct({ ...shared, ...AnthropicFacts }).annotations({
  identifier: "AnthropicModel",
  description: "For requests with `anthropic-version` or `x-api-key`."
})
const ModelEntry = Schema.Union(OpenAIModel, AnthropicModel)

const list = HttpApiEndpoint.get("list", "/v1/models")
  .setUrlParams(Schema.Struct({ kind: Schema.optional(answerField(Kind, "Only models of this kind.")) }))
  .addSuccess(
    Schema.Struct({
      object: Schema.Literal("list"),
      data: answerField(Schema.Array(ModelEntry), "All models that the key may use."),
      has_more: answerField(Schema.Literal(false), "Always false: all models are on one page."),
      first_id: answerField(Schema.NullOr(Schema.String), "Id of the first model; null if there is none."),
      last_id: answerField(Schema.NullOr(Schema.String), "Id of the last model."),
      total_count: answerField(Schema.Int, "How many they are, for clients of OpenRouter."),
      links: answerField(
        Schema.Struct({ next: answerField(Schema.Null, "Always null: there is no further page.") }),
        "Further pages, for clients of OpenRouter."
      )
    })
  )
  .annotateContext(OpenApi.annotations({ summary: "List the models that the key may use" }))

const find = HttpApiEndpoint.get("find", "/v1/models/:id")
  .setPath(Schema.Struct({ id: answerField(Schema.String, "Id of the model.") }))
  .addSuccess(ModelEntry)
  .annotateContext(OpenApi.annotations({ summary: "Read one model's entry" }))

/** `/v1/models`, as OpenAI and Anthropic have it. */
export class ModelsApi extends HttpApiGroup.make("models")
  .add(list)
  .add(find)
  .addError(CodedError)
  .addError(AnthropicError)
  .annotate(Prefixes, ["/v1/models"])
  .annotate(SharedPaths, true)
  .annotate(RateHeaders, "openai")
  .annotateContext(OpenApi.annotations({ title: "Models", description: "Models that this gateway serves." })) {}
