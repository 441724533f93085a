import type { RefusedField } from "./refusedField.ts"

/** A refusal of what the gateway sends to a model. */
export interface PlaceRefusal extends RefusedField {
  readonly upstream: string
  /** The model's id there. */
  readonly model: string
}

/** Remembers refusals for the operator. */
export interface PlaceRefusals {
  /** True if the operator has not been told today. */
  readonly note: (refusal: PlaceRefusal) => boolean
}
