import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { Clock } from "effect"
import type { AccountId, KeyId, Limits } from "../contract/Caller.ts"
import { RateLimited } from "../contract/Failure.ts"
import type { InsufficientBalance, QuotaExceeded } from "../contract/Failure.ts"
import type { Commits } from "../sql/Commits.ts"
import { prepared } from "../sql/prepared.ts"
import type { Balances } from "./Balances.ts"
import { usageWriter } from "./Book.ts"
import type { Charge, Chargeable } from "./Ledger.ts"
import { costOf, priceFromText } from "./Price.ts"
import type { Consumption } from "./Price.ts"

/** Money for work that outlives the request and the process that accepted it. */
export interface TaskHold extends Chargeable {
  /** The task's id. */
  readonly id: string
  /** Limits of the model, beside those of the key and its account. */
  readonly modelLimits?: Limits | undefined
}

/** What a task that went well used up. */
export interface Used {
  readonly used: Consumption
  /** It was counted here: the upstream told none. */
  readonly estimated: boolean
  /** Who answered, where that was not known when the hold was placed. */
  readonly upstream?: string | undefined
}

/** A row to be stored in the transaction that stores the task. */
type Row = Effect.Effect<void, RateLimited | SqlError>

interface Needs {
  readonly sql: SqlClient.SqlClient
  readonly commits: Commits
  readonly balances: Balances
  readonly clock: Clock.Clock
}

/**
 * Holds that are rows: placed in the transaction that stores a task, ended in the one that ends it, so that no crash
 * comes between them. Memory follows: it takes the money before the row is written, so that nobody else can, and gives it
 * back or spends it once the commit is there.
 */
export const makeDurableHolds = ({ balances, clock, commits, sql }: Needs) => {
  /** What async generations have used, until their tasks have ended. */
  const generated = new Map<string, Used>()

  /**
   * Sets aside the most that a task can cost, and stores it with the row of its hold. Fails where the money or the
   * tasks at a time do not suffice: then nothing is stored. The caller's balance must be known (`Ledger.holding`).
   */
  const storing = <A, E>(
    hold: TaskHold,
    nanoUsd: number,
    store: (row: Row) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | InsufficientBalance | QuotaExceeded> =>
    Effect.suspend((): Effect.Effect<A, E | InsufficientBalance | QuotaExceeded> => {
      const { caller } = hold
      const refused = balances.hold(caller, nanoUsd, clock.unsafeCurrentTimeMillis())
      if (refused !== undefined) return Effect.fail(refused)
      return Effect.tapErrorCause(store(row(hold, nanoUsd)), () =>
        Effect.sync(() => balances.settle(caller, nanoUsd, 0, clock.unsafeCurrentTimeMillis()))
      )
      // The row may be written although nobody waits for it any more.
    }).pipe(Effect.uninterruptible)

  const insertHold = prepared(
    sql,
    sql`INSERT INTO holds (id, at, request_id, account_id, key_id, model, upstream, price, nano_usd)
      VALUES (${""}, ${0}, ${""}, ${""}, ${""}, ${""}, ${""}, ${""}, ${0})`
  )
  const writeUsage = usageWriter(sql)
  const deleteHold = prepared<HoldRow>(sql, sql`DELETE FROM holds WHERE id = ${""} RETURNING *`)

  const row = (hold: TaskHold, nanoUsd: number): Row => {
    const { caller, id, model, price, requestId, upstream } = hold
    const atMs = clock.unsafeCurrentTimeMillis()
    const insert = insertHold([id, atMs, requestId, caller.account, caller.key, model, upstream, price.text, nanoUsd])
    const bounds = boundsOf(hold).filter(({ most }) => most !== undefined)
    return bounds.length === 0
      ? Effect.asVoid(insert)
      : Effect.zipRight(
          Effect.forEach(bounds, (bound) => withinBound(sql, bound), { discard: true }),
          Effect.asVoid(insert)
        )
  }

  /**
   * Ends a task's hold, in the transaction that ends the task (a write of `Commits`): pays for what was used, at the
   * price of its creation, and gives the rest back. A hold that has ended already, or never was, changes nothing.
   *
   * @param used undefined: nothing was delivered
   */
  const end = (id: string, used: Used | undefined): Effect.Effect<void, SqlError> =>
    Effect.gen(function* () {
      const [held] = yield* deleteHold([id])
      if (held === undefined) return
      const owner = { account: held.account_id, key: held.key_id }
      const nowMs = clock.unsafeCurrentTimeMillis()
      const cost = used === undefined ? 0 : costOf(priceFromText(held.price), used.used)
      if (used !== undefined) {
        yield* writeUsage([
          {
            ...owner,
            atMs: nowMs,
            requestId: held.request_id,
            model: held.model,
            upstream: used.upstream ?? held.upstream,
            outcome: "finished",
            estimated: used.estimated,
            used: used.used,
            price: held.price,
            costNanoUsd: cost
          }
        ])
      }
      yield* commits.afterCommit(() => {
        generated.delete(id)
        balances.settle(owner, held.nano_usd, cost, nowMs)
      })
    })

  /** Pays for a generation out of a task's hold: what it settles is remembered until the task ends. */
  const chargeOf =
    (id: string) =>
    (request: Chargeable): Charge => {
      generated.delete(id)
      return {
        settle: (used, outcome, estimated) => {
          if (outcome === "finished") generated.set(id, { used, estimated, upstream: request.upstream })
          return undefined
        },
        release: () => {}
      }
    }

  /** What a task's generation settled; undefined where it did not come that far. */
  const generatedBy = (id: string): Used | undefined => generated.get(id)

  return { storing, end, chargeOf, generatedBy } as const
}

interface HoldRow {
  readonly request_id: string
  readonly account_id: AccountId
  readonly key_id: KeyId
  readonly model: string
  readonly upstream: string
  readonly price: string
  readonly nano_usd: number
}

/** Somebody's limit of tasks that have not ended. */
interface Bound {
  readonly who: string
  readonly column: "key_id" | "account_id" | "model"
  readonly value: string
  readonly most: number | undefined
}

const boundsOf = ({ caller, model, modelLimits }: TaskHold): ReadonlyArray<Bound> => [
  { who: "this API key", column: "key_id", value: caller.key, most: caller.keyLimits.concurrentTasks },
  { who: "this account", column: "account_id", value: caller.account, most: caller.accountLimits.concurrentTasks },
  { who: `the model "${model}"`, column: "model", value: model, most: modelLimits?.concurrentTasks }
]

const withinBound = (sql: SqlClient.SqlClient, { column, most, value, who }: Bound): Row =>
  most === undefined
    ? Effect.void
    : Effect.flatMap(sql<{ n: number }>`SELECT COUNT(*) AS n FROM holds WHERE ${sql(column)} = ${value}`, ([found]) =>
        (found?.n ?? 0) < most
          ? Effect.void
          : new RateLimited({
              message: `Too many tasks at once: ${who} may have ${most} that have not ended`,
              // Whenever one of them ends; nobody knows.
              retryAfterSeconds: null
            })
      )
