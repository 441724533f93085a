import type { ApprovedCalls } from "./ApprovedCalls.ts"
import type { OfferedTools } from "./ServerTool.ts"

/** The server tools of a request, with what its caller has approved. */
export interface RequestTools extends OfferedTools {
  /** The calls that run before a route is asked; absent if there are none. */
  readonly approved?: ApprovedCalls | undefined
  /** The most calls that the caller allows, searches among them; undefined without a bound of its own. */
  readonly mostCalls?: number | undefined
}
