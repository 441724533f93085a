import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import { Daemons } from "../flow/Daemons.ts"
import { daemon } from "../flow/daemon.ts"
import { backoff } from "../flow/schedules.ts"
import { Node } from "../cluster/Node.ts"
import { Changes } from "../sql/Changes.ts"
import { Commits } from "../sql/Commits.ts"
import type { BalanceOperations } from "./BalanceOperations.ts"
import { budgetCounters } from "./store/budgetCounters.ts"
import { makeLocalBalances } from "./localBalances.ts"
import { makeSharedBalances } from "./shared/sharedBalances.ts"

/** The balances: of one process with SQLite, of all processes that share the database with Postgres. */
export class BalanceStore extends Context.Tag("gateway/ledger/BalanceStore")<BalanceStore, BalanceOperations>() {
  static readonly DefaultWithoutDependencies = Layer.scoped(
    BalanceStore,
    Effect.flatMap(SqlClient.SqlClient, (sql) => {
      const make: Effect.Effect<BalanceOperations, never, BooksNeeds> = sql.onDialectOrElse({
        pg: () => makeSharedBalances,
        orElse: () => makeLocalBalances
      })
      return Effect.zipLeft(make, daemon("budgets", expiry(sql), backoff))
    })
  )
  static readonly Default = BalanceStore.DefaultWithoutDependencies.pipe(
    Layer.provide([Changes.Default, Commits.Default, Node.Default, Daemons.Default])
  )
}

const expiry = (sql: SqlClient.SqlClient) =>
  Effect.as(
    Effect.flatMap(Changes, (changes) => budgetCounters(sql).clean(changes.nowMs())),
    Effect.sleep("10 minutes")
  )

type BooksNeeds = Effect.Effect.Context<typeof makeLocalBalances> | Effect.Effect.Context<typeof makeSharedBalances>
