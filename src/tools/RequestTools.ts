import type { ApprovedCalls } from "./ApprovedCalls.ts"
import type { EarlierRounds, RoundJournal } from "./journal/RoundJournal.ts"
import type { OfferedTools } from "./ServerTool.ts"

/** The server tools of a request, with what its caller has approved. */
export interface RequestTools extends OfferedTools {
  /** The calls that run before a route is asked; absent if there are none. */
  readonly approved?: ApprovedCalls | undefined
  /** The most calls that the caller allows, searches among them; undefined without a bound of its own. */
  readonly mostCalls?: number | undefined
  /** Present for a request that may run again. */
  readonly journal?: RoundJournal | undefined
  /** Its earlier runs, approved calls among them: the conversation has them already. */
  readonly earlier?: EarlierRounds | undefined
}
