import { AccountId } from "../contract/callers/Caller.ts"

/** Owns the deliveries of the operator's alerts. No account can have this id. */
export const alertsAccount = AccountId.make("$alerts")
