import type { Incoming } from "../contract/handlers.ts"
import { showUsd } from "../contract/showUsd.ts"

/** Tells what a request cost: its record, and its reply, of which a stream's head has left by then. */
export const tellCost = ({ record, replyHeaders }: Incoming, isStream: boolean, nanoUsd: number): void => {
  if (record !== undefined) record.costNanoUsd = nanoUsd
  if (!isStream) replyHeaders["x-gateway-cost-usd"] = showUsd(nanoUsd)
}
