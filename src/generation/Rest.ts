/**
 * The part of an upstream's work that a refusal closes for a while:
 *
 * - `lane`: requests like the refused one (tier, speed, length, tools)
 * - `shared`: the same, of the standard and the priority tier alike, which share limits at some providers
 * - `tier`: every request of its tier
 * - `flex`, `fast`, `long`, `search`: requests of that kind, if the refused one was
 * - `model`: every request to the model
 * - `group`: the lane, at all models that share its limits
 * - `key`: every request with the key, whatever the model
 */
export type RestPart = "lane" | "shared" | "tier" | "flex" | "fast" | "long" | "search" | "model" | "group" | "key"

/** The part that rests, and for whom. */
export interface PartialRest {
  readonly part: RestPart
  /**
   * True if the upstream says that every caller is meant. Otherwise it may be the size of one caller's request, and
   * another account's refusal has to confirm it.
   */
  readonly isOfAll?: true
  /** True if the upstream's other keys would be refused too. */
  readonly isOfEveryKey?: true
  /** How long it rests, in ms, whatever `Retry-After` says. */
  readonly forMs?: number
}

/** The part that rests after a refusal for load. `nothing`: the request alone is at fault, and never fits. */
export type Rest = "nothing" | PartialRest
