import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Prefixes, Public } from "../contract/annotations.ts"
import { CodedError } from "../contract/failures/codedErrors.ts"
import { answerField } from "../contract/fields.ts"

export const filesPath = "/files"

/** Links to the gateway's own files. Anyone with a link may read the file; links can't be guessed, and expire. */
export class FilesApi extends HttpApiGroup.make("files")
  .add(
    HttpApiEndpoint.get("read", `${filesPath}/:clip/:name`)
      .setPath(
        Schema.Struct({
          clip: answerField(Schema.String, "The unguessable part of the link."),
          name: answerField(Schema.String, "The file's name.")
        })
      )
      .addSuccess(HttpApiSchema.Uint8Array({ contentType: "video/*" }))
      .annotate(Public, true)
      .annotate(OpenApi.Summary, "Read a file that a task created")
      .annotate(OpenApi.Description, "The whole file, or the part in the `range` header (206).")
      .annotate(OpenApi.Transform, (operation) => {
        const { content } = operation["responses"][200]
        // A last frame.
        content["image/*"] = content["video/*"]
        return operation
      })
  )
  .addError(CodedError)
  .annotate(Prefixes, [filesPath])
  .annotate(OpenApi.Title, "Files")
  .annotate(OpenApi.Description, "Files that tasks created, at links that expire; no key needed.") {}
