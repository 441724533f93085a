/** How an upstream says that it served an answer, in its own words; plain if it says nothing. */
export interface Served {
  /** `service_tier`. */
  readonly tier?: string
  /** `service_tier` of a provider whose tiers are capacity that is paid for already: it has no price of its own. */
  readonly committed?: string
  readonly speed?: string
  /** `inference_geo`: where the model ran. */
  readonly geo?: string
  /** An image's `quality/size`, `auto` where one is unknown. */
  readonly image?: string
}

/** The part of a usage that says how it was served; empty if nothing is known. */
export const served = (as: Served | undefined): { readonly served?: Served } => (as === undefined ? {} : { served: as })

/** An image as `quality/size`: `auto` where one is unknown, or a word that no price can name. */
export const imageKind = (quality: string | null | undefined, size: string | null | undefined): string =>
  [quality, size]
    .map((word) => (typeof word === "string" && kindWord.test(word) ? word.toLowerCase() : "auto"))
    .join("/")

const kindWord = /^[\w.:-]{1,19}$/
