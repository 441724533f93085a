import { Schema } from "effect"
import { longestVideo } from "../contract/longestVideo.ts"
import { integer, maybe, required } from "../contract/fields.ts"
import { isHttpUrl } from "./addresses.ts"

const Url = Schema.Struct({ url: Schema.String.pipe(Schema.minLength(1, { description: "a URL" })) })

/** The role of an input. */
export const MediaRole = Schema.Literal(
  "first_frame",
  "last_frame",
  "reference_image",
  "reference_video",
  "reference_audio"
)
export type MediaRole = typeof MediaRole.Type

const role = maybe(MediaRole).annotations({
  description:
    "The role of the input. A single image without a role is the first frame; a video or audio without one is a reference."
})

/** In characters, a hundred times what models read. A task is stored until its video is made. */
const maxPrompt = 100_000

const TextPart = Schema.Struct({
  type: Schema.Literal("text"),
  text: Schema.String.pipe(
    Schema.maxLength(maxPrompt, { message: () => `expected at most ${maxPrompt} characters` })
  ).annotations({
    description:
      "The prompt. Several text parts are joined in order. Trailing flags (`--ratio 16:9 --dur 5 --seed 11 …`) are understood; a field of the body wins over a flag."
  })
}).annotations({ identifier: "VideoTextPart" })

const ImagePart = Schema.Struct({
  type: Schema.Literal("image_url"),
  role,
  image_url: Url.annotations({
    description:
      "`url`: an http(s) address, or `data:image/<subtype>;base64,<data>` of at most 30 MB (jpeg, png, webp, bmp, tiff, gif, heic, heif)."
  })
}).annotations({ identifier: "VideoImagePart" })

const VideoPart = Schema.Struct({
  type: Schema.Literal("video_url"),
  role,
  video_url: Url.annotations({ description: "`url`: an http(s) address." })
}).annotations({ identifier: "VideoVideoPart" })

const AudioPart = Schema.Struct({
  type: Schema.Literal("audio_url"),
  role,
  audio_url: Url.annotations({
    description:
      "`url`: an http(s) address, or `data:audio/<wav|mp3|mpeg>;base64,<data>` of at most 15 MB. Alone only where the model takes that."
  })
}).annotations({ identifier: "VideoAudioPart" })

const DraftTaskPart = Schema.Struct({
  type: Schema.Literal("draft_task"),
  draft_task: Schema.Struct({ id: Schema.String.annotations({ description: "Id of the draft's task." }) }).annotations({
    description: "The draft."
  })
}).annotations({
  identifier: "VideoDraftTaskPart",
  description:
    "Makes the final video of a draft (a task created with `draft: true`, and succeeded): its content, seed, ratio, length, sound and camera are used again. Any model can do it."
})

export const ContentPart = Schema.Union(TextPart, ImagePart, VideoPart, AudioPart, DraftTaskPart)
export type ContentPart = typeof ContentPart.Type

/** `3:3` means `3:4`; both are accepted (docs/api.md#creating-a-video-task). */
export const Ratio = Schema.Literal("adaptive", "16:9", "4:3", "1:1", "3:3", "3:4", "9:16", "21:9")
export type Ratio = typeof Ratio.Type
export const isRatio = Schema.is(Ratio)

/** A length that some model may make. `resolve` checks it against the model's own bounds. */
export const isDuration = (value: number): boolean =>
  Number.isInteger(value) && (value === -1 || (value >= 1 && value <= longestVideo))

/** 29, 33, … 289: a first frame and complete groups of four after it. */
export const isFrameCount = (value: number): boolean =>
  Number.isInteger(value) && value >= 29 && value <= 289 && (value - 25) % 4 === 0

export const maxSeed = 2 ** 32 - 1

const Duration = Schema.Number.pipe(
  Schema.filter(isDuration, {
    description: `an integer from 1 to ${longestVideo}, or -1 to let the model choose the length`,
    jsonSchema: { type: "integer", minimum: -1, maximum: longestVideo }
  })
)

const Frames = Schema.Number.pipe(
  Schema.filter(isFrameCount, {
    description: "an integer from 29 to 289 of the form 25 + 4n",
    jsonSchema: { type: "integer", minimum: 29, maximum: 289 }
  })
)

const CallbackUrl = Schema.String.pipe(
  Schema.filter(isHttpUrl, {
    description: "an http or https URL",
    jsonSchema: { type: "string", format: "uri", pattern: "^[hH][tT][tT][pP][sS]?://" }
  })
)

/** A value that Ark judges. */
const ArkWord = Schema.String.pipe(Schema.pattern(/^[\w.-]{1,64}$/, { description: "a word of at most 64 characters" }))

const Content = Schema.Array(ContentPart).pipe(
  Schema.filter((parts) => parts.length >= 1 && parts.length <= 64, {
    description: "an array of 1 to 64 parts",
    jsonSchema: { minItems: 1, maxItems: 64 }
  })
)

/** The body of a create (docs/api.md#creating-a-video-task), including the extra fields of Ark's client libraries. */
export const CreateVideoTask = Schema.Struct({
  model: required(Schema.String, "Model id; `GET /v1/models` lists those served."),
  content: required(
    Content,
    "Text alone; one image (`first_frame`); two images (`first_frame` and `last_frame`); or references (`reference_image`, `reference_video`, `reference_audio`) in the numbers that the model takes (`video.references` in `GET /v1/models`; usually 9, 3 and 3, at least one of them an image or a video). Frames and references can't be mixed."
  ),
  callback_url: maybe(CallbackUrl).annotations({
    description: "Gets a POST of the task's record each time its status changes."
  }),
  return_last_frame: maybe(Schema.Boolean).annotations({
    description: "True returns the last frame as an image (`content.last_frame_url`). Default false."
  }),
  execution_expires_after: maybe(integer(3600, 259_200)).annotations({
    description: "Seconds from creation after which an unfinished task expires: 3600 to 259200, default 172800."
  }),
  generate_audio: maybe(Schema.Boolean).annotations({
    description: "True generates synchronized sound. Default true."
  }),
  ratio: maybe(Ratio).annotations({
    description:
      "Default `adaptive`: the nearest to the first image or, without one, the model's choice; the record carries the real one. One of `video.ratios` in `GET /v1/models`. `3:3` means `3:4`."
  }),
  resolution: maybe(
    Schema.String.annotations({ jsonSchema: { type: "string", examples: ["480p", "720p", "1080p"] } })
  ).annotations({
    description:
      "One that the model makes (`video.resolutions` in `GET /v1/models`), usually `480p`, `720p` or `1080p`. Default `720p`, or the nearest."
  }),
  duration: maybe(Duration).annotations({
    description:
      "Whole seconds within the model's bounds (`video.seconds` in `GET /v1/models`; usually 4 to 15), or -1 to let the model choose. Default 5, or the nearest length that the model makes; Seedance 2.5 chooses."
  }),
  frames: maybe(Frames).annotations({
    description: "Length in frames at 24 a second: 29 to 289, of the form 25 + 4n. Wins over `duration`."
  }),
  seed: maybe(integer(-1, maxSeed)).annotations({
    description: "-1 to 4294967295; -1 (the default) picks one, which the record carries."
  }),
  watermark: maybe(Schema.Boolean).annotations({ description: "Default false." }),
  tools: maybe(Schema.Array(Schema.Struct({ type: Schema.Literal("web_search") }))).annotations({
    description: "Tools the model may use: `web_search`."
  }),
  safety_identifier: maybe(
    Schema.String.pipe(Schema.maxLength(64, { description: "a string of at most 64 characters" }))
  ).annotations({ description: "Identifies the end user for safety and policy; at most 64 characters." }),
  service_tier: maybe(Schema.String).annotations({ description: "Default `default`; echoed." }),
  draft: maybe(Schema.Boolean).annotations({
    description: "Default false; echoed. Promote a draft to the final video with a `draft_task` part."
  }),
  camera_fixed: maybe(Schema.Boolean).annotations({ description: "True holds the camera still." }),
  priority: maybe(integer(0, 9)).annotations({ description: "0 to 9, default 0; echoed." }),
  output_format: maybe(ArkWord).annotations({
    description: "The format of the file, for upstreams of Ark's protocol."
  }),
  omni_reference_task_type: maybe(ArkWord).annotations({
    description: "What the model does with references, for upstreams of Ark's protocol."
  })
}).annotations({
  identifier: "CreateVideoTask",
  examples: [
    { model: "sandbox-video", content: [{ type: "text", text: "A cat on a sofa" }], resolution: "480p", duration: 4 }
  ]
})
export type CreateVideoTask = typeof CreateVideoTask.Type
