import { Effect } from "effect"
import type { Caller } from "../../contract/callers/Caller.ts"
import { shortOfBalance } from "../Balances.ts"
import type { HeldAmount, Hold } from "../Balances.ts"
import type { Refused } from "../BalanceOperations.ts"
import { heldOf } from "../budgets/claims.ts"
import type { Claim } from "../budgets/claims.ts"
import { overBudget } from "../budgets/refusals.ts"
import { decodeVerdicts } from "../store/askStatement.ts"
import type { Verdict } from "../store/askStatement.ts"
import type { StoredHold } from "../store/holds.ts"
import type { Applied } from "./Lane.ts"

/** A request for a hold. */
export interface Ask {
  readonly caller: Caller
  readonly hold: Hold
  /** The hold's row, for a task. */
  readonly row: StoredHold | undefined
  readonly done: (verdict: Effect.Effect<HeldAmount, Refused>) => void
  /** Its claims of budgets in this attempt. */
  claims: ReadonlyArray<Claim>
  /** Pending releases have been applied: refuse if the money is still short. */
  isLast: boolean
}

/**
 * Applies the verdicts to the requests for holds. A held request succeeds. One that is short fails if it was asked for
 * the last time. The others are asked again: at once if they may fit (`open`), otherwise for the last time (`short`).
 *
 * @param some in the order of the batch
 * @param nodeNow this process's current id
 */
export const judgeCharges = (
  some: ReadonlyArray<Ask>,
  applied: Applied,
  nodeNow: string,
  nowMs: number
): { readonly open: ReadonlyArray<Ask>; readonly short: ReadonlyArray<Ask> } => {
  const taken = new Map<string, number>()
  const take = (from: string, amount: number) => void taken.set(from, (taken.get(from) ?? 0) + amount)
  const rest: Array<readonly [Ask, Verdict]> = []
  const open: Array<Ask> = []
  const short: Array<Ask> = []
  for (const verdict of decodeVerdicts(applied.answer)) {
    const ask = some[verdict[0]]
    if (ask === undefined) continue
    if (verdict[1] === 0) {
      rest.push([ask, verdict])
      continue
    }
    const { caller, claims, hold, row } = ask
    take(caller.account, hold.nanoUsd)
    for (const claim of claims) take(counterOf(claim), claim.amount)
    // A dead node's hold was released with the node, a task's hold was not.
    if (row === undefined && applied.node !== nodeNow) open.push(ask)
    else ask.done(Effect.succeed(heldBy(ask, applied.node)))
  }
  const refusalOf = ({ caller, claims, hold }: Ask, [, , accountLeft, rooms]: Verdict): Refused | undefined => {
    const ofAccount = accountLeft === null ? Infinity : accountLeft - (taken.get(caller.account) ?? 0)
    if (hold.nanoUsd > 0 && hold.nanoUsd > ofAccount) return shortOfBalance(hold, ofAccount)
    for (const [index, claim] of claims.entries()) {
      const [room, oldest] = rooms?.[index] ?? [Infinity, null]
      const left = room - (taken.get(counterOf(claim)) ?? 0)
      if (claim.amount > left) return overBudget({ claim, left, oldest: oldest ?? undefined }, nowMs, hold.because)
    }
    return undefined
  }
  for (const [ask, verdict] of rest) {
    const refused = refusalOf(ask, verdict)
    if (refused === undefined) open.push(ask)
    else if (ask.isLast) ask.done(Effect.fail(refused))
    else short.push(ask)
  }
  return { open, short }
}

/** The amounts that a node's statement has held for a request. */
export const heldBy = ({ claims, hold }: Ask, node: string): HeldAmount => ({
  nanoUsd: hold.nanoUsd,
  node,
  budgets: claims.length === 0 ? undefined : claims.map(heldOf)
})

/** Not the name of an account, which has no space. */
const counterOf = ({ meter, subject }: Claim): string => `${meter.id} ${subject}`
