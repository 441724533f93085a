import { SqlClient } from "@effect/sql"
import { Clock, Effect } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import { Conflict, NotFound } from "../contract/Failure.ts"
import { Changes } from "../sql/Changes.ts"
import { showUsd } from "./Price.ts"

/** What an account may be granted in all, in nano-dollars: nine million dollars, which a double still holds exactly. */
const mostGranted = 9_000_000_000_000_000

/** Gives accounts money. Every process hears of it within a second. */
export class Grants extends Effect.Service<Grants>()("gateway/ledger/Grants", {
  dependencies: [Changes.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const changes = yield* Changes

    /**
     * Adds to an account's balance (negative: takes from it). The first time makes the account metered: what it has
     * used until then is granted with it, so that its balance begins at the amount.
     */
    const credit = Effect.fn("Grants.credit")(
      function* (account: AccountId, nanoUsd: number, note: string) {
        const now = yield* Clock.currentTimeMillis
        const [found] = yield* sql<{ granted: number | null; settled: number }>`
          SELECT granted_nano_usd AS granted, settled_nano_usd AS settled FROM accounts WHERE id = ${account}`
        if (found === undefined) return yield* new NotFound({ message: `No account "${account}"`, param: null })
        const granted = (found.granted ?? found.settled) + nanoUsd
        if (granted > mostGranted) {
          return yield* new Conflict({
            message: `amount: an account holds at most $${showUsd(mostGranted)} in all grants`,
            code: null
          })
        }
        if (found.granted === null && found.settled > 0) {
          yield* sql`INSERT INTO grants ${sql.insert({ at: now, account_id: account, nano_usd: found.settled, note: "used before the balance began" })}`
        }
        yield* sql`INSERT INTO grants ${sql.insert({ at: now, account_id: account, nano_usd: nanoUsd, note })}`
        yield* sql`UPDATE accounts SET granted_nano_usd = ${granted} WHERE id = ${account}`
        yield* changes.tell
      },
      (effect) => sql.withTransaction(effect),
      Effect.catchTag("SqlError", Effect.die)
    )

    return { credit } as const
  })
}) {}
