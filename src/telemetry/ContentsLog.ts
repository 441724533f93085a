import { Context } from "effect"
import type { AccountId } from "../contract/callers/Caller.ts"
import type { RequestRecord } from "../contract/records/RequestRecord.ts"
import type { Trace } from "../contract/records/Trace.ts"

/** A generation that no client waits for. */
export interface BackgroundRun {
  readonly account: AccountId
  readonly trace: Trace | undefined
  readonly record: Pick<RequestRecord, "guardrails">
}

/** Gives the contents of a run to its trace, if the account has them on. A plain call that never waits and never fails. */
export interface ContentsLog {
  /** @param texts bodies as clients send and get them; called if they are told */
  readonly tell: (run: BackgroundRun, texts: () => { readonly request: unknown; readonly answer: unknown }) => void
}

/** Tells nothing by default. */
export const ContentsLog = Context.Reference<ContentsLog>()("gateway/telemetry/ContentsLog", {
  defaultValue: (): ContentsLog => ({ tell: () => {} })
})
