import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Form, Idempotent, Prefixes, RateHeaders, SharedPaths } from "../contract/annotations.ts"
import { FileField } from "../contract/bodies/UploadedFile.ts"
import { AnthropicError } from "../contract/failures/anthropicErrors.ts"
import { CodedError } from "../contract/failures/codedErrors.ts"
import { answerField, integer, maybe, required } from "../contract/fields.ts"
import { wholeNumber } from "../contract/wholeNumber.ts"
import { openaiPageOf } from "../contract/paging.ts"
import { AnthropicFile, OpenAIFile } from "./shapes.ts"

const files = "/v1/files"
const uploads = "/v1/uploads"

const mebi = 1024 * 1024

/** The key's own bound is lower, unless the operator raises it. */
const formBounds = { parts: 16, fieldBytes: 64 * 1024, fileBytes: 2_048 * mebi, bytes: 2_049 * mebi, seconds: 3_600 }
/** OpenAI's bound of a part. */
const partBounds = { parts: 4, fieldBytes: 1_024, fileBytes: 64 * mebi, bytes: 65 * mebi, seconds: 600 }

const FilePath = Schema.Struct({ id: answerField(Schema.String, "The file's id (`file_…`).") })
const UploadPath = Schema.Struct({ id: answerField(Schema.String, "The upload's id (`upload_…`).") })

const purposes = ["assistants", "batch", "evals", "fine-tune", "user_data", "vision"] as const
const Purpose = Schema.Literal(...purposes)

/** A file's life, as JSON or as a form has it. */
const seconds = (most: number) =>
  Schema.Union(Schema.Number, Schema.String).pipe(
    Schema.filter((value) => /^\d{4,7}$/.test(String(value)) && Number(value) >= 3_600 && Number(value) <= most, {
      description: `an integer between 3600 and ${most}`,
      jsonSchema: { type: "integer", minimum: 3_600, maximum: most }
    })
  )

const expiresAfter = maybe(
  Schema.Struct({
    anchor: required(Schema.Literal("created_at"), "The time from which the seconds count."),
    seconds: required(seconds(2_592_000), "An hour to 30 days.")
  })
).annotations({ description: "The file's life. By default it stays until it is deleted." })

export const CreateFile = Schema.Struct({
  file: required(FileField, "The file, a part of the form."),
  purpose: maybe(Purpose).annotations({ description: "Required, except of Anthropic's clients." }),
  expires_after: expiresAfter,
  expires_in_seconds: maybe(seconds(7_776_000)).annotations({
    description: "The same as `expires_after`, of Anthropic's clients: an hour to 90 days."
  })
}).annotations({ identifier: "CreateFile" })
export type CreateFile = typeof CreateFile.Type

export const ListFiles = Schema.Struct({
  purpose: Schema.optional(Schema.String).annotations({ description: "Only files of this purpose." }),
  order: Schema.optional(Schema.Literal("asc", "desc")).annotations({
    description: "By time of creation: `desc` (the default) is newest first."
  }),
  limit: Schema.optional(wholeNumber(1, 10_000)).annotations({
    description: "1 to 10000, default 10000; of Anthropic's clients 1 to 1000, default 20."
  }),
  after: Schema.optional(Schema.String).annotations({ description: "The `last_id` of the page before." }),
  after_id: Schema.optional(Schema.String).annotations({ description: "The same, of Anthropic's clients." }),
  before_id: Schema.optional(Schema.String).annotations({ description: "The `first_id` of the page after." }),
  page: Schema.optional(Schema.String).annotations({ description: "The `next_page` of the page before." }),
  "ids[]": Schema.optional(Schema.Array(Schema.String).pipe(Schema.maxItems(100))).annotations({
    description: "Only these files, on one page."
  }),
  scope_id: Schema.optional(Schema.String).annotations({
    description: "Only files of a session there, of which there are none."
  })
})
export type ListFiles = typeof ListFiles.Type

const OpenAIFileList = openaiPageOf(OpenAIFile, "file", "The files of this page.").annotations({
  identifier: "OpenAIFileList"
})

const AnthropicFileList = Schema.Struct({
  data: answerField(Schema.Array(AnthropicFile), "The files of this page."),
  first_id: answerField(Schema.NullOr(Schema.String), "The first file's id; null on an empty page."),
  last_id: answerField(Schema.NullOr(Schema.String), "The `after_id` of the next page; null on an empty page."),
  has_more: answerField(Schema.Boolean, "True if there is a next page."),
  next_page: answerField(Schema.NullOr(Schema.String), "The `page` of the next page; null on the last one.")
}).annotations({ identifier: "AnthropicFileList" })

const Deleted = Schema.Union(
  Schema.Struct({
    id: answerField(Schema.String, "The file's id."),
    object: Schema.Literal("file"),
    deleted: Schema.Literal(true)
  }).annotations({ identifier: "OpenAIFileDeleted" }),
  Schema.Struct({
    id: answerField(Schema.String, "The file's id."),
    type: Schema.Literal("file_deleted")
  }).annotations({ identifier: "AnthropicFileDeleted" })
)

/** Files that accounts keep here, in OpenAI's shape and in Anthropic's (docs/api.md#files). */
export class StoredFilesApi extends HttpApiGroup.make("storedFiles")
  .add(
    HttpApiEndpoint.post("create", files)
      .setPayload(CreateFile)
      .addSuccess(Schema.Union(OpenAIFile, AnthropicFile))
      .annotate(Form, formBounds)
      .annotate(Idempotent, true)
      .annotate(OpenApi.Summary, "Store a file")
  )
  .add(
    HttpApiEndpoint.get("list", files)
      .setUrlParams(ListFiles)
      .addSuccess(Schema.Union(OpenAIFileList, AnthropicFileList))
      .annotate(OpenApi.Summary, "List the account's files")
  )
  .add(
    HttpApiEndpoint.get("find", `${files}/:id`)
      .setPath(FilePath)
      .addSuccess(Schema.Union(OpenAIFile, AnthropicFile))
      .annotate(OpenApi.Summary, "Read a file's record")
  )
  .add(
    HttpApiEndpoint.del("remove", `${files}/:id`)
      .setPath(FilePath)
      .addSuccess(Deleted)
      .annotate(OpenApi.Summary, "Delete a file")
  )
  .add(
    HttpApiEndpoint.get("content", `${files}/:id/content`)
      .setPath(FilePath)
      .addSuccess(HttpApiSchema.Uint8Array({ contentType: "*/*" }))
      .annotate(OpenApi.Summary, "Download a file")
      .annotate(OpenApi.Description, "The whole file, or the part in the `range` header (206), as an attachment.")
  )
  .addError(CodedError)
  .addError(AnthropicError)
  .annotate(Prefixes, [files])
  .annotate(SharedPaths, true)
  .annotate(RateHeaders, "openai")
  .annotate(OpenApi.Title, "Files of accounts")
  .annotate(OpenApi.Description, "Files that an account keeps here; requests name them by `file_id`.") {}

export const CreateUpload = Schema.Struct({
  filename: required(Schema.String.pipe(Schema.maxLength(1_000)), "The file's name."),
  purpose: required(Purpose, "The file's purpose."),
  bytes: required(integer(1), "The bytes of all parts together."),
  mime_type: maybe(Schema.String).annotations({ description: "Not used: the type follows from the file's bytes." }),
  expires_after: expiresAfter
}).annotations({ identifier: "CreateUpload" })
export type CreateUpload = typeof CreateUpload.Type

const CompleteUpload = Schema.Struct({
  part_ids: required(Schema.Array(Schema.String).pipe(Schema.maxItems(1_000)), "The parts in their order."),
  md5: maybe(Schema.String.pipe(Schema.pattern(/^[0-9a-fA-F]{32}$/))).annotations({
    description: "The MD5 of the whole file in hex; another one is refused."
  })
}).annotations({ identifier: "CompleteUpload" })

const Upload = Schema.Struct({
  id: answerField(Schema.String, "The upload's id."),
  object: Schema.Literal("upload"),
  bytes: answerField(Schema.Int, "The bytes of all parts together."),
  created_at: answerField(Schema.Int, "Unix seconds."),
  expires_at: answerField(Schema.Int, "The time by which it has to be complete, in Unix seconds."),
  filename: answerField(Schema.String, "The file's name."),
  purpose: answerField(Schema.String, "The file's purpose."),
  status: answerField(Schema.Literal("pending", "completed", "cancelled"), "The upload's state."),
  file: answerField(Schema.NullOr(OpenAIFile), "The file, once the upload is complete.")
}).annotations({ identifier: "Upload" })

/** OpenAI's uploads in parts. */
export class UploadsApi extends HttpApiGroup.make("uploads")
  .add(
    HttpApiEndpoint.post("create", uploads)
      .setPayload(CreateUpload)
      .addSuccess(Upload)
      .annotate(Idempotent, true)
      .annotate(OpenApi.Summary, "Begin an upload in parts")
      .annotate(OpenApi.Description, "Its bytes count at once. It has an hour to become complete.")
  )
  .add(
    HttpApiEndpoint.post("addPart", `${uploads}/:id/parts`)
      .setPath(UploadPath)
      .setPayload(Schema.Struct({ data: required(FileField, "The part's bytes, at most 64 MiB.") }))
      .addSuccess(
        Schema.Struct({
          id: answerField(Schema.String, "The part's id."),
          object: Schema.Literal("upload.part"),
          created_at: answerField(Schema.Int, "Unix seconds."),
          upload_id: answerField(Schema.String, "The upload's id.")
        }).annotations({ identifier: "UploadPart" })
      )
      .annotate(Form, partBounds)
      .annotate(Idempotent, true)
      .annotate(OpenApi.Summary, "Add a part")
  )
  .add(
    HttpApiEndpoint.post("complete", `${uploads}/:id/complete`)
      .setPath(UploadPath)
      .setPayload(CompleteUpload)
      .addSuccess(Upload)
      .annotate(OpenApi.Summary, "Make a file of the parts")
  )
  .add(
    HttpApiEndpoint.post("cancel", `${uploads}/:id/cancel`)
      .setPath(UploadPath)
      .addSuccess(Upload)
      .annotate(OpenApi.Summary, "Cancel an upload")
  )
  .addError(CodedError)
  .annotate(Prefixes, [uploads])
  .annotate(RateHeaders, "openai")
  .annotate(OpenApi.Title, "Uploads in parts")
  .annotate(OpenApi.Description, "Files that come in parts, as OpenAI has them.") {}
