import type { HeldAmount } from "./Balances.ts"
import type { HeldBudget } from "./budgets/claims.ts"

interface Added {
  /** The sum; undefined if there is none, because the first amount was released with its node. */
  readonly held: HeldAmount | undefined
  /** Amounts that end without a charge; undefined if there are none. */
  readonly rest: HeldAmount | undefined
}

/**
 * Adds a further amount to a request's hold, which ends as one. A budget's amount in another window than the first one is
 * not part of it: the request is charged where it began.
 */
export const addHeld = (held: HeldAmount, more: HeldAmount): Added => {
  const isNothing = held.nanoUsd === 0 && held.budgets === undefined
  if (held.node !== more.node && !isNothing) return { held: undefined, rest: more }
  const same = (one: HeldBudget) => (other: HeldBudget) =>
    one.budget === other.budget && one.subject === other.subject && one.step === other.step
  const budgets = held.budgets?.map((one) => ({
    ...one,
    amount: one.amount + (more.budgets?.find(same(one))?.amount ?? 0)
  }))
  const others = more.budgets?.filter((one) => held.budgets?.some(same(one)) !== true) ?? []
  return {
    held: { nanoUsd: held.nanoUsd + more.nanoUsd, node: more.node, budgets },
    rest: others.length === 0 ? undefined : { nanoUsd: 0, node: more.node, budgets: others }
  }
}
