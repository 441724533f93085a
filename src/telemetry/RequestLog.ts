import { Context } from "effect"
import type { RequestRecord } from "../contract/RequestRecord.ts"

/** Keeps what is known of requests: a plain call that never waits and never fails. */
export interface RequestLog {
  readonly append: (record: RequestRecord) => void
}

/** Nobody keeps them unless somebody is given who does. */
export const RequestLog = Context.Reference<RequestLog>()("gateway/telemetry/RequestLog", {
  defaultValue: (): RequestLog => ({ append: () => {} })
})
