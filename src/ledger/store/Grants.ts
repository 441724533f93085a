import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Schema } from "effect"
import type { AccountId } from "../../contract/callers/Caller.ts"
import { Conflict, NotFound } from "../../contract/failures/Failure.ts"
import { Changes } from "../../sql/Changes.ts"
import { rows } from "../../sql/decode.ts"
import { sumOf } from "../../sql/sumOf.ts"
import { showUsd } from "../../contract/text/showUsd.ts"

/**
 * The most that an account may be granted, at once and in total, or that may be taken from it, in nano-dollars: nine
 * million dollars, which a double represents exactly.
 */
const mostGranted = 9_000_000_000_000_000

/** Grants accounts money. Every process sees it within a second. */
export class Grants extends Effect.Service<Grants>()("gateway/ledger/store/Grants", {
  dependencies: [Changes.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const changes = yield* Changes

    const select = (account: AccountId) => sql`SELECT granted_nano_usd AS granted, settled_nano_usd + (
        SELECT ${sumOf(sql, "cost_nano_usd")} FROM usage_unsummed WHERE account_id = accounts.id) AS settled
      FROM accounts WHERE id = ${account}`
    const lock = (account: AccountId): Effect.Effect<unknown, SqlError> =>
      sql`SELECT 1 FROM accounts WHERE id = ${account} FOR NO KEY UPDATE`
    const alone = sql.onDialectOrElse({ pg: () => lock, orElse: (): typeof lock => () => Effect.void })

    /** Locks the returned row until the end of the transaction. */
    const grantedTo = (account: AccountId) =>
      Effect.zipRight(alone(account), Effect.map(select(account), accounts.first))

    const insert = (account: AccountId, nanoUsd: number, note: string, nowMs: number) =>
      sql`INSERT INTO grants ${sql.insert({ at: nowMs, account_id: account, nano_usd: nanoUsd, note })}`

    /**
     * Adds to an account's balance (negative: takes from it). The first grant makes the account metered: its usage so
     * far is granted too, so that its balance begins at the amount.
     */
    const credit = Effect.fn("Grants.credit")(
      function* (account: AccountId, nanoUsd: number, note: string) {
        const now = yield* Clock.currentTimeMillis
        const found = yield* grantedTo(account)
        if (found === undefined) return yield* new NotFound({ message: `No account "${account}"`, param: null })
        const granted = (found.granted ?? found.settled) + nanoUsd
        if (Math.max(Math.abs(granted), Math.abs(nanoUsd)) > mostGranted) {
          return yield* new Conflict({
            message: `amount: an account's total grants must be between -$${showUsd(mostGranted)} and $${showUsd(mostGranted)}`,
            code: null
          })
        }
        if (found.granted === null && found.settled > 0) {
          yield* insert(account, found.settled, "used before the balance began", now)
        }
        yield* insert(account, nanoUsd, note, now)
        yield* sql`UPDATE accounts SET granted_nano_usd = ${granted} WHERE id = ${account}`
        yield* changes.tell
      },
      (effect) => sql.withTransaction(effect),
      Effect.catchTag("SqlError", Effect.die)
    )

    /**
     * Removes the balance: the account has no spending limit. Grants are append-only, so a negative grant cancels them.
     */
    const end = Effect.fnUntraced(function* (account: AccountId): Effect.fn.Return<void, SqlError> {
      const granted = (yield* grantedTo(account))?.granted ?? null
      if (granted === null) return
      yield* insert(account, -granted, "unmetered from now on", yield* Clock.currentTimeMillis)
      yield* sql`UPDATE accounts SET granted_nano_usd = NULL WHERE id = ${account}`
    })

    /** An account's grants, newest first. */
    const list = (account: string, limit: number): Effect.Effect<ReadonlyArray<Grant>, SqlError> =>
      Effect.map(
        sql`SELECT at, nano_usd, note FROM grants WHERE account_id = ${account} ORDER BY id DESC LIMIT ${limit}`,
        grants.all
      )

    return { credit, end, list } as const
  })
}) {}

const accounts = rows("accounts", { granted: Schema.NullOr(Schema.Int), settled: Schema.Int })
const grants = rows("grants", { at: Schema.Int, nano_usd: Schema.Int, note: Schema.String })
type Grant = ReturnType<typeof grants.one>
