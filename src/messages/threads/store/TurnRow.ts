import { Schema } from "effect"
import { isJsonObject, JsonObject } from "../../../contract/fields.ts"
import { rows } from "../../../sql/decode.ts"

/*
 * The outline of what came as a valid request, or from an upstream with what the gateway does not know of it: the whole
 * conversation is decoded as a request before anything is done with it.
 */
const Objects = Schema.declare(
  (value: unknown): value is ReadonlyArray<JsonObject> => Array.isArray(value) && value.every(isJsonObject)
).annotations({ identifier: "objects" })

/** How much a turn is together with all that follow it in its thread. */
export const sizes = rows("thread_turns", { bytes: Schema.Int })

/** What it takes to go on from a turn. */
export const turns = rows("thread_turns", {
  previous_id: Schema.NullOr(Schema.String),
  setup: Schema.parseJson(JsonObject),
  messages: Schema.parseJson(Objects),
  content: Schema.parseJson(Objects),
  stop_reason: Schema.String,
  held_by: Schema.NullOr(Schema.String)
})
