import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { AnthropicError } from "../contract/anthropicErrors.ts"
import { Prefixes, RateHeaders, SharedPaths } from "../contract/annotations.ts"
import { CodedError } from "../contract/codedErrors.ts"
import { said } from "../contract/fields.ts"
import { VideoBoundsRecord } from "./VideoBoundsRecord.ts"

const Kind = Schema.Literal("text", "embedding", "video")

const ModelEntry = Schema.Struct({
  id: Schema.String.annotations({ description: "The id that requests use." }),
  object: Schema.Literal("model"),
  created: Schema.Int.annotations({ description: "Unix seconds." }),
  kind: said(Kind, "Generates text, embeddings or videos."),
  owned_by: said(Schema.String, "The owner of the model."),
  type: said(Schema.Literal("model"), "The same as `object`, for Anthropic's clients."),
  display_name: said(Schema.String, "The id again: models have no other name."),
  created_at: said(Schema.String, "`created` in RFC 3339."),
  video: Schema.optionalWith(VideoBoundsRecord, { exact: true }).annotations({
    description: "The bounds of a video model, by the best of its routes."
  })
})

const list = HttpApiEndpoint.get("list", "/v1/models")
  .setUrlParams(Schema.Struct({ kind: Schema.optional(said(Kind, "Only models of this kind.")) }))
  .addSuccess(
    Schema.Struct({
      object: Schema.Literal("list"),
      data: said(Schema.Array(ModelEntry), "All models that the key may use."),
      has_more: said(Schema.Literal(false), "Always false: all models are on one page."),
      first_id: said(Schema.NullOr(Schema.String), "Id of the first model; null if there is none."),
      last_id: said(Schema.NullOr(Schema.String), "Id of the last model.")
    })
  )
  .annotateContext(OpenApi.annotations({ summary: "List the models that the key may use" }))

const find = HttpApiEndpoint.get("find", "/v1/models/:id")
  .setPath(Schema.Struct({ id: said(Schema.String, "Id of the model.") }))
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
