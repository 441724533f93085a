import { Schema } from "effect"
import { said } from "../contract/fields.ts"
import type { VideoBounds } from "../upstreams/VideoBounds.ts"

const Most = Schema.Int.pipe(Schema.nonNegative())

/** The bounds of a video model, as the API shows them. */
export const VideoBoundsRecord = Schema.Struct({
  seconds: said(Schema.Array(Schema.Int), "Its lengths in whole seconds, ascending."),
  default_seconds: said(Schema.Int, "The length of a request without one; -1: the model chooses."),
  chooses_seconds: said(
    Schema.Boolean,
    "True if the model itself chooses the length for `duration: -1`; otherwise one of `seconds` is picked."
  ),
  references: said(
    Schema.Struct({
      images: said(Most, "`reference_image` parts."),
      videos: said(Most, "`reference_video` parts."),
      audios: said(Most, "`reference_audio` parts.")
    }),
    "The most references of each kind."
  ),
  audio_alone: said(Schema.Boolean, "True if references may be audio alone."),
  frame_images: said(
    Schema.Literal(0, 1, 2),
    "0: no frame images; 1: `first_frame`; 2: `first_frame` and `last_frame`."
  ),
  ratios: said(Schema.Array(Schema.String), "Its ratios."),
  resolutions: said(Schema.Array(Schema.String), "Its resolutions.")
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
  resolutions: bounds.resolutions
})
