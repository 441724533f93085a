import { Effect } from "effect"
import type { Caller } from "../../contract/Caller.ts"
import { shortOfBalance, shortOfBudget } from "../Balances.ts"
import type { HeldAmount, Hold } from "../Balances.ts"
import type { Refused } from "../BalanceOperations.ts"
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
export const judged = (
  some: ReadonlyArray<Ask>,
  applied: Applied,
  nodeNow: string,
  nowMs: number
): { readonly open: ReadonlyArray<Ask>; readonly short: ReadonlyArray<Ask> } => {
  const taken = new Map<string, number>()
  const take = (whose: string, nanoUsd: number) => void taken.set(whose, (taken.get(whose) ?? 0) + nanoUsd)
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
    const { caller, hold, row } = ask
    take(`a ${caller.account}`, hold.nanoUsd)
    take(`k ${caller.key}`, hold.nanoUsd)
    // A dead node's hold was released with the node, a task's hold was not.
    if (row === undefined && applied.node !== nodeNow) open.push(ask)
    else ask.done(Effect.succeed({ nanoUsd: hold.nanoUsd, node: applied.node }))
  }
  const refusalOf = ({ caller, hold }: Ask, [, , accountLeft, keyLeft]: Verdict): Refused | undefined => {
    const ofAccount = accountLeft === null ? Infinity : accountLeft - (taken.get(`a ${caller.account}`) ?? 0)
    if (hold.nanoUsd > ofAccount) return shortOfBalance(hold, ofAccount)
    const ofKey = keyLeft === null ? Infinity : keyLeft - (taken.get(`k ${caller.key}`) ?? 0)
    return hold.nanoUsd > ofKey && caller.budget !== undefined
      ? shortOfBudget(hold, caller.budget, ofKey, nowMs)
      : undefined
  }
  for (const [ask, verdict] of rest) {
    const refused = refusalOf(ask, verdict)
    if (refused === undefined) open.push(ask)
    else if (ask.isLast) ask.done(Effect.fail(refused))
    else short.push(ask)
  }
  return { open, short }
}
