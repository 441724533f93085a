import { Gap } from "../ledger/Offers.ts"
import type { Pricing } from "../ledger/Offers.ts"
import { covers, unpriced } from "../ledger/Price.ts"
import type { Fitting } from "./fitting.ts"

/** A route of a video where money is counted lacks the price of its model, or of the search that it would run. */
export const videoPricing: Pricing<Fitting> = {
  priced: (fitting) => {
    const { adapted, price, resolved } = fitting
    if (price === unpriced) return new Gap(undefined, "model")
    const searches = resolved.settings.webSearch && !adapted.includes("tools")
    return searches && !covers(price, { of: "web_search", value: "web_search" })
      ? new Gap("tools[0]", "web_search")
      : fitting
  }
}
