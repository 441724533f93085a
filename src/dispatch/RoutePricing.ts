import type { Demand } from "../generation/Demand.ts"
import { Gap } from "../ledger/Offers.ts"
import type { Pricing } from "../ledger/Offers.ts"
import { covers, unpriced } from "../ledger/Price.ts"
import type { Admitted, AdmittedRoute } from "./admit.ts"

/** Decides which routes have a price for all that a request asks for. Reads the request only where money is counted. */
export class RoutePricing implements Pricing<AdmittedRoute> {
  readonly #admitted: Pick<Admitted, "bills" | "fitting">
  #demands: ReadonlyArray<Demand> | undefined

  constructor(admitted: Pick<Admitted, "bills" | "fitting">) {
    this.#admitted = admitted
  }

  /** The parts of the request that may cost more than tokens. */
  demands(): ReadonlyArray<Demand> {
    return (this.#demands ??= this.#admitted.fitting.demands?.() ?? [])
  }

  /**
   * A route lacks the price of its model, or of a part of the request that it would bill. A part that it does not get
   * costs nothing there, and a search that the gateway would run is left out if the request may do without.
   */
  priced(route: AdmittedRoute): AdmittedRoute | Gap {
    if (route.price === unpriced) return new Gap(undefined, "model")
    const { bills, fitting } = this.#admitted
    let priced = route
    for (const demand of this.demands()) {
      if (covers(route.price, demand)) continue
      const billing = bills(route, demand, fitting)
      if (billing === "always") return new Gap(demand.param, demand.value)
      if (billing === "unless left out") priced = { ...route, isUnsearched: true }
    }
    return priced
  }
}
