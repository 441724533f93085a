import { Schema } from "effect"
import { AccountId, KeyId } from "../../contract/callers/Caller.ts"
import { JsonObject } from "../../contract/fields.ts"
import { rows } from "../../sql/decode.ts"

/** How a line ends. */
export const Outcome = Schema.Literal("succeeded", "errored", "canceled", "expired")
export type Outcome = typeof Outcome.Type

/** How the lines of a stopped batch end that have not begun; of errored ones the answer. */
export const Stop = Schema.Struct({
  outcome: Outcome,
  status: Schema.NullOr(Schema.Int),
  result: Schema.NullOr(Schema.String)
})
export type Stop = typeof Stop.Type

const counts = {
  total: Schema.Int,
  succeeded: Schema.Int,
  errored: Schema.Int,
  canceled: Schema.Int,
  expired: Schema.Int
}
export type Counts = { readonly [Name in keyof typeof counts]: number }

const Time = Schema.NullOr(Schema.Int)

export const batchRows = rows("batches", {
  id: Schema.String,
  account_id: AccountId,
  key_id: KeyId,
  endpoint: Schema.String,
  state: Schema.Literal("filling", "validating", "running", "ended"),
  ...counts,
  cost_nano_usd: Schema.Int,
  stop: Schema.NullOr(Schema.parseJson(Stop)),
  details: Schema.parseJson(JsonObject),
  created_at: Schema.Int,
  expires_at: Schema.Int,
  cancel_at: Time,
  ended_at: Time
})
export type BatchRow = ReturnType<typeof batchRows.one>

/** The lines that have not ended. */
export const openLines = ({ canceled, errored, expired, succeeded, total }: Counts): number =>
  total - succeeded - errored - canceled - expired

/** A line while a node has it. */
export const heldLines = rows("batch_lines", {
  batch_id: Schema.String,
  place: Schema.Int,
  attempts: Schema.Int,
  tries: Schema.Int,
  /** Those of its sealed request. */
  bytes: Schema.Int
})
export type HeldLine = ReturnType<typeof heldLines.one>

/** A line that has ended. */
export const endedLines = rows("batch_lines", {
  place: Schema.Int,
  custom_id: Schema.String,
  outcome: Schema.NullOr(Outcome),
  status: Schema.NullOr(Schema.Int),
  request_id: Schema.NullOr(Schema.String),
  result: Schema.NullOr(Schema.String)
})
export type EndedLine = ReturnType<typeof endedLines.one>

export const lineRequests = rows("batch_lines", { request: Schema.NullOr(Schema.String) })
export const lineSizes = rows("batch_lines", { place: Schema.Int, bytes: Schema.Int })
export const linePlaces = rows("batch_lines", { batch_id: Schema.String, place: Schema.Int })
