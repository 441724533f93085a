import type { WrittenCall } from "./Round.ts"
import type { ServerTool } from "./ServerTool.ts"

/** The most calls of all server tools in a request. */
const mostCalls = 64

/** Counts a request's calls, against the bound of each tool, that of all together and the caller's own. */
export class CallBounds {
  private readonly made = new Map<ServerTool, number>()
  private all = 0
  private searches = 0
  private free = 0
  private readonly most: number

  /** @param most the caller's bound, which counts the searches of the model's side too */
  constructor(most = Infinity) {
    this.most = most
  }

  /** How many calls and searches the caller still allows. */
  get left(): number {
    return this.most - (this.all - this.free) - this.searches
  }

  /** Counts searches that ran elsewhere. */
  searched(count: number): void {
    this.searches += count
  }

  /** The calls of a round that may run, in order. */
  allows(calls: ReadonlyArray<WrittenCall>): ReadonlyArray<WrittenCall> {
    return calls.filter(({ tool }) => {
      const made = this.made.get(tool) ?? 0
      const isFree = tool.isFree === true
      if (made >= tool.mostCalls || this.all >= mostCalls || (this.left <= 0 && !isFree)) return false
      this.made.set(tool, made + 1)
      this.all++
      if (isFree) this.free++
      return true
    })
  }
}
