import * as Migrator from "@effect/sql/Migrator"
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { baseline } from "./baseline/baseline.ts"
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
import { rerankUnits } from "./migrations/0061_rerankUnits.ts"
import { rerankSums } from "./migrations/0062_rerankSums.ts"
import { usageKinds } from "./migrations/0063_usageKinds.ts"
import { service } from "./migrations/0064_service.ts"
import { images } from "./migrations/0065_images.ts"
import { sound } from "./migrations/0066_sound.ts"
import { storedFiles } from "./migrations/0067_storedFiles.ts"
import { storedConversations } from "./migrations/0068_storedConversations.ts"
import { chatCompletions } from "./migrations/0069_chatCompletions.ts"
import { batches } from "./migrations/0070_batches.ts"
import { toolRules } from "./migrations/0071_toolRules.ts"
import { tokenResources } from "./migrations/0072_tokenResources.ts"
import { toolCalls } from "./migrations/0073_toolCalls.ts"
import { toolRounds } from "./migrations/0074_toolRounds.ts"
import { toolGrants } from "./migrations/0075_toolGrants.ts"
import { guardrails } from "./migrations/0076_guardrails.ts"
import { keptRows } from "./migrations/0077_keptRows.ts"
import { oldSecrets } from "./migrations/0078_oldSecrets.ts"
import { requestDays } from "./migrations/0079_requestDays.ts"
import { tokenClients } from "./migrations/0080_tokenClients.ts"

/** The schema version of release 1.0.0: the oldest that this gateway upgrades. */
export const baselineVersion = 36

/**
 * The schema's history since 1.0.0, oldest first: SQL that both engines accept, with `sql.onDialectOrElse` for differences.
 * Imported, because a compiled binary can't read migrations from disk. A released entry never changes; a change is a new
 * entry at the end.
 */
const onBoth: ReadonlyArray<Step> = [
  [baselineVersion, "baseline", baseline],
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
  [60, "taskCalls", taskCalls],
  [61, "rerankUnits", rerankUnits],
  [62, "rerankSums", rerankSums],
  [63, "usageKinds", usageKinds],
  [64, "service", service],
  [65, "images", images],
  [66, "sound", sound],
  [67, "storedFiles", storedFiles],
  [68, "storedConversations", storedConversations],
  [69, "chatCompletions", chatCompletions],
  [70, "batches", batches],
  [71, "toolRules", toolRules],
  [72, "tokenResources", tokenResources],
  [73, "toolCalls", toolCalls],
  [74, "toolRounds", toolRounds],
  [75, "toolGrants", toolGrants],
  [76, "guardrails", guardrails],
  [77, "keptRows", keptRows],
  [78, "oldSecrets", oldSecrets],
  [79, "requestDays", requestDays],
  [80, "tokenClients", tokenClients]
]

/** The schema that this gateway works with. */
export const latestVersion: number = baselineVersion + onBoth.length - 1

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

/**
 * Why this gateway can't migrate a database of this version, for a sentence that begins with its name; undefined if it can.
 */
export const whyNotMigrated = (stored: number): string | undefined => {
  if (stored > latestVersion) {
    return `belongs to a newer gateway (schema ${stored}); this one knows schema ${latestVersion}`
  }
  return stored > 0 && stored < baselineVersion
    ? `is from before version 1.0.0 (schema ${stored}): upgrade by 1.0.0 first`
    : undefined
}

export const migrate = Migrator.make({})({
  table: "migrations",
  loader: Effect.succeed(onBoth.map(([id, name, up]) => [id, name, Effect.succeed(up)] as const))
})

type Step = readonly [id: number, name: string, up: Effect.Effect<void, SqlError, SqlClient.SqlClient>]
