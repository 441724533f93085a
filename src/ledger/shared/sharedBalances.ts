import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { AccountId, Caller } from "../../contract/callers/Caller.ts"
import { Node } from "../../cluster/Node.ts"
import { Changes } from "../../sql/Changes.ts"
import { Commits } from "../../sql/Commits.ts"
import type { HeldAmount, Hold, Owner } from "../Balances.ts"
import type { BalanceOperations } from "../BalanceOperations.ts"
import { claimsOf, nothingSpent } from "../budgets/claims.ts"
import type { HeldBudget, Spent } from "../budgets/claims.ts"
import { balanceStatements } from "../store/balances.ts"
import { changeOf, spentOf } from "../store/budgetCounters.ts"
import { grantedNow } from "../store/grantedNow.ts"
import { holdStatements } from "../store/holds.ts"
import type { EndedHold } from "../store/holds.ts"
import { laneStatements } from "../store/lanes.ts"
import { dayOf } from "../store/usageRows.ts"
import { usageStatements } from "../store/usageStatements.ts"
import { makeBatches } from "./Batches.ts"
import { repairSums } from "./repairSums.ts"
import { makeSums } from "./Sums.ts"
import { makeUnheld } from "./unheld.ts"

/**
 * Balances that many processes share in one Postgres. This process only remembers which accounts have a balance. A
 * request without a balance and a budget needs no round trip, and its usage is stored on a separate path (`unheld.ts`).
 * All others are decided in the database, for all concurrent requests of this node at once (`Batches`), and released
 * when their usage is stored. A dead node's holds are released once; a task's hold is a row that outlives the node.
 */
export const makeSharedBalances = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  const changes = yield* Changes
  const node = yield* Node
  const metered = new Map<AccountId, boolean>()
  const balances = balanceStatements(sql)
  const rows = holdStatements(sql)
  const usage = usageStatements(sql)
  const sums = yield* makeSums
  yield* repairSums
  const unheld = yield* makeUnheld
  let settling: Effect.Effect<void> = Effect.void
  const batches = yield* makeBatches(
    Effect.suspend(() => Effect.zipRight(settling, sums.all)),
    sums.all
  )
  /** Stores everything that has ended in this process. */
  const settled = Effect.suspend(() => Effect.zipRight(settling, batches.flush))

  node.whenReaping(laneStatements(sql).release)
  yield* changes.listen(
    Effect.suspend(() => grantedNow(sql, [...metered.keys()], (id, granted) => metered.set(id, granted !== undefined)))
  )

  /** Ends a task's hold and releases its money. Run it in a transaction. */
  const free = ({ account_id: account, budgets, id, key_id: key, nano_usd: nanoUsd }: EndedHold, nowMs: number) =>
    nanoUsd === 0 && budgets === null
      ? Effect.void
      : usage.leaveHold(id, { account, key, nanoUsd }, dayOf(nowMs), changesBy(budgets, nothingSpent))

  /** Ends a hold that no task has. Released later if it fails now (`tasks/OrphanedHolds.ts`). */
  const undoing = (id: string, nowMs: number) =>
    Effect.ignore(
      commits.commit(
        Effect.flatMap(rows.removeUnconfirmed(id), (removed) =>
          removed === undefined ? Effect.void : free(removed, nowMs)
        )
      )
    )

  const release = (owner: Owner, held: HeldAmount) => {
    if (held.nanoUsd > 0 || held.budgets !== undefined) batches.release(owner, held)
  }

  const operations: BalanceOperations = {
    knows: ({ account }) => metered.has(account),
    load: ({ account }) =>
      Effect.map(balances.granted([account]), ([row]) => {
        metered.set(account, row !== undefined && row.granted !== null)
      }),
    isMetered: (account) => metered.get(account) === true,
    hold: (caller, hold, nowMs, held) =>
      isFree(caller, hold, nowMs)
        ? Effect.succeed(held(nothing))
        : Effect.map(batches.ask(caller, hold, undefined), held),
    settle: () => {},
    // The lost row would have released it.
    unsettle: release,
    release,
    holdForTask: (caller, hold, row, nowMs) => {
      if (isFree(caller, hold, nowMs)) return Effect.succeed({ stored: rows.insert(row, undefined), undo: Effect.void })
      const { id } = row
      return Effect.as(batches.ask(caller, hold, row), {
        stored: Effect.filterOrDieMessage(
          rows.confirm(id),
          (isThere) => isThere,
          "a task came after its hold was freed"
        ),
        undo: undoing(id, nowMs)
      })
    },
    raiseTaskHold: (caller, hold, { id, part }, nowMs) =>
      Effect.as(batches.ask(caller, hold, part), {
        added: commits.commit(
          Effect.gen(function* () {
            const more = yield* rows.removeUnconfirmed(part.id)
            if (more === undefined) return false
            const amount = { nanoUsd: more.nano_usd, node: "", budgets: more.budgets ?? undefined }
            const raised = yield* rows.raise(id, amount)
            const left = raised === undefined ? more : { ...more, nano_usd: 0, budgets: raised.rest?.budgets ?? null }
            yield* free(left, nowMs)
            return raised !== undefined
          })
        ),
        undo: undoing(part.id, nowMs)
      }),
    endTask: (hold, row, nowMs, committed) => {
      const left =
        row === undefined
          ? free(hold, nowMs)
          : usage.leave(hold.id, row, hold.nano_usd, changesBy(hold.budgets, spentOf(row)))
      return Effect.zipRight(
        left,
        commits.afterCommit(() => {
          committed()
          sums.soon()
        })
      )
    },
    write: batches.write,
    unheld,
    longestPauseMs,
    balance: (account) =>
      settled.pipe(
        Effect.zipRight(sums.all),
        Effect.zipRight(
          Effect.map(balances.account(account), (row) =>
            row === undefined ? undefined : { ...row, granted: row.granted ?? undefined }
          )
        )
      ),
    beforeRefusing: (settles) => {
      settling = settles
    }
  }
  return operations
})

/** A commit costs a round trip. */
const longestPauseMs = 5

const changesBy = (budgets: ReadonlyArray<HeldBudget> | null, spent: Spent) =>
  budgets?.map((held) => changeOf(held, spent)) ?? []

/** True if a request needs no money and no budget applies to it. */
const isFree = (caller: Caller, hold: Hold, nowMs: number): boolean =>
  hold.nanoUsd === 0 && claimsOf(caller, hold.request, 0, nowMs).length === 0

const nothing: HeldAmount = { nanoUsd: 0, node: "" }
