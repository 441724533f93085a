import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import { Changes } from "../sql/Changes.ts"
import { committing } from "../sql/Writes.ts"
import { Commits } from "../sql/Commits.ts"
import { Balances } from "./Balances.ts"
import type { Balance, Owner } from "./Balances.ts"
import type { BalanceOperations } from "./BalanceOperations.ts"
import { balanceStatements } from "./store/balances.ts"
import { grantedNow } from "./store/grantedNow.ts"
import { holdStatements } from "./store/holds.ts"
import { dayOf } from "./store/usageRows.ts"
import { usageWriter } from "./store/usageWriter.ts"

/**
 * The balances of the one process that serves a SQLite file, in memory (`Balances`): a hold is a comparison and an
 * addition, without disk access. A crash releases all holds of requests. Tasks' holds are rows; memory reserves the
 * money before the row is written, so that other requests can't spend it, and releases or charges it after the commit.
 */
export const makeLocalBalances = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  const changes = yield* Changes
  const clock = yield* Effect.clock
  const balances = new Balances()
  const rows = holdStatements(sql)
  const writeUsage = usageWriter(sql)
  const stored = balanceStatements(sql)

  const account = (id: AccountId): Effect.Effect<void, SqlError> =>
    Effect.map(stored.account(id), (row) => {
      if (row !== undefined) balances.learn(id, { ...row, granted: row.granted ?? undefined })
    })

  const load = Effect.fnUntraced(function* ({ account: id, key }: Owner, nowMs: number) {
    yield* account(id)
    // An account in no table has no balance: a test's caller, or one that was just deleted.
    balances.learn(id, { granted: undefined, settled: 0, held: 0 })
    balances.learnKey(key, yield* stored.key(key, dayOf(nowMs)), nowMs)
  })

  // Owners of holds are loaded at the start: when a hold ends, only memory has to follow.
  const nowMs = clock.unsafeCurrentTimeMillis()
  yield* Effect.flatMap(rows.owners, (owners) =>
    Effect.forEach(owners, (owner) => load(owner, nowMs), { discard: true })
  ).pipe(Effect.orDie)

  // Commands and the admin API change grants, perhaps in another process. All other changes happen in this process.
  yield* changes.listen(
    Effect.suspend(() => grantedNow(sql, balances.known(), (id, granted) => balances.grantedIs(id, granted)))
  )

  const operations: BalanceOperations = {
    knows: (owner) => balances.knows(owner),
    load,
    isMetered: (id) => balances.of(id)?.granted !== undefined,
    hold: (caller, hold, nowMs, held) => {
      const refused = balances.hold(caller, hold, nowMs)
      return refused === undefined ? Effect.succeed(held({ nanoUsd: hold.nanoUsd, node: "" })) : Effect.fail(refused)
    },
    settle: (owner, held, costNanoUsd, nowMs) => balances.settle(owner, held.nanoUsd, costNanoUsd, nowMs),
    unsettle: (owner, _held, costNanoUsd, nowMs) => balances.settle(owner, 0, -costNanoUsd, nowMs),
    release: (owner, held, nowMs) => balances.settle(owner, held.nanoUsd, 0, nowMs),
    holdForTask: (caller, hold, row, nowMs) => {
      const refused = balances.hold(caller, hold, nowMs)
      if (refused !== undefined) return Effect.fail(refused)
      const undo = Effect.sync(() => balances.settle(caller, hold.nanoUsd, 0, clock.unsafeCurrentTimeMillis()))
      return Effect.succeed({ stored: rows.insert(row), undo })
    },
    endTask: (hold, row, nowMs, committed) =>
      Effect.zipRight(
        row === undefined ? Effect.void : Effect.all(writeUsage([row]), { discard: true }),
        commits.afterCommit(() => {
          committed()
          const owner = { account: hold.account_id, key: hold.key_id }
          balances.settle(owner, hold.nano_usd, row?.costNanoUsd ?? 0, nowMs)
        })
      ),
    ...committing(commits, "append", writeUsage),
    balance: (id) =>
      Effect.suspend((): Effect.Effect<Balance | undefined, SqlError> => {
        const known = balances.of(id)
        return known === undefined ? Effect.map(account(id), () => balances.of(id)) : Effect.succeed({ ...known })
      }),
    beforeRefusing: () => {}
  }
  return operations
})
