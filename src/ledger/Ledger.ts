import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { AccountId, Caller } from "../contract/Caller.ts"
import type { InsufficientBalance, QuotaExceeded, RateLimited } from "../contract/Failure.ts"
import { Changes } from "../sql/Changes.ts"
import { Commits } from "../sql/Commits.ts"
import { Balances } from "./Balances.ts"
import type { Balance, Owner, Spending } from "./Balances.ts"
import { dayOf } from "./Book.ts"
import type { UsageRow } from "./Book.ts"
import { makeDurableHolds } from "./DurableHolds.ts"
import type { TaskHold } from "./DurableHolds.ts"
import { costOf, isFree } from "./Price.ts"
import type { Consumption, Price } from "./Price.ts"
import { makeUsageLog } from "./UsageLog.ts"

/** A request that is about to cost something. */
export interface Chargeable {
  readonly caller: Caller
  readonly requestId: string
  /** The model as the caller named it. */
  readonly model: string
  readonly upstream: string
  readonly price: Price
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
  /** Gives the hold back: nothing was delivered. */
  readonly release: () => void
}

/**
 * Who has how much money, and what took it. One process serves a SQLite file, so the balances live in its memory
 * (`Balances`): a hold is a comparison and an addition, and waits for no disk. It is gone with the process, which frees
 * it at a crash. What has been used is stored before the last byte of the answer leaves, rows of many requests in one
 * commit, and on the disk within 20 ms, many commits in one fsync. What costs nothing is written a moment later. (On an engine that many processes share, the same `Charge`
 * needs its hold in the database: `UPDATE accounts SET held = held + … WHERE granted - settled - held >= …`.)
 */
export class Ledger extends Effect.Service<Ledger>()("gateway/ledger/Ledger", {
  dependencies: [Changes.Default, Commits.Default],
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const changes = yield* Changes
    const clock = yield* Effect.clock
    const balances = new Balances()
    const holds = makeDurableHolds({ sql, commits: yield* Commits, balances, clock })
    // Whoever has a hold is known from the start: what ends it then only has to follow in memory.
    yield* Effect.orDie(readHolders(sql, balances, clock.unsafeCurrentTimeMillis()))

    yield* changes.listen(Effect.suspend(() => readGrants(sql, balances)))

    /**
     * Sets the most that the request can cost aside. `most` is only asked for where it matters: an account without a
     * balance and a key without a budget may spend without end.
     */
    const open = (
      request: Chargeable,
      most: () => number
    ): Effect.Effect<Charge, InsufficientBalance | QuotaExceeded> =>
      balances.knows(request.caller) ? place(request, most) : load(request, most)

    const load = (request: Chargeable, most: () => number) =>
      Effect.flatMap(loaded(request.caller), () => place(request, most))

    const loaded = (caller: Caller) => Effect.orDie(readCaller(sql, balances, caller, clock.unsafeCurrentTimeMillis()))

    const heldFor = ({ caller, price }: Chargeable, most: () => number): number => {
      const bounded = caller.budget !== undefined || balances.of(caller.account)?.granted !== undefined
      return bounded && !isFree(price) ? most() : 0
    }

    const place = (request: Chargeable, most: () => number) => {
      const held = heldFor(request, most)
      const refused = balances.hold(request.caller, held, clock.unsafeCurrentTimeMillis())
      return refused === undefined ? Effect.succeed(new OpenCharge(request, held)) : Effect.fail(refused)
    }

    /** As `open` for a task, whose hold is stored with it by what `store` does with the row. */
    const holding = <A, E>(
      hold: TaskHold,
      most: () => number,
      store: (row: Effect.Effect<void, RateLimited | SqlError>) => Effect.Effect<A, E>
    ): Effect.Effect<A, E | InsufficientBalance | QuotaExceeded> =>
      Effect.suspend(() => {
        const placed = Effect.suspend(() => holds.storing(hold, heldFor(hold, most), store))
        return balances.knows(hold.caller) ? placed : Effect.zipRight(loaded(hold.caller), placed)
      })

    /** Of all that is open and may cost something. */
    let costly = 0
    const log = yield* makeUsageLog(() => costly > 0)

    /** One object for each request. */
    class OpenCharge implements Charge {
      readonly #request: Chargeable
      readonly #held: number
      #isOpen = true

      constructor(request: Chargeable, held: number) {
        this.#request = request
        this.#held = held
        if (!isFree(request.price)) costly++
      }

      settle(used: Consumption, outcome: UsageRow["outcome"], estimated: boolean): Promise<void> | undefined {
        if (!this.#close()) return undefined
        const { caller, model, price, requestId, upstream } = this.#request
        const nowMs = clock.unsafeCurrentTimeMillis()
        const cost = costOf(price, used)
        const row: UsageRow = {
          atMs: nowMs,
          requestId,
          account: caller.account,
          key: caller.key,
          model,
          upstream,
          outcome,
          estimated,
          used,
          price: price.text,
          costNanoUsd: cost
        }
        balances.settle(caller, this.#held, cost, nowMs)
        if (cost > 0 && outcome === "finished") {
          return log.appendAwaited(row, () => balances.settle(caller, 0, -cost, nowMs))
        }
        log.append(row)
        return undefined
      }

      release(): void {
        if (this.#close()) balances.settle(this.#request.caller, this.#held, 0, clock.unsafeCurrentTimeMillis())
      }

      /** False where it has ended before. */
      #close(): boolean {
        if (!this.#isOpen) return false
        this.#isOpen = false
        if (!isFree(this.#request.price)) costly--
        return true
      }
    }

    /** Reads the account's money as this process sees it: the holds of requests that are being answered included. */
    const balance = (account: AccountId): Effect.Effect<Balance> =>
      Effect.suspend(() => {
        const known = balances.of(account)
        return known === undefined
          ? Effect.map(readAccount(sql, balances, account), () => balances.of(account) ?? unmetered)
          : Effect.succeed({ ...known })
      }).pipe(Effect.orDie)

    const { chargeOf, end, generatedBy } = holds
    return { open, holding, endHold: end, chargeOf, generatedBy, balance, flush: log.flush } as const
  })
}) {}

const unmetered: Balance = { granted: undefined, settled: 0, held: 0 }

const readAccount = (sql: SqlClient.SqlClient, balances: Balances, account: AccountId): Effect.Effect<void, SqlError> =>
  sql<{ granted: number | null; settled: number; held: number }>`
    SELECT granted_nano_usd AS granted, settled_nano_usd AS settled,
      (SELECT COALESCE(SUM(nano_usd), 0) FROM holds WHERE account_id = accounts.id) AS held
    FROM accounts WHERE id = ${account}`.pipe(
    Effect.map((rows) => {
      const row = rows[0]
      if (row !== undefined) balances.learn(account, { ...row, granted: row.granted ?? undefined })
    })
  )

const readCaller = (sql: SqlClient.SqlClient, balances: Balances, caller: Owner, nowMs: number) =>
  Effect.gen(function* () {
    yield* readAccount(sql, balances, caller.account)
    // An account that is in no table has no balance either: a caller made by a test, or deleted just now.
    balances.learn(caller.account, unmetered)
    const today = dayOf(nowMs)
    const [row] = yield* sql<Spending>`
      SELECT COALESCE(SUM(CASE WHEN day = ${today} THEN nano_usd END), 0) AS day,
        COALESCE(SUM(nano_usd), 0) AS month,
        (SELECT COALESCE(SUM(nano_usd), 0) FROM holds WHERE key_id = ${caller.key}) AS held
      FROM key_spending WHERE key_id = ${caller.key} AND day >= ${today.slice(0, 8) + "01"}`
    balances.learnKey(caller.key, row ?? { day: 0, month: 0, held: 0 }, nowMs)
  })

const readHolders = (sql: SqlClient.SqlClient, balances: Balances, nowMs: number) =>
  Effect.flatMap(sql<Owner>`SELECT DISTINCT account_id AS account, key_id AS key FROM holds`, (owners) =>
    Effect.forEach(owners, (owner) => readCaller(sql, balances, owner, nowMs), { discard: true })
  )

/** Grants are given by commands and the admin API, perhaps in another process; everything else only happens here. */
const readGrants = (sql: SqlClient.SqlClient, balances: Balances): Effect.Effect<void, SqlError> =>
  Effect.forEach(
    chunks(balances.known(), 1_000),
    (accounts) =>
      sql<{ id: AccountId; granted: number | null }>`
        SELECT id, granted_nano_usd AS granted FROM accounts WHERE ${sql.in("id", accounts)}`.pipe(
        Effect.map((rows) => {
          for (const row of rows) balances.grantedIs(row.id, row.granted ?? undefined)
        })
      ),
    { discard: true }
  )

const chunks = <A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))
