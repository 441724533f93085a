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
  /** Where it is asked, and once it has been answered, where it was. */
  readonly upstream: string
  /** What it costs there; `unpriced` where nobody has priced it. */
  readonly price: Price
  /** Where it may be asked: an answer is paid for at the price of its place. `price` alone where absent. */
  readonly offers?: Pick<Offers, "prices" | "keep"> | undefined
  /** What the configuration says of models without a price; `refuse` where absent. */
  readonly unpriced?: Unpriced | undefined
  /**
   * The most that it can cost at a price, which is held for it unless `held` says another amount; only asked for where it
   * matters.
   */
  readonly mostNanoUsd: (price: Price) => number
  /** What is held in place of that, where the operator holds less, and why it is that much, in words. */
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
