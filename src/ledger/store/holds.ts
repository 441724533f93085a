import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { AccountId, KeyId } from "../../contract/callers/Caller.ts"
import { rows } from "../../sql/decode.ts"
import { addHeld } from "../addHeld.ts"
import type { HeldAmount } from "../Balances.ts"
import { HeldBudgetsJson } from "../budgets/claims.ts"
import type { HeldBudget } from "../budgets/claims.ts"
import { prepare } from "../../sql/prepare.ts"

/** A hold as stored: its id is the task's, its price `Price.text`. */
export interface StoredHold {
  readonly id: string
  readonly atMs: number
  readonly requestId: string
  readonly account: AccountId
  readonly key: KeyId
  readonly model: string
  readonly upstream: string
  readonly price: string
  readonly nanoUsd: number
  /** True if no money is counted (`Hold`). */
  readonly isUncounted: boolean
}

/** Models that share a limit, and its name. */
interface SharedModels {
  readonly name: string
  readonly includes: (model: string) => boolean
}

/** The statements for holds as rows. Run each in the transaction that it is part of. */
export const holdStatements = (sql: SqlClient.SqlClient) => {
  const insertHold = prepare(
    sql,
    sql`INSERT INTO holds (id, at, request_id, account_id, key_id, model, upstream, price, nano_usd, budgets, is_uncounted)
      VALUES (${""}, ${0}, ${""}, ${""}, ${""}, ${""}, ${""}, ${""}, ${0}, ${""}, ${0})`
  )
  const confirmHold = prepare(sql, sql`UPDATE holds SET confirmed = 1 WHERE id = ${""} RETURNING id`)
  /** Leaves out the holds of tasks' parts (`partHold`). */
  const ofTask = sql.literal("id NOT LIKE '%:%'")
  const selectHold = prepare(sql, sql`SELECT * FROM holds WHERE id = ${""}`)
  const deleteHold = prepare(sql, sql`DELETE FROM holds WHERE id = ${""} RETURNING *`)

  /** @param budgets the amounts that budgets hold for the task */
  const insert = (
    hold: StoredHold,
    budgets: ReadonlyArray<HeldBudget> | undefined
  ): Effect.Effect<unknown, SqlError> => {
    const { account, atMs, id, isUncounted, key, model, nanoUsd, price, requestId, upstream } = hold
    const text = budgetsText(budgets)
    const uncounted = isUncounted ? 1 : 0
    return insertHold([id, atMs, requestId, account, key, model, upstream, price, nanoUsd, text, uncounted]).ahead
  }

  /** Ends a hold and returns it; undefined if it has ended already or never existed. */
  const remove = (id: string) => Effect.map(deleteHold([id]), holds.first)

  const lock = (whose: string): Effect.Effect<unknown, SqlError> =>
    sql`SELECT pg_advisory_xact_lock(776002, hashtext(${whose}))`
  const alone = sql.onDialectOrElse({ pg: () => lock, orElse: (): typeof lock => () => Effect.void })

  /** Confirms a hold when its task is stored; false if the hold was released before. */
  const confirm = (id: string) => Effect.map(confirmHold([id]), (found) => found.length > 0)

  /** Ends a hold without a task and returns it; undefined if it has one or has ended. */
  const removeUnconfirmed = (id: string) =>
    Effect.map(sql`DELETE FROM holds WHERE id = ${id} AND confirmed = 0 RETURNING *`, holds.first)

  /**
   * The number of an owner's tasks with a hold. On Postgres it locks until the end of the transaction, otherwise two
   * concurrent tasks would not see each other.
   */
  const count = (column: "key_id" | "account_id", value: string): Effect.Effect<number, SqlError> =>
    Effect.zipRight(
      alone(`${column} ${value}`),
      Effect.map(
        sql`SELECT COUNT(*) AS n FROM holds WHERE ${sql(column)} = ${value} AND confirmed = 1 AND ${ofTask}`,
        (found) => counted.first(found)?.n ?? 0
      )
    )

  /** The same for the tasks of all models that share a limit. */
  const countOfModels = ({ includes, name }: SharedModels): Effect.Effect<number, SqlError> =>
    Effect.zipRight(
      alone(`model ${name}`),
      Effect.map(
        sql`SELECT model, COUNT(*) AS n FROM holds WHERE confirmed = 1 AND ${ofTask} GROUP BY model`,
        (found) => ofModels.all(found).reduce((sum, { model, n }) => (includes(model) ? sum + n : sum), 0)
      )
    )

  const find = (id: string) => Effect.map(selectHold([id]), holds.first)

  /**
   * Adds an amount to a hold, which ends as one.
   *
   * @returns the amounts that end without a charge; undefined if the hold has ended
   */
  const raise = (
    id: string,
    more: HeldAmount
  ): Effect.Effect<{ readonly rest: HeldAmount | undefined } | undefined, SqlError> =>
    Effect.gen(function* () {
      const found = holds.first(yield* sql`SELECT * FROM holds WHERE id = ${id} ${forUpdate}`)
      if (found === undefined) return undefined
      const first = { nanoUsd: found.nano_usd, node: more.node, budgets: found.budgets ?? undefined }
      const { held = first, rest } = addHeld(first, more)
      yield* sql`UPDATE holds SET nano_usd = ${held.nanoUsd}, budgets = ${budgetsText(held.budgets)} WHERE id = ${id}`
      return { rest }
    })
  const forUpdate = sql.onDialectOrElse({ pg: () => sql`FOR UPDATE`, orElse: () => sql`` })

  /** The accounts that have holds. */
  const owners = Effect.map(sql`SELECT DISTINCT account_id AS account FROM holds`, (found) =>
    held.all(found).map(({ account }) => account)
  )

  /** The amounts that budgets hold for all tasks. */
  const budgets = Effect.map(sql`SELECT budgets FROM holds WHERE budgets IS NOT NULL`, (found) =>
    ofBudgets.all(found).flatMap((row) => row.budgets)
  )

  return { insert, find, raise, confirm, remove, removeUnconfirmed, count, countOfModels, owners, budgets } as const
}

const budgetsText = (budgets: ReadonlyArray<HeldBudget> | undefined): string | null =>
  budgets === undefined ? null : JSON.stringify(budgets)

const holds = rows("holds", {
  id: Schema.String,
  at: Schema.Int,
  request_id: Schema.String,
  account_id: AccountId,
  key_id: KeyId,
  model: Schema.String,
  upstream: Schema.String,
  price: Schema.String,
  nano_usd: Schema.Int,
  budgets: Schema.NullOr(HeldBudgetsJson),
  is_uncounted: Schema.NullOr(Schema.Boolean)
})
/** A hold as it is stored, or was when it ended. `is_uncounted` is null if a node of an older version stored it. */
export type EndedHold = ReturnType<typeof holds.one>
const counted = rows("holds", { n: Schema.Int })
const ofModels = rows("holds", { model: Schema.String, n: Schema.Int })
const held = rows("holds", { account: AccountId })
const ofBudgets = rows("holds", { budgets: HeldBudgetsJson })
