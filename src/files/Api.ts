import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Prefixes, Public } from "../contract/annotations.ts"
import { CodedError } from "../contract/codedErrors.ts"
import { said } from "../contract/fields.ts"

export const filesPath = "/files"

/** Links to what the gateway made itself. Whoever has a link may read it; it can't be guessed, and it expires. */
export class FilesApi extends HttpApiGroup.make("files")
  .add(
    HttpApiEndpoint.get("read", `${filesPath}/:clip/:name`)
      .setPath(
        Schema.Struct({
          clip: said(Schema.String, "The part of the link that can't be guessed."),
          name: said(Schema.String, "The file's name.")
        })
      )
      .addSuccess(HttpApiSchema.Uint8Array({ contentType: "video/mp4" }))
      .annotate(Public, true)
      .annotate(OpenApi.Summary, "Read a file that a task made")
      .annotate(OpenApi.Description, "The whole file, or the part that a `range` header asks for (206).")
  )
  .addError(CodedError)
  .annotate(Prefixes, [filesPath])
  .annotate(OpenApi.Title, "Files")
  .annotate(OpenApi.Description, "What tasks made, at links that expire; no key needed.") {}
