import { Schema } from "effect"
import { optionalField } from "./fields.ts"
import { Text } from "./values.ts"

const OtherModels = Schema.Union(Text, Schema.NonEmptyArray(Text))

/** Models that answer in a model's place. */
export const Fallbacks = Schema.Struct({
  too_long: optionalField(OtherModels, "If the input exceeds the model's context.", "none"),
  refused: optionalField(OtherModels, "If a content policy refuses the request before the first token.", "none"),
  failed: optionalField(OtherModels, "If every route fails or is limited.", "none")
})
