import { Schema } from "effect"
import { isJsonObject } from "../../contract/fields.ts"
import { rows } from "../../sql/decode.ts"
import type { StoredItem } from "../InputItem.ts"
import { ResponseStatus } from "../ResponseObject.ts"
import type { OutputItem, ResponseObject } from "../ResponseObject.ts"

/*
 * Only the outline is checked, because stored items were decoded when they came, or came from an upstream. A long
 * history is read in every turn, and its Schema would cost ten times the rest.
 */
const isOutputItem = (value: unknown) =>
  isJsonObject(value) && typeof value["type"] === "string" && typeof value["id"] === "string"

const InputItems = Schema.declare(
  (value: unknown): value is ReadonlyArray<StoredItem> => Array.isArray(value) && value.every(isJsonObject)
).annotations({ identifier: "input items" })

const OutputItems = Schema.declare(
  (value: unknown): value is ReadonlyArray<OutputItem> => Array.isArray(value) && value.every(isOutputItem)
).annotations({ identifier: "output items" })

const Outline = Schema.declare(
  (value: unknown): value is ResponseObject => isJsonObject(value) && typeof value["id"] === "string"
).annotations({ identifier: "a response" })

const replayColumns = {
  id: Schema.String,
  previous_id: Schema.NullOr(Schema.String),
  status: Schema.String,
  input: Schema.parseJson(InputItems),
  output: Schema.parseJson(OutputItems)
} as const

/** The size of a response together with all that continue it. */
export const sizes = rows("responses", { bytes: Schema.Int })

/** The columns needed to continue a response. */
export const replays = rows("responses", replayColumns)
export type Replay = ReturnType<typeof replays.one>

/** The input alone. */
export const inputs = rows("responses", { input: replayColumns.input })

/** A response's status. */
export const standings = rows("responses", { status: ResponseStatus })

/** The columns needed to show a response. */
export const responses = rows("responses", {
  ...replayColumns,
  response: Schema.parseJson(Outline),
  include: Schema.parseJson(Schema.Struct({ searchSources: Schema.Boolean, encryptedReasoning: Schema.Boolean }))
})
