import { Context } from "effect"
import type { AccountId } from "../contract/callers/Caller.ts"
import type { RequestRecord } from "../contract/records/RequestRecord.ts"
import type { Trace } from "../contract/records/Trace.ts"

/** A request's body, to be recorded with its answer. */
export interface RecordedRequest {
  /** A sampled trace gets the contents, if the account has them on. */
  readonly record: Pick<RequestRecord, "requestId" | "trace" | "guardrails">
  readonly account: AccountId
  /** The body's text as sent. */
  readonly text: string
}

/** Records bodies for accounts that have it on, in the database and in traces. Plain calls that never wait and never fail. */
export interface BodyLog {
  /** True if the account's bodies are stored, or a sampled trace of it carries contents. */
  readonly isOn: (account: AccountId, trace: Trace | undefined) => boolean
  /** Returns the same answer, recorded as the client reads it. */
  readonly record: (request: RecordedRequest, answer: Response) => Response
}

/** Records nothing by default. */
export const BodyLog = Context.Reference<BodyLog>()("gateway/telemetry/BodyLog", {
  defaultValue: (): BodyLog => ({ isOn: () => false, record: (_, answer) => answer })
})
