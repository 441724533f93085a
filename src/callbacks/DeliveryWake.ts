import { Effect } from "effect"
import type { AccountId } from "../contract/callers/Caller.ts"
import { makeWake } from "../tasks/Wake.ts"

/** Wakes this process's sender for a due delivery before its next scan. */
export class DeliveryWake extends Effect.Service<DeliveryWake>()("gateway/callbacks/DeliveryWake", {
  sync: () => {
    const wake = makeWake()
    const scan = makeWake()
    let hosts = new Map<string, AccountId>()
    return {
      /** Records that a delivery of the account to this receiver is due now. */
      due: (host: string, account: AccountId): void => {
        hosts.set(host, account)
        wake.ring()
      },
      /** Asks for a scan of the whole table: some deliveries are due, to receivers that are not known here. */
      scan: scan.ring,
      nextScan: scan.nextRing,
      ring: wake.ring,
      nextRing: wake.nextRing,
      /** The receivers recorded since the last call. */
      drain: (): ReadonlyMap<string, AccountId> => {
        const named = hosts
        hosts = new Map()
        return named
      }
    }
  }
}) {}
