import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { BodyLimit, Idempotent, Prefixes, RateHeaders } from "../contract/annotations.ts"
import { ModelNotFoundError } from "../contract/failures/codedErrors.ts"
import { integer, JsonObject, maybe, required, answerField } from "../contract/fields.ts"

/** The body of POST /v1/rerank (docs/api.md#rerank). */
export const CreateRerank = Schema.Struct({
  model: required(Schema.NonEmptyString, "Id of a rerank model; `GET /v1/models` lists them. Required."),
  query: required(Schema.NonEmptyString, "The text that documents are compared with. Required."),
  documents: required(
    Schema.Array(Schema.Union(Schema.String, JsonObject)),
    "Texts, or objects with a `text`: 1 to 10,000. Required."
  ),
  top_n: maybe(integer(1)).annotations({ description: "The most results. Without it, every document has one." }),
  return_documents: maybe(Schema.Boolean).annotations({
    description: "True for results with their documents, where the upstream has that field."
  })
}).annotations({
  identifier: "CreateRerank",
  examples: [{ model: "sandbox-rerank", query: "a red fox", documents: ["the fox is red", "a blue sea"] }]
})
export type CreateRerank = typeof CreateRerank.Type

const Result = Schema.Struct({
  index: answerField(Schema.NonNegativeInt, "The document's place in the request."),
  relevance_score: answerField(Schema.Number, "The higher, the more relevant."),
  document: Schema.optionalWith(answerField(Schema.Unknown, "The document, if it was asked for."), { exact: true })
})

const RerankList = Schema.Struct({
  id: Schema.optionalWith(answerField(Schema.String, "The upstream's id of the answer."), { exact: true }),
  model: answerField(Schema.String, "The requested model."),
  results: answerField(Schema.Array(Result), "The results, the most relevant first."),
  usage: Schema.optionalWith(answerField(JsonObject, "Tokens used, if the upstream reports them."), { exact: true }),
  meta: Schema.optionalWith(answerField(JsonObject, "Units billed, if the upstream reports them."), { exact: true })
}).annotations({ identifier: "RerankList" })

const create = HttpApiEndpoint.post("create", "/v1/rerank")
  .setPayload(CreateRerank)
  .addSuccess(RerankList)
  .annotate(Idempotent, true)
  .annotateContext(
    OpenApi.annotations({ summary: "Rerank documents", description: "Scores each document by a query." })
  )

/** `/v1/rerank` (docs/api.md#rerank). */
export class RerankApi extends HttpApiGroup.make("rerank")
  .add(create)
  .addError(ModelNotFoundError)
  .annotate(Prefixes, ["/v1/rerank"])
  .annotate(BodyLimit, 32 * 1024 * 1024)
  .annotate(RateHeaders, "openai")
  .annotateContext(OpenApi.annotations({ title: "Rerank", description: "Documents in order of relevance." })) {}
