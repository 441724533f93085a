import { Effect } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import { makeWake } from "../tasks/Wake.ts"

/** Tells the sender of this process that something is due, without waiting for its next look at the database. */
export class DeliveryWake extends Effect.Service<DeliveryWake>()("gateway/callbacks/DeliveryWake", {
  sync: () => {
    const wake = makeWake()
    let hosts = new Map<string, AccountId>()
    return {
      /** Something of the account's for this receiver is due now. */
      due: (host: string, account: AccountId): void => {
        hosts.set(host, account)
        wake.ring()
      },
      ring: wake.ring,
      heard: wake.heard,
      /** The receivers named since the last call. */
      drain: (): ReadonlyMap<string, AccountId> => {
        const named = hosts
        hosts = new Map()
        return named
      }
    }
  }
}) {}
