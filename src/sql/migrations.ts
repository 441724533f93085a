import * as Migrator from "@effect/sql/Migrator"
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
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
import { soundMoney } from "./migrations/0011_soundMoney.ts"
import { unpriced } from "./migrations/0012_unpriced.ts"
import { holdOutput } from "./migrations/0013_holdOutput.ts"
import { threads } from "./migrations/0014_threads.ts"
import { threadHolders } from "./migrations/0015_threadHolders.ts"
import { responseEvents } from "./migrations/0016_responseEvents.ts"
import { reasoningSeals } from "./migrations/0017_reasoningSeals.ts"
import { upstreamIds } from "./migrations/0018_upstreamIds.ts"
import { nodes } from "./migrations/0019_nodes.ts"
import { sharedMoney } from "./migrations/0020_sharedMoney.ts"
import { custody } from "./migrations/0021_custody.ts"
import { idempotencyClaims } from "./migrations/0022_idempotencyClaims.ts"
import { requests } from "./migrations/0023_requests.ts"
import { configurations } from "./migrations/0024_configurations.ts"
import { sandboxOrders } from "./migrations/0025_sandboxOrders.ts"
import { operations } from "./migrations/0026_operations.ts"
import { traces } from "./migrations/0027_traces.ts"
import { sessions } from "./migrations/0028_sessions.ts"
import { requestBodies } from "./migrations/0029_requestBodies.ts"
import { deletedAccounts } from "./migrations/0030_deletedAccounts.ts"
import { requestOutcomes } from "./migrations/0031_requestOutcomes.ts"
import { taskCosts } from "./migrations/0032_taskCosts.ts"
import { hourCaches } from "./migrations/0033_hourCaches.ts"
import { settledMoney } from "./migrations/0034_settledMoney.ts"
import { ownRows } from "./migrations/0035_ownRows.ts"
import { responseInputs } from "./migrations/0036_responseInputs.ts"
import { removedSubmits } from "./migrations/0037_removedSubmits.ts"
import { taskReferences } from "./migrations/0038_taskReferences.ts"
import { modelRules } from "./migrations/0039_modelRules.ts"
import { priceList } from "./migrations/0040_priceList.ts"
import { upstreamKeys } from "./migrations/0041_upstreamKeys.ts"
import { budgets } from "./migrations/0042_budgets.ts"
import { alerts } from "./migrations/0043_alerts.ts"
import { accountWebhooks } from "./migrations/0044_accountWebhooks.ts"
import { keyHints } from "./migrations/0045_keyHints.ts"
import { accountModels } from "./migrations/0046_accountModels.ts"
import { conversations } from "./migrations/0047_conversations.ts"
import { overviewSums } from "./migrations/0048_overviewSums.ts"
import { taskRequests } from "./migrations/0049_taskRequests.ts"
import { failedDeliveries } from "./migrations/0050_failedDeliveries.ts"
import { people } from "./migrations/0051_people.ts"
import { signIns } from "./migrations/0052_signIns.ts"
import { agentSignIns } from "./migrations/0053_agentSignIns.ts"
import { makers } from "./migrations/0054_makers.ts"
import { aboveHold } from "./migrations/0055_aboveHold.ts"
import { reportIndexes } from "./migrations/0056_reportIndexes.ts"
import { outpacedCalls } from "./migrations/0057_outpacedCalls.ts"
import { fingerprints } from "./migrations/0058_fingerprints.ts"
import { olderNodes } from "./migrations/0059_olderNodes.ts"
import { taskCalls } from "./migrations/0060_taskCalls.ts"
import { baseline } from "./postgres/baseline.ts"

/**
 * The schema's history, oldest first. Imported, because a compiled binary can't read migrations from disk. A released
 * entry never changes; a change is a new entry at the end.
 */
const onSqlite = [
  [1, "keys", keys],
  [2, "responses", responses],
  [3, "tasks", tasks],
  [4, "callbacks", callbacks],
  [5, "ledger", ledger],
  [6, "responseItems", responseItems],
  [7, "declaredKeys", declaredKeys],
  [8, "administration", administration],
  [9, "idempotency", idempotency],
  [10, "holds", holds],
  [11, "soundMoney", soundMoney],
  [12, "unpriced", unpriced],
  [13, "holdOutput", holdOutput],
  [14, "threads", threads],
  [15, "threadHolders", threadHolders]
] as const

/** Postgres begins with the schema that SQLite had when Postgres was added. */
const onPostgres = [[15, "baseline", baseline]] as const

/** The migrations of both engines since: SQL that both accept, with `sql.onDialectOrElse` for differences. */
const onBoth: ReadonlyArray<Step> = [
  [16, "responseEvents", responseEvents],
  [17, "reasoningSeals", reasoningSeals],
  [18, "upstreamIds", upstreamIds],
  [19, "nodes", nodes],
  [20, "sharedMoney", sharedMoney],
  [21, "custody", custody],
  [22, "idempotencyClaims", idempotencyClaims],
  [23, "requests", requests],
  [24, "configurations", configurations],
  [25, "sandboxOrders", sandboxOrders],
  [26, "operations", operations],
  [27, "traces", traces],
  [28, "sessions", sessions],
  [29, "requestBodies", requestBodies],
  [30, "deletedAccounts", deletedAccounts],
  [31, "requestOutcomes", requestOutcomes],
  [32, "taskCosts", taskCosts],
  [33, "hourCaches", hourCaches],
  [34, "settledMoney", settledMoney],
  [35, "ownRows", ownRows],
  [36, "responseInputs", responseInputs],
  [37, "removedSubmits", removedSubmits],
  [38, "taskReferences", taskReferences],
  [39, "modelRules", modelRules],
  [40, "priceList", priceList],
  [41, "upstreamKeys", upstreamKeys],
  [42, "budgets", budgets],
  [43, "alerts", alerts],
  [44, "accountWebhooks", accountWebhooks],
  [45, "keyHints", keyHints],
  [46, "accountModels", accountModels],
  [47, "conversations", conversations],
  [48, "overviewSums", overviewSums],
  [49, "taskRequests", taskRequests],
  [50, "failedDeliveries", failedDeliveries],
  [51, "people", people],
  [52, "signIns", signIns],
  [53, "agentSignIns", agentSignIns],
  [54, "makers", makers],
  [55, "aboveHold", aboveHold],
  [56, "reportIndexes", reportIndexes],
  [57, "outpacedCalls", outpacedCalls],
  [58, "fingerprints", fingerprints],
  [59, "olderNodes", olderNodes],
  [60, "taskCalls", taskCalls]
]

/** The schema that this gateway works with. */
export const latestVersion: number = onSqlite.length + onBoth.length

/** A database's location, its schema version (0: none yet), and this gateway's version. */
export interface Schemas {
  readonly place: string
  readonly stored: number
  readonly known: number
}

/** The schema version of the database; 0 if it is empty. */
export const storedVersion = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql.onDialectOrElse({
    pg: () => sql`SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'migrations'`,
    orElse: () => sql`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'`
  })
  if (table === undefined) return 0
  const [row] = yield* sql<{ version: number }>`SELECT COALESCE(MAX(migration_id), 0) AS version FROM migrations`
  return row?.version ?? 0
})

export const migrate = Effect.flatMap(SqlClient.SqlClient, (sql) => {
  const begun: ReadonlyArray<Step> = sql.onDialectOrElse({ pg: () => [...onPostgres], orElse: () => [...onSqlite] })
  return Migrator.make({})({
    table: "migrations",
    loader: Effect.succeed([...begun, ...onBoth].map(([id, name, up]) => [id, name, Effect.succeed(up)] as const))
  })
})

type Step = readonly [id: number, name: string, up: Effect.Effect<void, SqlError, SqlClient.SqlClient>]
