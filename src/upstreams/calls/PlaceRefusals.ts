import type { RefusedField } from "./refusedField.ts"

/** A refusal of what the gateway sends to a model. */
export interface PlaceRefusal extends Pick<RefusedField, "path" | "words"> {
  /** The account that asked; undefined for calls of the gateway's own. */
  readonly account: string | undefined
  readonly upstream: string
  /** The model's id there. */
  readonly model: string
}

/** Remembers refusals for the operator. */
export interface PlaceRefusals {
  /** True if the operator has not been told today. */
  readonly note: (refusal: PlaceRefusal) => boolean
}
