import { Effect } from "effect"

/** Where the process stands between start and stop; the server moves it, readiness and streams read it. */
export class Lifecycle extends Effect.Service<Lifecycle>()("gateway/flow/Lifecycle", {
  sync: () => {
    const stopping = new AbortController()
    let draining = false
    let leaving = false
    let unready = false
    return {
      isDraining: () => draining,
      /** Whether connections are to be left, as others serve or will: what still comes is served, unless it drains. */
      isLeaving: () => leaving || draining,
      /** Whether nobody is to be sent here any more. */
      isUnready: () => unready || draining,
      /** @param why whether other processes listen in this one's place already, or whoever sends requests is to find out */
      leave: (why: "replaced" | "stopping") => {
        leaving = true
        unready = why === "stopping"
      },
      /** From now on nothing new is begun. */
      drain: () => {
        draining = true
      },
      /** Fires when running work has had its time: what still streams ends with an in-band error. */
      shutdown: stopping.signal,
      endRunning: () => stopping.abort()
    } as const
  }
}) {}
