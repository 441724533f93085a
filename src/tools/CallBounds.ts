import type { WrittenCall } from "./Round.ts"
import type { ServerTool } from "./ServerTool.ts"

/** The most calls of all server tools in a request. */
const mostCalls = 64

/** Counts a request's calls, against the bound of each tool and that of all together. */
export class CallBounds {
  private readonly made = new Map<ServerTool, number>()
  private all = 0

  /** The calls of a round that may run, in order. */
  allows(calls: ReadonlyArray<WrittenCall>): ReadonlyArray<WrittenCall> {
    return calls.filter(({ tool }) => {
      const made = this.made.get(tool) ?? 0
      if (made >= tool.mostCalls || this.all >= mostCalls) return false
      this.made.set(tool, made + 1)
      this.all++
      return true
    })
  }
}
