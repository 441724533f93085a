import * as Migrator from "@effect/sql/Migrator"
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { keys } from "./migrations/0001_keys.ts"
import { responses } from "./migrations/0002_responses.ts"
import { tasks } from "./migrations/0003_tasks.ts"
import { callbacks } from "./migrations/0004_callbacks.ts"
import { ledger } from "./migrations/0005_ledger.ts"
import { responseItems } from "./migrations/0006_responseItems.ts"
import { declaredKeys } from "./migrations/0007_declaredKeys.ts"
import { administration } from "./migrations/0008_administration.ts"
import { idempotency } from "./migrations/0009_idempotency.ts"
import { holds } from "./migrations/0010_holds.ts"

/**
 * The schema's history, oldest first. Imported, not read from disk: a compiled binary has no disk to read them from.
 * An entry that has been released never changes; a change is a new entry at the end.
 */
const history = [
  [1, "keys", keys],
  [2, "responses", responses],
  [3, "tasks", tasks],
  [4, "callbacks", callbacks],
  [5, "ledger", ledger],
  [6, "responseItems", responseItems],
  [7, "declaredKeys", declaredKeys],
  [8, "administration", administration],
  [9, "idempotency", idempotency],
  [10, "holds", holds]
] as const

/** The schema that this gateway works with. */
export const latestVersion: number = history.length

/** The schema that the database has; 0 for an empty one. */
export const storedVersion = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'`
  if (table === undefined) return 0
  const [row] = yield* sql<{ version: number }>`SELECT COALESCE(MAX(migration_id), 0) AS version FROM migrations`
  return row?.version ?? 0
})

export const migrate = Migrator.make({})({
  table: "migrations",
  loader: Effect.succeed(history.map(([id, name, up]) => [id, name, Effect.succeed(up)] as const))
})
