import { Schema } from "effect"
import { isJsonObject } from "../../contract/fields.ts"
import { rows } from "../../sql/decode.ts"
import type { StoredItem } from "../InputItem.ts"
import { ResponseStatus } from "../ResponseObject.ts"
import type { OutputItem, ResponseObject } from "../ResponseObject.ts"

/*
 * What is stored was decoded when it came, or passed on from an upstream with what the gateway does not know of it. So
 * its outline is enough: a long history is read again at every turn, and its Schema would cost ten times the rest.
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

/** How much a response is together with all that continue it. */
export const sizes = rows("responses", { bytes: Schema.Int })

/** What it takes to go on from a response. */
export const replays = rows("responses", replayColumns)
export type Replay = ReturnType<typeof replays.one>

/** Where a response stands. */
export const standings = rows("responses", { status: ResponseStatus })

/** What it takes to show a response. */
export const responses = rows("responses", {
  ...replayColumns,
  response: Schema.parseJson(Outline),
  include: Schema.parseJson(Schema.Struct({ searchSources: Schema.Boolean, encryptedReasoning: Schema.Boolean }))
})
