import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Idempotent, Prefixes, RateHeaders } from "../../contract/annotations.ts"
import { CodedError } from "../../contract/failures/codedErrors.ts"
import { answerField, integer, maybe, required } from "../../contract/fields.ts"
import { Metadata } from "../../contract/Metadata.ts"
import { wholeNumber } from "../../contract/wholeNumber.ts"
import { openaiPageOf } from "../../contract/paging.ts"

const batches = "/v1/batches"

/** The endpoints whose requests may be lines of OpenAI's batches. */
const lineEndpoints = [
  "/v1/responses",
  "/v1/chat/completions",
  "/v1/completions",
  "/v1/embeddings",
  "/v1/moderations"
] as const

const BatchPath = Schema.Struct({ id: answerField(Schema.String, "The batch's id (`batch_…`).") })

const CreateBatch = Schema.Struct({
  input_file_id: required(Schema.String, "A file of `purpose: batch`, with a request on each line."),
  endpoint: required(Schema.Literal(...lineEndpoints), "The `url` of every line."),
  completion_window: required(Schema.Literal("24h"), "The time in which lines may begin."),
  metadata: maybe(Metadata).annotations({ description: "At most 16 pairs, kept with the batch." }),
  output_expires_after: maybe(
    Schema.Struct({
      anchor: required(Schema.Literal("created_at"), "The time from which the seconds count."),
      seconds: required(integer(3_600, 2_592_000), "An hour to 30 days.")
    })
  ).annotations({ description: "The life of the output and error files. By default they stay until they are deleted." })
}).annotations({ identifier: "CreateBatch" })
export type CreateBatch = typeof CreateBatch.Type

const BatchError = Schema.Struct({
  code: answerField(Schema.String, "The kind of mistake."),
  line: answerField(Schema.NullOr(Schema.Int), "The line, from 1; null if it is the file's."),
  message: answerField(Schema.String, "The mistake in words."),
  param: answerField(Schema.NullOr(Schema.String), "The field; null if it is the line's.")
})
export type BatchError = typeof BatchError.Type

const Time = (description: string) =>
  answerField(Schema.NullOr(Schema.Int), `When ${description}, in Unix seconds; null if it is not.`)

export const OpenAIBatch = Schema.Struct({
  id: answerField(Schema.String, "The batch's id."),
  object: Schema.Literal("batch"),
  endpoint: answerField(Schema.String, "The endpoint of its lines."),
  errors: answerField(
    Schema.NullOr(
      Schema.Struct({
        object: Schema.Literal("list"),
        data: answerField(Schema.Array(BatchError), "The mistakes, at most 20.")
      })
    ),
    "Why it failed: mistakes of its file."
  ),
  input_file_id: answerField(Schema.String, "The file with its requests."),
  completion_window: Schema.Literal("24h"),
  status: answerField(
    Schema.Literal(
      "validating",
      "failed",
      "in_progress",
      "finalizing",
      "completed",
      "expired",
      "cancelling",
      "cancelled"
    ),
    "`completed`, `failed`, `expired` and `cancelled` are final."
  ),
  output_file_id: answerField(Schema.NullOr(Schema.String), "The file with the answers, once it has ended."),
  error_file_id: answerField(Schema.NullOr(Schema.String), "The file with the errors, once it has ended."),
  created_at: answerField(Schema.Int, "When it was created, in Unix seconds."),
  in_progress_at: Time("its file was found good"),
  expires_at: answerField(Schema.Int, "When lines that have not begun expire, in Unix seconds."),
  finalizing_at: Time("its last line ended"),
  completed_at: Time("it was completed"),
  failed_at: Time("it failed"),
  expired_at: Time("it expired"),
  cancelling_at: Time("it was cancelled"),
  cancelled_at: Time("its last line ended after that"),
  request_counts: answerField(
    Schema.Struct({
      total: answerField(Schema.Int, "The lines; 0 while the file is looked at."),
      completed: answerField(Schema.Int, "Lines with an answer."),
      failed: answerField(Schema.Int, "Lines with an error.")
    }),
    "The lines by what has become of them."
  ),
  metadata: answerField(Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.String })), "As sent.")
}).annotations({ identifier: "Batch" })
export type OpenAIBatch = typeof OpenAIBatch.Type

const ListBatches = Schema.Struct({
  limit: Schema.optional(wholeNumber(1, 100)).annotations({ description: "1 to 100, default 20." }),
  after: Schema.optional(Schema.String).annotations({ description: "The `last_id` of the page before." })
})
export type ListBatches = typeof ListBatches.Type

const BatchList = openaiPageOf(OpenAIBatch, "batch", "The batches of this page, newest first.").annotations({
  identifier: "BatchList"
})

/** `/v1/batches` (docs/api.md#batches). */
export class BatchesApi extends HttpApiGroup.make("batches")
  .add(
    HttpApiEndpoint.post("create", batches)
      .setPayload(CreateBatch)
      .addSuccess(OpenAIBatch)
      .annotate(Idempotent, true)
      .annotate(OpenApi.Summary, "Create a batch of a file's requests")
      .annotate(OpenApi.Description, "The file is looked at afterwards: mistakes in it make the batch `failed`.")
  )
  .add(
    HttpApiEndpoint.get("list", batches)
      .setUrlParams(ListBatches)
      .addSuccess(BatchList)
      .annotate(OpenApi.Summary, "List the account's batches")
  )
  .add(
    HttpApiEndpoint.get("find", `${batches}/:id`)
      .setPath(BatchPath)
      .addSuccess(OpenAIBatch)
      .annotate(OpenApi.Summary, "Read a batch")
  )
  .add(
    HttpApiEndpoint.post("cancel", `${batches}/:id/cancel`)
      .setPath(BatchPath)
      .addSuccess(OpenAIBatch)
      .annotate(OpenApi.Summary, "Cancel a batch")
      .annotate(OpenApi.Description, "Requests that have begun are finished.")
  )
  .addError(CodedError)
  .annotate(Prefixes, [batches])
  .annotate(RateHeaders, "openai")
  .annotate(OpenApi.Title, "Batches")
  .annotate(OpenApi.Description, "Many requests in one file, as OpenAI has them.") {}
