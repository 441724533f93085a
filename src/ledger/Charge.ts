import type { Effect } from "effect"
import type { Caller, Unpriced } from "../contract/callers/Caller.ts"
import type { Usage } from "../generation/GenerationEvent.ts"
import type { Settlement } from "../contract/records/Settlement.ts"
import type { Countable } from "./budgets/claims.ts"
import type { Offers } from "./Offers.ts"
import type { Price } from "./Price.ts"
import type { ServedOutcome } from "./store/usageRows.ts"

/** A request that may cost something. */
export interface Chargeable {
  readonly caller: Caller
  readonly requestId: string
  /** The model as the caller named it. */
  readonly model: string
  /** The upstream to call; after the answer, the upstream that answered. */
  readonly upstream: string
  /** The price there; `unpriced` if it has none. */
  readonly price: Price
  /** The possible routes: an answer is charged at the price of its own. Absent: `price` alone. */
  readonly offers?:
    | (Pick<Offers, "prices" | "keep" | "keepPriced" | "mayCost"> & Partial<Pick<Offers, "needed">>)
    | undefined
  /** The rule for models without a price. Defaults to `refuse`. */
  readonly unpriced?: Unpriced | undefined
  /** The maximum cost at a price, which is the hold unless `held` gives another amount. Evaluated only if needed. */
  readonly mostNanoUsd: (price: Price) => number
  /** A smaller hold, if the operator configured one, with its reason for the error message. */
  readonly held?: (price: Price) => { readonly nanoUsd: number; readonly because: () => string }
  /** Further calls whose answers were not used; none if absent. */
  readonly unused?: ReadonlyArray<UnusedCall>
  /** The request's tags, its end user and all names of its models, for budgets. */
  readonly labels?: Omit<Countable, "model" | "mostTokens"> | undefined
  /** The most tokens that it may use, for budgets of tokens. */
  readonly mostTokens: () => number
  /** Runs when the request is settled; runs again with costs of 0 if that can't be stored. */
  readonly tellCost?: (settlement: Settlement) => void
}

/** A call whose answer was not used, which the operator pays. */
export interface UnusedCall {
  readonly upstream: string
  /** `outpaced`: another route answered first. `given-up`: it was silent for too long. */
  readonly outcome: "outpaced" | "given-up"
  /** `Price.text`. */
  readonly price: string
  readonly nanoUsd: number
}

/** A request's money, from its hold to its end. The first call ends it; later calls do nothing. */
export interface Charge {
  /**
   * Raises the hold to this amount, evaluated only where money is counted. False if the caller's money does not cover it;
   * then the hold stays as it is.
   */
  readonly extend: (toNanoUsd: () => number) => Effect.Effect<boolean>
  /**
   * Charges the usage, at most the hold, and releases the rest of it. Resolves when the row is stored; rejects with `Internal` if it
   * can't be stored, and then nothing is charged.
   *
   * @param how `hang-up`: the client left; what the upstream has read and written until then is charged
   * @param estimated true if the gateway counted the usage because the upstream did not report it
   */
  readonly settle: (used: Usage, how: ServedOutcome, estimated: boolean) => Promise<void> | undefined
  /** Releases the hold of an answer that broke off: the caller pays nothing, the operator what it has used. */
  readonly cut: (used: Usage, estimated: boolean) => void
  /** Releases the hold: nothing was delivered. */
  readonly release: () => void
}
