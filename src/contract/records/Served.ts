/** How an upstream says that it served an answer, in its own words; plain if it says nothing. */
export interface Served {
  /** `service_tier`. */
  readonly tier?: string
  /** `service_tier` of a provider whose tiers are capacity that is paid for already: it has no price of its own. */
  readonly committed?: string
  readonly speed?: string
  /** `inference_geo`: where the model ran. */
  readonly geo?: string
}

/** The part of a usage that says how it was served; empty if nothing is known. */
export const served = (as: Served | undefined): { readonly served?: Served } => (as === undefined ? {} : { served: as })
