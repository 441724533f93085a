import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import {
  BodyLimit,
  Idempotent,
  LongBody,
  Prefixes,
  RateHeaders,
  RequestIdInErrors
} from "../../contract/annotations.ts"
import { AnthropicError } from "../../contract/failures/anthropicErrors.ts"
import { answerField, JsonObject, required } from "../../contract/fields.ts"
import { wholeNumber } from "../../contract/wholeNumber.ts"

const batches = "/v1/messages/batches"
const mebi = 1024 * 1024

const BatchPath = Schema.Struct({
  id: answerField(Schema.String, "The batch's id (`msgbatch_…`).")
})

export const MessageLine = Schema.Struct({
  custom_id: required(
    Schema.String.pipe(Schema.pattern(/^[a-zA-Z0-9_-]{1,64}$/)).annotations({
      description: "a name of 1 to 64 letters, digits, `-` and `_`"
    }),
    "The request's name among the results: 1 to 64 letters, digits, `-` and `_`, another for each."
  ),
  params: required(JsonObject, "The body of `POST /v1/messages`, without `stream`.")
})

const CreateMessageBatch = Schema.Struct({
  requests: required(Schema.Array(MessageLine), "1 to 100,000 requests.")
}).annotations({
  identifier: "CreateMessageBatch",
  examples: [
    {
      requests: [
        {
          custom_id: "first",
          params: { model: "sandbox-text", max_tokens: 100, messages: [{ role: "user", content: "Hello!" }] }
        }
      ]
    }
  ]
})

const Time = (description: string) => answerField(Schema.String, `${description} RFC 3339.`)
const MaybeTime = (description: string) => answerField(Schema.NullOr(Schema.String), `${description} RFC 3339.`)

export const MessageBatch = Schema.Struct({
  id: answerField(Schema.String, "The batch's id."),
  type: Schema.Literal("message_batch"),
  processing_status: answerField(
    Schema.Literal("in_progress", "canceling", "ended"),
    "`ended` once every request has a result."
  ),
  request_counts: answerField(
    Schema.Struct({
      processing: answerField(Schema.Int, "All requests, until the batch has ended."),
      succeeded: answerField(Schema.Int, "Requests with a message."),
      errored: answerField(Schema.Int, "Requests with an error."),
      canceled: answerField(Schema.Int, "Requests that did not begin before the batch was canceled."),
      expired: answerField(Schema.Int, "Requests that did not begin in time.")
    }),
    "The requests by their results. Their sum is the number of requests."
  ),
  created_at: Time("When it was created."),
  expires_at: Time("When it ends at the latest: a day after its creation."),
  ended_at: MaybeTime("When it ended."),
  cancel_initiated_at: MaybeTime("When it was canceled."),
  archived_at: answerField(Schema.Null, "Always null: results are deleted with the batch."),
  results_url: answerField(Schema.NullOr(Schema.String), "The address of the results, once it has ended.")
}).annotations({ identifier: "MessageBatch" })
export type MessageBatch = typeof MessageBatch.Type

const MessageBatchList = Schema.Struct({
  data: answerField(Schema.Array(MessageBatch), "The batches of this page, newest first."),
  first_id: answerField(Schema.NullOr(Schema.String), "The `before_id` of the page before; null on an empty page."),
  last_id: answerField(Schema.NullOr(Schema.String), "The `after_id` of the next page; null on an empty page."),
  has_more: answerField(Schema.Boolean, "True if there are more in the direction of the query.")
}).annotations({ identifier: "MessageBatchList" })

export const ListBatches = Schema.Struct({
  limit: Schema.optional(wholeNumber(1, 1_000)).annotations({ description: "1 to 1000, default 20." }),
  after_id: Schema.optional(Schema.String).annotations({ description: "The `last_id` of the page before." }),
  before_id: Schema.optional(Schema.String).annotations({ description: "The `first_id` of the page after." })
})
export type ListBatches = typeof ListBatches.Type

/** `/v1/messages/batches` (docs/api.md#batches). */
export class MessageBatchesApi extends HttpApiGroup.make("messageBatches")
  .add(
    HttpApiEndpoint.post("create", batches)
      .setPayload(CreateMessageBatch)
      .addSuccess(MessageBatch)
      .annotate(Idempotent, true)
      .annotate(LongBody, { seconds: 3_600, shownAs: { requests: [] } })
      .annotate(OpenApi.Summary, "Create a batch of messages")
      .annotate(
        OpenApi.Description,
        "Each request is run as `POST /v1/messages` with its `params`, within a day. At most 256 MiB."
      )
  )
  .add(
    HttpApiEndpoint.get("list", batches)
      .setUrlParams(ListBatches)
      .addSuccess(MessageBatchList)
      .annotate(OpenApi.Summary, "List the account's batches of messages")
  )
  .add(
    HttpApiEndpoint.get("find", `${batches}/:id`)
      .setPath(BatchPath)
      .addSuccess(MessageBatch)
      .annotate(OpenApi.Summary, "Read a batch of messages")
  )
  .add(
    HttpApiEndpoint.del("remove", `${batches}/:id`)
      .setPath(BatchPath)
      .addSuccess(
        Schema.Struct({
          id: answerField(Schema.String, "The batch's id."),
          type: Schema.Literal("message_batch_deleted")
        }).annotations({ identifier: "MessageBatchDeleted" })
      )
      .annotate(OpenApi.Summary, "Delete an ended batch of messages with its results")
  )
  .add(
    HttpApiEndpoint.post("cancel", `${batches}/:id/cancel`)
      .setPath(BatchPath)
      .addSuccess(MessageBatch)
      .annotate(OpenApi.Summary, "Cancel a batch of messages")
      .annotate(OpenApi.Description, "Requests that have begun are finished.")
  )
  .add(
    HttpApiEndpoint.get("results", `${batches}/:id/results`)
      .setPath(BatchPath)
      .addSuccess(HttpApiSchema.Text({ contentType: "application/x-jsonl" }))
      .annotate(OpenApi.Summary, "Read the results of an ended batch of messages")
      .annotate(
        OpenApi.Description,
        "A JSON object on each line: the request's `custom_id`, and its `result` with the type `succeeded`, `errored`, `canceled` or `expired`."
      )
  )
  .addError(AnthropicError)
  .annotate(Prefixes, [batches])
  .annotate(BodyLimit, 256 * mebi)
  .annotate(RequestIdInErrors, true)
  .annotate(RateHeaders, "anthropic")
  .annotate(OpenApi.Title, "Batches of messages")
  .annotate(OpenApi.Description, "Many messages in one request, as Anthropic has them.") {}
