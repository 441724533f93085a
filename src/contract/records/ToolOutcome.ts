import { Schema } from "effect"

/**
 * How a call of a server's tool ended. `failed`: the tool itself says so. `refused`: it was not sent, or the tool asks a
 * person. `denied`: its approval was. `cancelled`: the request ended first. `unknown`: the gateway went away before its
 * end; it may have taken effect.
 */
export const ToolOutcome = Schema.Literal(
  "completed",
  "failed",
  "protocol_error",
  "http_error",
  "timeout",
  "too_large",
  "denied",
  "refused",
  "cancelled",
  "unknown"
)
export type ToolOutcome = typeof ToolOutcome.Type
