import { Schema } from "effect"
import { JsonObject, maybe, required } from "../contract/fields.ts"
import type { Unknown } from "../contract/Unknown.ts"
import { variants } from "../contract/variants.ts"

/** A field of parts, messages and tools. */
export const cache_control = maybe(JsonObject).annotations({
  description: 'Marks a prompt-cache breakpoint, for models that support it: `{"type": "ephemeral"}`.'
})

const TextPart = Schema.Struct({
  type: Schema.Literal("text"),
  text: required(Schema.String, "The text."),
  cache_control
}).annotations({ identifier: "ChatTextPart" })

const ImagePart = Schema.Struct({
  type: Schema.Literal("image_url"),
  image_url: required(
    Schema.Struct({
      url: required(Schema.String, "An http(s) address or a base64 data URL of the image."),
      detail: maybe(Schema.Literal("low", "high", "auto")).annotations({
        description: "How closely the model looks at the image.",
        default: "auto"
      })
    }),
    "The image. Required when `type` is `image_url`."
  ),
  cache_control
}).annotations({ identifier: "ChatImagePart" })

const FilePart = Schema.Struct({
  type: Schema.Literal("file"),
  file: required(
    Schema.Struct({
      file_data: maybe(Schema.String).annotations({
        description: "Content of the file: a base64 data URL, or plain base64, whose type follows from `filename`."
      }),
      file_id: maybe(Schema.String).annotations({ description: "Id of a file stored at the model's upstream." }),
      filename: maybe(Schema.String).annotations({ description: "Name of the file." })
    }),
    "The file: one of `file_data` and `file_id`. Required when `type` is `file`."
  ),
  cache_control
}).annotations({ identifier: "ChatFilePart" })

const AudioPart = Schema.Struct({
  type: Schema.Literal("input_audio"),
  input_audio: required(
    Schema.Struct({
      data: required(Schema.String, "The audio, in base64."),
      format: required(Schema.String, "`wav` or `mp3`.")
    }),
    "The audio, for upstreams of this dialect and of Google's. Required when `type` is `input_audio`."
  )
}).annotations({ identifier: "ChatAudioPart" })

const RefusalPart = Schema.Struct({
  type: Schema.Literal("refusal"),
  refusal: required(Schema.String, "The refusal.")
}).annotations({ identifier: "ChatRefusalPart" })

/** A part of a message; `refusal` is the assistant's own, replayed. */
export const ContentPart = variants(
  {
    text: TextPart,
    image_url: ImagePart,
    file: FilePart,
    input_audio: AudioPart,
    refusal: RefusalPart
  },
  { open: true }
)
export type ContentPart = typeof ContentPart.Type
export type PartOf<Type extends string> = Exclude<Extract<ContentPart, { readonly type: Type }>, Unknown>
