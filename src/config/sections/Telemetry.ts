import { Schema } from "effect"
import { optionalField } from "./fields.ts"

/** The share of prompts and answers that traces carry. */
export const TelemetryContents = Schema.Literal("off", "redacted", "all")
export type TelemetryContents = typeof TelemetryContents.Type

/** `telemetry`: what collectors get. */
export const Telemetry = Schema.Struct({
  contents: optionalField(
    TelemetryContents,
    "What [traces](operations.md#contents-in-traces) carry of prompts and answers: `off`; `redacted`, without secrets and what an account's `record.redact` matches; or `all`.",
    "`off`"
  )
})
