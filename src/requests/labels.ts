import { Schema } from "effect"

/** The caller's own names of a request, the tier that served it, and the part of its cost above its hold, in its `details`. */
export const Labels = Schema.Struct({
  tags: Schema.optional(Schema.Array(Schema.String)),
  end_user: Schema.optional(Schema.String),
  service_tier: Schema.optional(Schema.String),
  above_hold_nano_usd: Schema.optional(Schema.Int)
})
export type Labels = typeof Labels.Type

export const LabelsText = Schema.parseJson(Labels)

/** The properties that only the details of a request have. */
export const requestLabels = ["tag", "user", "service_tier"] as const
export type Label = (typeof requestLabels)[number]

export const isLabel = (by: string): by is Label => requestLabels.some((label) => label === by)

/** The groups that a request counts for: each of its tags once. A request without the property is in the group "". */
export const labelsOf = (by: Label, { end_user = "", service_tier = "", tags = [] }: Labels): ReadonlyArray<string> =>
  by === "user" ? [end_user] : by === "service_tier" ? [service_tier] : tags.length === 0 ? [""] : [...new Set(tags)]
