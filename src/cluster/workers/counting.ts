import { Registry } from "../../telemetry/Registry.ts"
import { lasting, together } from "../../telemetry/Snapshot.ts"
import type { Snapshot } from "../../telemetry/Snapshot.ts"
import type { Child } from "./Child.ts"

/** What all workers count, those that are gone too: a sum that fell would look like a new beginning. */
export interface Counting {
  readonly all: () => Promise<ReadonlyArray<Snapshot>>
  /** Keeps what a worker counted when it was last asked, which nobody will say again. */
  readonly gone: (child: Child) => void
  readonly replaced: () => void
}

/**
 * @param children those that are there
 * @param dropped lines of theirs that could not be printed
 */
export const counting = (children: ReadonlySet<Child>, dropped: () => number): Counting => {
  const own = new Registry()
  const replaced = own.counter("gateway_workers_replaced_total", "Workers that ended or hung, and were replaced.").of()
  const alive = own.gauge("gateway_workers", "Processes that serve.").of()
  const lost = own.counter("gateway_log_lines_dropped_total", "Lines that standard output did not take.").of()
  let former: Snapshot = []
  return {
    all: async () => {
      const asked = await Promise.all(Array.from(children, (child) => child.counts()))
      alive.value = children.size
      lost.value = dropped()
      return [...asked, former, own.snapshot()]
    },
    gone: (child) => {
      former = together([former, lasting(child.counted)])
    },
    replaced: () => replaced.add(1)
  }
}
