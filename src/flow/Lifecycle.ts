import { Effect } from "effect"

/** The state of the process between start and stop. The server sets it; readiness and streams read it. */
export class Lifecycle extends Effect.Service<Lifecycle>()("gateway/flow/Lifecycle", {
  sync: () => {
    const stopping = new AbortController()
    let draining = false
    let leaving = false
    let unready = false
    return {
      isDraining: () => draining,
      /** True if connections are to be closed after their answer. New requests are served until `isDraining`. */
      isLeaving: () => leaving || draining,
      /** True once readiness fails, so that load balancers send no more requests. */
      isUnready: () => unready || draining,
      /** @param why `replaced`: other processes listen on the same port; `stopping`: readiness must fail first */
      leave: (why: "replaced" | "stopping") => {
        leaving = true
        unready = why === "stopping"
      },
      /** Refuses new work from now on. */
      drain: () => {
        draining = true
      },
      /** Fires once running work has had its time: open streams then end with an in-band error. */
      shutdown: stopping.signal,
      endRunning: () => stopping.abort()
    } as const
  }
}) {}
