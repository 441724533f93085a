import type { Incoming } from "../contract/handlers.ts"
import type { Settlement } from "../contract/RequestRecord.ts"
import { showUsd } from "../contract/showUsd.ts"

/** Tells what a request cost: its record, and its reply, of which a stream's head has left by then. */
export const tellCost = ({ record, replyHeaders }: Incoming, isStream: boolean, settlement: Settlement): void => {
  record?.settled(settlement)
  if (!isStream) replyHeaders["x-gateway-cost-usd"] = showUsd(settlement.costNanoUsd)
}
