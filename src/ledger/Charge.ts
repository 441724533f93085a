import type { Caller, Unpriced } from "../contract/Caller.ts"
import type { Settlement } from "../contract/RequestRecord.ts"
import type { Offers } from "./Offers.ts"
import type { Consumption, Price } from "./Price.ts"
import type { UsageRow } from "./store/usageRows.ts"

/** A request that is about to cost something. */
export interface Chargeable {
  readonly caller: Caller
  readonly requestId: string
  /** The model as the caller named it. */
  readonly model: string
  /** The upstream to call; after the answer, the one that answered. */
  readonly upstream: string
  /** The price there; `unpriced` if it has none. */
  readonly price: Price
  /** The possible routes: an answer is charged at the price of its own. Absent: `price` alone. */
  readonly offers?: Pick<Offers, "prices" | "keep"> | undefined
  /** The rule for models without a price. Defaults to `refuse`. */
  readonly unpriced?: Unpriced | undefined
  /**
   * The most that it can cost at a price, which is held for it unless `held` says another amount; only asked for where it
   * matters.
   */
  readonly mostNanoUsd: (price: Price) => number
  /** A smaller hold, if the operator configured one, with the reason in words. */
  readonly held?: (price: Price) => { readonly nanoUsd: number; readonly because: () => string }
  /** No more than that, told at once; 0 where absent. */
  readonly leastNanoUsd?: (price: Price) => number
  /** Runs when it is settled; and with costs of 0 where that can't be stored. */
  readonly tellCost?: (settlement: Settlement) => void
}

/** A request's money, from its hold to its one end: whichever of the two comes first counts, later calls do nothing. */
export interface Charge {
  /**
   * Pays for what was used and gives the rest of the hold back. Answers when the row is stored, where somebody who
   * waits for that should; rejects with `Internal` where it can't be stored: then nothing was charged.
   * @param how `hang-up`: the client left; what was produced until then is paid for
   * @param estimated whether the usage was counted here because the upstream told none
   */
  readonly settle: (used: Consumption, how: UsageRow["outcome"], estimated: boolean) => Promise<void> | undefined
  /**
   * Charges nothing and gives the hold back: the caller left before an answer that comes whole or not at all.
   * @param used what the upstream has used until then, as far as is known: the operator's cost
   */
  readonly abandon: (used: Consumption) => void
  /** Gives the hold back: nothing was delivered. */
  readonly release: () => void
}
