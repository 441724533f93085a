import { Effect } from "effect"
import { makeWake } from "../tasks/Wake.ts"

/** Tells the sender of this process that something is due, without waiting for its next look at the database. */
export class DeliveryWake extends Effect.Service<DeliveryWake>()("gateway/callbacks/DeliveryWake", {
  sync: () => {
    const wake = makeWake()
    let hosts = new Set<string>()
    return {
      /** Something for this receiver is due now. */
      due: (host: string): void => {
        hosts.add(host)
        wake.ring()
      },
      ring: wake.ring,
      heard: wake.heard,
      /** The receivers named since the last call. */
      drain: (): ReadonlySet<string> => {
        const named = hosts
        hosts = new Set()
        return named
      }
    }
  }
}) {}
