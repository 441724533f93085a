import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { BodyLimit, Idempotent, Prefixes, RateHeaders } from "../contract/annotations.ts"
import { ModelNotFoundError } from "../contract/failures/codedErrors.ts"
import { integer, maybe, required } from "../contract/fields.ts"
import { edit, vary } from "./EditApi.ts"
import { imageEvents, ImageList } from "./ImageList.ts"

/** The body of POST /v1/images/generations (docs/api.md#images). Models differ in values, which are theirs to check. */
export const CreateImage = Schema.Struct({
  model: required(Schema.NonEmptyString, "Id of an image model; `GET /v1/models` lists them. Required."),
  prompt: required(Schema.NonEmptyString, "The text to draw: at most 32,000 characters. Required."),
  n: maybe(integer(1, 10)).annotations({ description: "Number of images, 1 to 10. Default 1." }),
  size: maybe(Schema.String).annotations({ description: "`1024x1024`, `auto` or another size of the model." }),
  quality: maybe(Schema.String).annotations({ description: "`low`, `high`, `auto` or another quality of the model." }),
  response_format: maybe(Schema.String).annotations({
    description: "`b64_json`, or `url` where the model has addresses."
  }),
  output_format: maybe(Schema.String).annotations({ description: "`png`, `jpeg` or `webp`, where the model has it." }),
  background: maybe(Schema.String).annotations({ description: "`transparent`, `opaque` or `auto`." }),
  stream: maybe(Schema.Boolean).annotations({
    description: "True for server-sent events, one for each finished image. Default false."
  }),
  partial_images: maybe(integer(0, 3)).annotations({
    description: "Unfinished images in a stream. None is sent; `x-gateway-adapted` says so."
  }),
  user: maybe(Schema.String).annotations({ description: "The end user, for the upstream and for reports." })
}).annotations({
  identifier: "CreateImage",
  examples: [{ model: "sandbox-image", prompt: "A red fox in the snow", size: "1024x1024" }]
})
export type CreateImage = typeof CreateImage.Type

const create = HttpApiEndpoint.post("create", "/v1/images/generations")
  .setPayload(CreateImage)
  .addSuccess(ImageList)
  .annotate(Idempotent, true)
  .annotateContext(
    OpenApi.annotations({
      summary: "Create images",
      description: "Draws a prompt: answers with the images, or with a server-sent event stream when `stream` is true.",
      transform: (operation) => {
        operation.responses[200].content["text/event-stream"] = imageEvents("image_generation.completed")
        return operation
      }
    })
  )

/** `/v1/images` (docs/api.md#images). */
export class ImagesApi extends HttpApiGroup.make("images")
  .add(create)
  .add(edit)
  .add(vary)
  .addError(ModelNotFoundError)
  .annotate(Prefixes, ["/v1/images"])
  .annotate(BodyLimit, 1024 * 1024)
  .annotate(RateHeaders, "openai")
  .annotateContext(OpenApi.annotations({ title: "Images", description: "Images of a prompt, and of other images." })) {}
