import { Context } from "effect"
import type { AccountId } from "../contract/Caller.ts"

/** What a request asked for, to be kept with what it is answered: a plain call that never waits and never fails. */
export interface RecordedRequest {
  readonly requestId: string
  readonly account: AccountId
  /** The body as it came, decoded. */
  readonly text: string
}

/** Keeps bodies of accounts that want it. */
export interface BodyLog {
  readonly isOn: (account: AccountId) => boolean
  /** Answers the same answer, read along with whoever reads it. */
  readonly record: (request: RecordedRequest, answer: Response) => Response
}

/** Nobody's, unless somebody is given who does. */
export const BodyLog = Context.Reference<BodyLog>()("gateway/telemetry/BodyLog", {
  defaultValue: (): BodyLog => ({ isOn: () => false, record: (_, answer) => answer })
})
