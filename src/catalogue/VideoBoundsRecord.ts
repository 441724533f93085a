import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import { videoInputs } from "../upstreams/videos/VideoBounds.ts"
import type { VideoBounds } from "../upstreams/videos/VideoBounds.ts"

const Most = Schema.Int.pipe(Schema.nonNegative())

const Inputs = Schema.Literal(...videoInputs)
const Sound = Schema.Literal("asked", "always", "never")
const some = <A, I, R>(schema: Schema.Schema<A, I, R>, description: string) =>
  Schema.optionalWith(answerField(schema, description), { exact: true })

const NarrowerRecord = Schema.Struct({
  at: some(Schema.Array(Schema.String), "At these resolutions; at any if absent."),
  from: some(Schema.Array(Inputs), "With these inputs; with any if absent."),
  seconds: some(Schema.Array(Schema.Int), "The lengths then."),
  resolutions: some(Schema.Array(Schema.String), "The resolutions then."),
  ratios: some(Schema.Array(Schema.String), "The ratios then."),
  sound: some(Sound, "The sound then.")
}).annotations({ identifier: "NarrowerVideoBounds" })

/** The bounds of a video model, as the API shows them. */
export const VideoBoundsRecord = Schema.Struct({
  seconds: answerField(Schema.Array(Schema.Int), "Its lengths in whole seconds, ascending."),
  default_seconds: answerField(Schema.Int, "The length of a request without one; -1: the model chooses."),
  chooses_seconds: answerField(
    Schema.Boolean,
    "True if the model itself chooses the length for `duration: -1`; otherwise one of `seconds` is picked."
  ),
  references: answerField(
    Schema.Struct({
      images: answerField(Most, "`reference_image` parts."),
      videos: answerField(Most, "`reference_video` parts."),
      audios: answerField(Most, "`reference_audio` parts.")
    }),
    "The most references of each kind."
  ),
  audio_alone: answerField(Schema.Boolean, "True if references may be audio alone."),
  frame_images: answerField(
    Schema.Literal(0, 1, 2),
    "0: no frame images; 1: `first_frame`; 2: `first_frame` and `last_frame`."
  ),
  ratios: answerField(Schema.Array(Schema.String), "Its ratios."),
  resolutions: answerField(Schema.Array(Schema.String), "Its resolutions."),
  // Absent from gateways of 1.0.
  sound: some(Sound, "`asked`: by `generate_audio`; `always` or `never`: it has no switch."),
  needs: some(Inputs, "The inputs that it makes no video without; `text`: a prompt is enough."),
  narrower: some(Schema.Array(NarrowerRecord), "Where less holds. All that match a video count.")
}).annotations({ identifier: "VideoBounds" })
export type VideoBoundsRecord = typeof VideoBoundsRecord.Type

export const videoBoundsRecord = (bounds: VideoBounds): VideoBoundsRecord => ({
  seconds: bounds.seconds,
  default_seconds: bounds.defaultSeconds,
  chooses_seconds: bounds.choosesSeconds,
  references: bounds.references,
  audio_alone: bounds.audioAlone,
  frame_images: bounds.frameImages,
  ratios: bounds.ratios,
  resolutions: bounds.resolutions,
  sound: bounds.sound,
  needs: bounds.needs,
  narrower: bounds.narrower
})
