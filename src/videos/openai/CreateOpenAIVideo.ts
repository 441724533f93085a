import { Schema } from "effect"
import { maybe, required } from "../../contract/fields.ts"
import { Flag, integerOrText } from "../../contract/bodies/formFields.ts"
import { maxSeed } from "../CreateVideoTask.ts"
import { FileField } from "../../contract/bodies/UploadedFile.ts"

const Size = Schema.String.pipe(
  Schema.pattern(/^[1-9]\d{1,4}x[1-9]\d{1,4}$/, { description: "a width and a height like 1280x720" })
)

const Link = Schema.Struct({
  image_url: required(Schema.String, "An http(s) address, or `data:image/<subtype>;base64,<data>`.")
})

const Reference = Schema.Union(FileField, Schema.String, Link)
export type Reference = typeof Reference.Type

/** The body of a create in OpenAI's shape, as JSON or as a form. */
export const CreateOpenAIVideo = Schema.Struct({
  model: required(Schema.String, "Model id; `GET /v1/models` lists those served."),
  prompt: required(Schema.String, "The prompt."),
  seconds: maybe(integerOrText(1, 3600, "an integer between 1 and 3600")).annotations({
    description: "Length in whole seconds. By default the model's usual length."
  }),
  size: maybe(Size).annotations({
    description:
      "`<width>x<height>` in pixels: the nearest resolution and ratio are made, which the record shows. By default the model's."
  }),
  input_reference: maybe(Schema.Union(Reference, Schema.Array(Reference))).annotations({
    description:
      "One image is the first frame; several inputs, or videos and audios (files of a form), are references. A file, an address, `{image_url}`, or a list of them. Images of at most 30 MB, audios of 15 MB, videos of 100 MB."
  }),
  callback_url: maybe(Schema.String).annotations({
    description: "Not OpenAI's: gets a POST of the record each time its status changes."
  }),
  seed: maybe(integerOrText(-1, maxSeed, `an integer between -1 and ${maxSeed}`)).annotations({
    description: "Not OpenAI's: -1 to 4294967295."
  }),
  generate_audio: maybe(Flag).annotations({ description: "Not OpenAI's: false makes a silent video. Default true." })
}).annotations({
  identifier: "CreateOpenAIVideo",
  examples: [{ model: "sandbox-video", prompt: "A cat on a sofa", seconds: "4", size: "1280x720" }]
})
export type CreateOpenAIVideo = typeof CreateOpenAIVideo.Type
