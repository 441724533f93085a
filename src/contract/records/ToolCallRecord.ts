import type { ToolOutcome } from "./ToolOutcome.ts"

/** A call of a server's tool, as a request's log line tells it. */
export interface ToolCallRecord {
  /** The name of a registered server; `own` for a caller's own. */
  readonly server: string
  readonly tool: string
  readonly ms: number
  /** Of its result. */
  readonly bytes: number
  readonly outcome: ToolOutcome
  readonly approval?: string
}
