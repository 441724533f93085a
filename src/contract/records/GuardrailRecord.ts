import { Schema } from "effect"
import { answerField } from "../fields.ts"

export const GuardrailVerdict = Schema.Literal("allowed", "replaced", "blocked", "failed")
export type GuardrailVerdict = typeof GuardrailVerdict.Type

/** Calls of a guardrail for a request. None of the texts is kept. */
export const GuardrailRecord = Schema.Struct({
  name: answerField(Schema.String, "The guardrail's name."),
  on: answerField(Schema.Literal("input", "output"), "What it looked at."),
  ms: answerField(Schema.Int, "The time that its calls took together."),
  calls: answerField(Schema.Int, "Its calls: one for a whole answer, several for a stream."),
  verdict: answerField(
    GuardrailVerdict,
    "The gravest of its verdicts: `allowed`, `replaced`, `failed` (it gave none), `blocked`."
  )
}).annotations({ identifier: "RequestGuardrail" })
export type GuardrailRecord = typeof GuardrailRecord.Type

/** The reason of a request that a guardrail blocked: its own words may quote what it blocked. */
export const blockedReason = "blocked by a guardrail"

const gravity: ReadonlyArray<GuardrailVerdict> = ["allowed", "replaced", "failed", "blocked"]

/** The records with one more call. */
export const withGuardrailCall = (
  records: ReadonlyArray<GuardrailRecord>,
  call: Omit<GuardrailRecord, "calls">
): ReadonlyArray<GuardrailRecord> => {
  const before = records.find(({ name, on }) => name === call.name && on === call.on)
  if (before === undefined) return [...records, { ...call, calls: 1 }]
  const verdict = gravity.indexOf(call.verdict) > gravity.indexOf(before.verdict) ? call.verdict : before.verdict
  const now = { ...before, verdict, ms: before.ms + call.ms, calls: before.calls + 1 }
  return records.map((one) => (one === before ? now : one))
}
