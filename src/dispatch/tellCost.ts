import type { Incoming } from "../contract/handlers.ts"
import type { Settlement } from "../contract/records/Settlement.ts"
import { showUsd } from "../contract/text/showUsd.ts"

/** Adds the cost of a request to its record and, unless it streams, to its response headers. */
export const tellCost = ({ record, replyHeaders }: Incoming, isStream: boolean, settlement: Settlement): void => {
  record?.settled(settlement)
  if (!isStream) replyHeaders["x-gateway-cost-usd"] = showUsd(settlement.costNanoUsd)
}
