import { Context } from "effect"
import type { RequestRecord } from "../contract/records/RequestRecord.ts"

/** Stores request records. A plain call that never waits and never fails. */
export interface RequestLog {
  readonly append: (record: RequestRecord) => void
}

/** Stores nothing by default. */
export const RequestLog = Context.Reference<RequestLog>()("gateway/telemetry/RequestLog", {
  defaultValue: (): RequestLog => ({ append: () => {} })
})
