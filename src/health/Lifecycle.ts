import { Effect } from "effect"

/** Where the process stands between start and stop; the server moves it, readiness and streams read it. */
export class Lifecycle extends Effect.Service<Lifecycle>()("gateway/health/Lifecycle", {
  sync: () => {
    const patience = new AbortController()
    let draining = false
    return {
      isDraining: () => draining,
      /** From now on nothing new is begun. */
      drain: () => {
        draining = true
      },
      /** Fires when running work has had its time: what still streams ends with an in-band error. */
      shutdown: patience.signal,
      endPatience: () => patience.abort()
    } as const
  }
}) {}
