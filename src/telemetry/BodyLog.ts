import { Context } from "effect"
import type { AccountId } from "../contract/callers/Caller.ts"

/** A request's body, to be recorded with its answer. */
export interface RecordedRequest {
  readonly requestId: string
  readonly account: AccountId
  /** The body's text as sent. */
  readonly text: string
}

/** Records bodies for accounts that have it on. Plain calls that never wait and never fail. */
export interface BodyLog {
  readonly isOn: (account: AccountId) => boolean
  /** Returns the same answer, recorded as the client reads it. */
  readonly record: (request: RecordedRequest, answer: Response) => Response
}

/** Records nothing by default. */
export const BodyLog = Context.Reference<BodyLog>()("gateway/telemetry/BodyLog", {
  defaultValue: (): BodyLog => ({ isOn: () => false, record: (_, answer) => answer })
})
