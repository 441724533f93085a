import { Context } from "effect"
import type { Attempt } from "../../contract/records/Attempt.ts"

/** An ended call of a video upstream's API. */
export interface ReportedCall extends Pick<Attempt, "outcome" | "status" | "error" | "durationMs"> {
  /** It changes nothing at the upstream. */
  readonly isRead: boolean
}

/** Hears of each call of a video upstream's API. By default none are reported. */
export class CallReports extends Context.Reference<CallReports>()("gateway/upstreams/calls/CallReports", {
  defaultValue: (): ((call: ReportedCall) => void) => () => {}
}) {}
