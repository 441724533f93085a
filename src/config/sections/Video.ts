import { Schema } from "effect"
import { optionalField } from "./fields.ts"
import { Count } from "./values.ts"
import { longestVideo } from "../../contract/longestVideo.ts"

/** `720p`, `4k`. */
export const Resolution = Schema.String.pipe(
  Schema.pattern(/^(?:\d{3,4}p|\dk)$/, { message: () => "expected a resolution such as 720p or 4k" })
)

const Ratio = Schema.Literal("16:9", "4:3", "1:1", "3:4", "9:16", "21:9")

/** `4-30`. */
const SecondsSpan = Schema.String.pipe(
  Schema.filter((text) => spanOfSeconds(text) !== undefined, {
    message: () => "expected the shortest and the longest length in seconds, such as 4-30, or a list such as [4, 6, 8]"
  })
)

const Length = Count.pipe(Schema.lessThanOrEqualTo(longestVideo))
const References = Schema.Int.pipe(Schema.between(0, 64))

/** The lengths of a video model in seconds, ascending; undefined if the span is written wrongly. */
export const spanOfSeconds = (text: string): readonly [least: number, most: number] | undefined => {
  const [, least, most] = /^(\d{1,3})-(\d{1,3})$/.exec(text) ?? []
  const span = [Number(least), Number(most)] as const
  return span[0] >= 1 && span[0] <= span[1] && span[1] <= longestVideo ? span : undefined
}

/** The bounds of a video model, in place of those that the gateway knows. */
export const VideoBounds = Schema.Struct({
  seconds: optionalField(
    Schema.Union(SecondsSpan, Schema.NonEmptyArray(Length)),
    "Its lengths in seconds: `4-30`, or a list such as `[4, 6, 8]`."
  ),
  default_seconds: optionalField(
    Schema.Union(Schema.Literal(-1), Length),
    "The length of a request without one; `-1`: the model chooses."
  ),
  chooses_seconds: optionalField(
    Schema.Boolean,
    "`true`: the model itself chooses a length for `duration: -1`. `false`: the gateway picks one of `seconds`."
  ),
  references: optionalField(
    Schema.Struct({
      images: Schema.optional(References),
      videos: Schema.optional(References),
      audios: Schema.optional(References)
    }),
    "`{ images, videos, audios }`: the most references of each kind."
  ),
  audio_alone: optionalField(Schema.Boolean, "`true`: references may be audio alone."),
  frame_images: optionalField(
    Schema.Literal(0, 1, 2),
    "`0`: no frame images; `1`: `first_frame`; `2`: `first_frame` and `last_frame`."
  ),
  ratios: optionalField(Schema.NonEmptyArray(Ratio), "Its ratios, of `16:9`, `4:3`, `1:1`, `3:4`, `9:16`, `21:9`."),
  resolutions: optionalField(Schema.NonEmptyArray(Resolution), "Its resolutions, such as `[720p, 1080p]`.")
})
export type VideoBounds = typeof VideoBounds.Type
