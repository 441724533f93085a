import type { HeldAmount } from "../Balances.ts"
import { nothingSpent } from "../budgets/claims.ts"
import type { NodeChange } from "../store/askStatement.ts"
import { changeOf, changesOf } from "../store/budgetCounters.ts"
import type { CounterChange } from "../store/budgetCounters.ts"
import type { UsageRow } from "../store/usageRows.ts"

/**
 * The changes of budgets when holds are released and requests are settled.
 *
 * @param to the node that sends them
 */
export const countedOf = (
  released: ReadonlyArray<{ readonly held: HeldAmount }>,
  settled: ReadonlyArray<UsageRow>,
  to: string
): ReadonlyArray<NodeChange> => [
  ...released.flatMap(({ held }) =>
    held.node === to ? (held.budgets ?? []).map((one) => ofNode(changeOf(one, nothingSpent))) : []
  ),
  ...settled.flatMap((row) => changesOf([row]).map(row.held?.node === to ? ofNode : ofFormer))
]

const ofNode = (change: CounterChange): NodeChange => ({ ...change, of_node: change.held })

/** Holds of an earlier id of the node were released when that node was declared dead. Their use still counts. */
const ofFormer = (change: CounterChange): NodeChange => ({ ...change, held: 0, of_node: 0 })
