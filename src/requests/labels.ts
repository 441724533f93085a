import { Schema } from "effect"

/** The caller's own names of a request, and the part of its cost above its hold, in its `details`. */
export const Labels = Schema.Struct({
  tags: Schema.optional(Schema.Array(Schema.String)),
  end_user: Schema.optional(Schema.String),
  above_hold_nano_usd: Schema.optional(Schema.Int)
})
export type Labels = typeof Labels.Type

export const LabelsText = Schema.parseJson(Labels)

/** A property that only the callers' own names separate. */
export type Label = "tag" | "user"

/** The groups that a request counts for: each of its tags once. A request without a tag or an end user is in the group "". */
export const labelsOf = (by: Label, { end_user = "", tags = [] }: Labels): ReadonlyArray<string> =>
  by === "user" ? [end_user] : tags.length === 0 ? [""] : [...new Set(tags)]
