import { HttpApiEndpoint, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Flag, integerOrText } from "../contract/bodies/formFields.ts"
import { FileField } from "../contract/bodies/UploadedFile.ts"
import { BodyLimit, Form, Idempotent } from "../contract/annotations.ts"
import { maybe, required } from "../contract/fields.ts"
import { imageEvents, ImageList } from "./ImageList.ts"

const mebi = 1024 * 1024
/** OpenAI's bounds of a picture and of their number, which the mask and markup come beside. */
const mostFile = 50 * mebi
export const mostPictures = 16

const bounds = { parts: 64, fieldBytes: mebi, fileBytes: mostFile, bytes: 256 * mebi, seconds: 300 }
/** Pictures in JSON are in memory, in base64. */
const jsonBytes = 32 * mebi

const text = (description: string) => maybe(Schema.String).annotations({ description })

const Link = Schema.Struct({
  image_url: maybe(Schema.String).annotations({
    description: "An http(s) address, or `data:image/<subtype>;base64,<data>`."
  }),
  file_id: maybe(Schema.String).annotations({ description: "A file of the account (`/v1/files`), in its place." })
}).annotations({ identifier: "ImageLink" })

const Picture = Schema.Union(FileField, Schema.String, Link)
export type Picture = typeof Picture.Type

const common = {
  model: required(Schema.NonEmptyString, "Id of an image model; `GET /v1/models` lists them. Required."),
  n: maybe(integerOrText(1, 10, "an integer between 1 and 10")).annotations({
    description: "Number of images, 1 to 10. Default 1."
  }),
  size: text("`1024x1024`, `auto` or another size of the model."),
  response_format: text("`b64_json`, or `url` where the model has addresses."),
  user: text("The end user, for the upstream and for reports.")
}

/** The body of POST /v1/images/edits (docs/api.md#edits-and-variations). */
export const EditImage = Schema.Struct({
  ...common,
  prompt: required(Schema.NonEmptyString, "What to draw: at most 32,000 characters. Required."),
  image: maybe(Schema.Union(Picture, Schema.Array(Picture))).annotations({
    description: "The files to edit, up to 16: `image`, or `image[]` of each. Each has at most 50 MiB."
  }),
  images: maybe(Schema.Array(Link)).annotations({ description: "In JSON: the images to edit, up to 16." }),
  mask: maybe(Picture).annotations({ description: "A file: its transparent parts are edited in the first image." }),
  quality: text("`low`, `high`, `auto` or another quality of the model."),
  background: text("`transparent`, `opaque` or `auto`."),
  input_fidelity: text("`low` or `high`, where the model has it."),
  output_format: text("`png`, `jpeg` or `webp`, where the model has it."),
  stream: maybe(Flag).annotations({
    description: "True for server-sent events, one for each finished image. Default false."
  }),
  partial_images: maybe(integerOrText(0, 3, "an integer between 0 and 3")).annotations({
    description: "Unfinished images in a stream. None is sent; `x-gateway-adapted` says so."
  })
}).annotations({ identifier: "EditImage" })
export type EditImage = typeof EditImage.Type

/** The model of variations that name none, as at OpenAI: LiteLLM never names it. */
export const usualVariation = "dall-e-2"

/** The form of POST /v1/images/variations. */
const VaryImage = Schema.Struct({
  ...common,
  model: maybe(Schema.NonEmptyString).annotations({
    description: "Id of an image model; `GET /v1/models` lists them.",
    default: usualVariation
  }),
  image: required(FileField, "The file to vary: at most 50 MiB. Required.")
}).annotations({ identifier: "VaryImage" })
export type VaryImage = typeof VaryImage.Type

export const edit = HttpApiEndpoint.post("edit", "/v1/images/edits")
  .setPayload(EditImage)
  .addSuccess(ImageList)
  .annotate(Idempotent, true)
  .annotate(Form, bounds)
  .annotate(BodyLimit, jsonBytes)
  .annotateContext(
    OpenApi.annotations({
      summary: "Edit images",
      description: "A form with files, or JSON with addresses. Answers as image generations do.",
      transform: (operation) => {
        operation.responses[200].content["text/event-stream"] = imageEvents("image_edit.completed")
        return operation
      }
    })
  )

export const vary = HttpApiEndpoint.post("vary", "/v1/images/variations")
  .setPayload(VaryImage)
  .addSuccess(ImageList)
  .annotate(Idempotent, true)
  .annotate(Form, bounds)
  .annotateContext(
    OpenApi.annotations({
      summary: "Vary an image",
      description: "A form with the file, for upstreams that still have variations."
    })
  )
