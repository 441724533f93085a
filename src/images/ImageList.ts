import { Schema } from "effect"
import { answerField, JsonObject } from "../contract/fields.ts"
import { eventStream } from "../contract/bodies/eventStream.ts"

const Image = Schema.Struct({
  b64_json: Schema.optional(answerField(Schema.NullOr(Schema.String), "The image in base64.")),
  url: Schema.optional(answerField(Schema.NullOr(Schema.String), "The upstream's address of the image.")),
  revised_prompt: Schema.optional(answerField(Schema.NullOr(Schema.String), "The prompt as the model changed it."))
})

/** The answer of every endpoint of images. */
export const ImageList = Schema.Struct({
  created: Schema.optional(answerField(Schema.Number, "Seconds since 1970.")),
  data: answerField(Schema.Array(Image), "The images."),
  usage: Schema.optionalWith(answerField(JsonObject, "Tokens used, if the upstream reports them."), { exact: true })
}).annotations({ identifier: "ImageList" })

/** The stream of finished images, for the contract. */
export const imageEvents = (name: "image_generation.completed" | "image_edit.completed") =>
  eventStream({
    description: "An event for each finished image; the last one has the usage.",
    event: `\`${name}\`, or \`error\` for a failure after the stream has begun.`,
    data: "The image as JSON, with its `type`."
  })
