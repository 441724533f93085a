import { Schema } from "effect"
import { JsonObject, maybe, required } from "../contract/fields.ts"
import { variants } from "../contract/variants.ts"

const InputText = Schema.Struct({
  type: Schema.Literal("input_text"),
  text: required(Schema.String, "The text.")
}).annotations({ identifier: "ResponsesInputText" })

const InputImage = Schema.Struct({
  type: Schema.Literal("input_image"),
  image_url: maybe(Schema.String).annotations({
    description: "Required without `file_id`. An http(s) URL or a base64 data URL of the image."
  }),
  detail: maybe(Schema.Literal("low", "high", "auto", "original")).annotations({
    description: "How closely the model looks at the image.",
    default: "auto"
  }),
  file_id: maybe(Schema.String).annotations({ description: "Id of a file stored at the model's upstream." })
}).annotations({ identifier: "ResponsesInputImage" })

const InputFile = Schema.Struct({
  type: Schema.Literal("input_file"),
  file_url: maybe(Schema.String).annotations({
    description: "URL of the file. One of the three file sources is required."
  }),
  file_data: maybe(Schema.String).annotations({
    description: "Content of the file: a base64 data URL, or plain base64, whose type follows from `filename`."
  }),
  file_id: maybe(Schema.String).annotations({ description: "Id of a file stored at the model's upstream." }),
  filename: maybe(Schema.String).annotations({ description: "Name of the file." })
}).annotations({ identifier: "ResponsesInputFile" })

const OutputText = Schema.Struct({
  type: Schema.Literal("output_text"),
  text: required(Schema.String, "The text."),
  annotations: maybe(Schema.Array(JsonObject)).annotations({ description: "As returned; ignored." })
}).annotations({ identifier: "ResponsesReplayedText" })

const Refusal = Schema.Struct({
  type: Schema.Literal("refusal"),
  refusal: required(Schema.String, "The refusal.")
}).annotations({ identifier: "ResponsesReplayedRefusal" })

/** A block of an input message or of a tool's output. The last two kinds are replayed answers. */
export const ContentPart = variants(
  {
    input_text: InputText,
    input_image: InputImage,
    input_file: InputFile,
    output_text: OutputText,
    refusal: Refusal
  },
  { open: true }
)
export type ContentPart = typeof ContentPart.Type
export type InputImage = typeof InputImage.Type
export type InputFile = typeof InputFile.Type
