import { Registry } from "../../telemetry/Registry.ts"
import { lastingMetrics, together } from "../../telemetry/Snapshot.ts"
import type { Snapshot } from "../../telemetry/Snapshot.ts"
import type { Child } from "./Child.ts"

/** Metrics of all workers, including ended ones, because a falling counter would look like a restart. */
export interface Counting {
  readonly all: () => Promise<ReadonlyArray<Snapshot>>
  /** Keeps the last known metrics of an ended worker. */
  readonly gone: (child: Child) => void
  readonly replaced: () => void
}

/**
 * @param children running workers
 * @param dropped log lines of workers that could not be printed
 */
export const makeWorkerMetrics = (children: ReadonlySet<Child>, dropped: () => number): Counting => {
  const own = new Registry()
  const replaced = own.counter("gateway_workers_replaced_total", "Workers that ended or hung, and were replaced.").of()
  const alive = own.gauge("gateway_workers", "Serving processes.").of()
  const lost = own.counter("gateway_log_lines_dropped_total", "Log lines that standard output did not accept.").of()
  let former: Snapshot = []
  return {
    all: async () => {
      const current = await Promise.all(Array.from(children, (child) => child.counts()))
      alive.value = children.size
      lost.value = dropped()
      return [...current, former, own.snapshot()]
    },
    gone: (child) => {
      former = together([former, lastingMetrics(child.counted)])
    },
    replaced: () => replaced.add(1)
  }
}
