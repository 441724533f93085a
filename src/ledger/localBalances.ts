import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { AccountId, Caller } from "../contract/callers/Caller.ts"
import { Changes } from "../sql/Changes.ts"
import type { Prepared } from "../sql/prepare.ts"
import { committing } from "../sql/Writes.ts"
import { Commits } from "../sql/Commits.ts"
import { Balances } from "./Balances.ts"
import type { Balance, HeldAmount, Hold } from "./Balances.ts"
import type { BalanceOperations, Refused } from "./BalanceOperations.ts"
import { nothingSpent } from "./budgets/claims.ts"
import type { HeldBudget } from "./budgets/claims.ts"
import { makeLocalBudgets } from "./budgets/localBudgets.ts"
import { balanceStatements } from "./store/balances.ts"
import { changesOf, spentOf, summedChanges } from "./store/budgetCounters.ts"
import { grantedNow } from "./store/grantedNow.ts"
import { holdStatements } from "./store/holds.ts"
import type { UsageRow } from "./store/usageRows.ts"
import { usageWriter } from "./store/usageWriter.ts"

/**
 * The balances of the one process that serves a SQLite file, in memory (`Balances`, `Counters`): a hold is a comparison
 * and an addition, without disk access. A crash releases all holds of requests. Tasks' holds are rows; memory reserves
 * the money before the row is written, so that other requests can't spend it, and releases or charges it after the
 * commit.
 */
export const makeLocalBalances = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  const changes = yield* Changes
  const balances = new Balances()
  let settling: Effect.Effect<void> = Effect.void
  const budgets = yield* makeLocalBudgets(Effect.suspend(() => settling))
  const rows = holdStatements(sql)
  const rowsOfUsage = usageWriter(sql)
  const stored = balanceStatements(sql)

  const account = (id: AccountId): Effect.Effect<void, SqlError> =>
    Effect.map(stored.account(id), (row) => {
      // An account in no table has no balance: a test's caller, or one that was just deleted.
      balances.learn(id, row === undefined ? nothing : { ...row, granted: row.granted ?? undefined })
    })

  // Owners of holds are loaded at the start: when a hold ends, only memory has to follow.
  yield* Effect.flatMap(rows.owners, (owners) => Effect.forEach(owners, account, { discard: true })).pipe(Effect.orDie)
  yield* Effect.orDie(Effect.flatMap(rows.budgets, budgets.begin))

  // Commands and the admin API change grants, perhaps in another process. All other changes happen in this process.
  yield* changes.listen(
    Effect.suspend(() => grantedNow(sql, balances.known(), (id, granted) => balances.grantedIs(id, granted)))
  )

  const writeUsage = (some: ReadonlyArray<UsageRow>): ReadonlyArray<Prepared> => {
    const counted = changesOf(some)
    const usage = rowsOfUsage(some)
    return counted.length === 0 ? usage : [...usage, ...summedChanges(counted).map(budgets.add)]
  }

  /** Places a hold, or says what is short. */
  const hold = (caller: Caller, wanted: Hold, nowMs: number): ReadonlyArray<HeldBudget> | undefined | Refused => {
    const refused = balances.short(caller.account, wanted)
    if (refused !== undefined) return refused
    // No budget applies to a hold that is not counted.
    const held = wanted.request === undefined ? undefined : budgets.claim(caller, wanted, nowMs)
    if (held !== undefined && "_tag" in held) return held
    balances.hold(caller.account, wanted.nanoUsd)
    return held
  }

  const release = (id: AccountId, { budgets: held, nanoUsd }: Pick<HeldAmount, "budgets" | "nanoUsd">) => {
    balances.settle(id, nanoUsd, 0)
    if (held !== undefined) budgets.settle(held, nothingSpent)
  }

  const operations: BalanceOperations = {
    knows: (caller) => balances.knows(caller.account) && budgets.knows(caller),
    load: (caller, nowMs) => Effect.zipRight(account(caller.account), budgets.load(caller, nowMs)),
    isMetered: (id) => balances.of(id)?.granted !== undefined,
    hold: (caller, wanted, nowMs, held) => {
      const placed = hold(caller, wanted, nowMs)
      return placed !== undefined && "_tag" in placed
        ? Effect.fail(placed)
        : Effect.succeed(held({ nanoUsd: wanted.nanoUsd, node: "", budgets: placed }))
    },
    settle: (owner, held, spent) => {
      balances.settle(owner.account, held.nanoUsd, spent.nanoUsd)
      if (held.budgets !== undefined) budgets.settle(held.budgets, spent)
    },
    unsettle: (owner, held, spent) => {
      balances.settle(owner.account, 0, -spent.nanoUsd)
      if (held.budgets !== undefined) budgets.unsettle(held.budgets, spent)
    },
    release: (owner, held) => release(owner.account, held),
    holdForTask: (caller, wanted, row, nowMs) => {
      const placed = hold(caller, wanted, nowMs)
      if (placed !== undefined && "_tag" in placed) return Effect.fail(placed)
      const undo = Effect.sync(() => release(caller.account, { nanoUsd: wanted.nanoUsd, budgets: placed }))
      return Effect.succeed({ stored: rows.insert(row, placed), undo })
    },
    raiseTaskHold: (caller, wanted, { id }, nowMs) => {
      const placed = hold(caller, wanted, nowMs)
      if (placed !== undefined && "_tag" in placed) return Effect.fail(placed)
      const more = { nanoUsd: wanted.nanoUsd, node: "", budgets: placed }
      return Effect.succeed({
        added: commits.commit(
          Effect.flatMap(rows.raise(id, more), (raised) => {
            const rest = raised?.rest
            if (rest === undefined) return Effect.succeed(raised !== undefined)
            return Effect.as(
              commits.afterCommit(() => release(caller.account, rest)),
              true
            )
          })
        ),
        undo: Effect.sync(() => release(caller.account, more))
      })
    },
    endTask: (ended, row, _nowMs, committed) =>
      Effect.zipRight(
        row === undefined
          ? Effect.void
          : Effect.all(writeUsage([{ ...row, held: { nanoUsd: 0, node: "", budgets: ended.budgets ?? undefined } }]), {
              discard: true
            }),
        commits.afterCommit(() => {
          committed()
          const spent = row === undefined ? nothingSpent : spentOf(row)
          balances.settle(ended.account_id, ended.nano_usd, spent.nanoUsd)
          if (ended.budgets !== null) budgets.settle(ended.budgets, spent)
        })
      ),
    ...committing(commits, "soon", writeUsage),
    longestPauseMs: 2.5,
    balance: (id) =>
      Effect.suspend((): Effect.Effect<Balance | undefined, SqlError> => {
        const known = balances.of(id)
        return known === undefined
          ? Effect.map(stored.account(id), (row) => row && { ...row, granted: row.granted ?? undefined })
          : Effect.succeed({ ...known })
      }),
    beforeRefusing: (settles) => {
      settling = settles
    }
  }
  return operations
})

const nothing: Balance = { granted: undefined, settled: 0, held: 0 }
