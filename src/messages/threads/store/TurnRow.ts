import { Schema } from "effect"
import { isJsonObject, JsonObject } from "../../../contract/fields.ts"
import { rows } from "../../../sql/decode.ts"

/*
 * Only the outline is checked: rows were valid requests or come from an upstream, and the whole conversation is decoded
 * as a request before use.
 */
const Objects = Schema.declare(
  (value: unknown): value is ReadonlyArray<JsonObject> => Array.isArray(value) && value.every(isJsonObject)
).annotations({ identifier: "objects" })

/** The size of a turn together with all turns after it in its thread. */
export const sizes = rows("thread_turns", { bytes: Schema.Int })

/** The columns needed to continue a turn. */
export const turns = rows("thread_turns", {
  id: Schema.String,
  previous_id: Schema.NullOr(Schema.String),
  setup: Schema.parseJson(JsonObject),
  messages: Schema.parseJson(Objects),
  content: Schema.parseJson(Objects),
  stop_reason: Schema.String,
  held_by: Schema.NullOr(Schema.String)
})
