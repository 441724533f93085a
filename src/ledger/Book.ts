import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { AccountId, KeyId } from "../contract/Caller.ts"
import type { Consumption } from "./Price.ts"

/** One settled request: what it used, and what that cost at which price. */
export interface UsageRow {
  readonly atMs: number
  readonly requestId: string
  readonly account: AccountId
  readonly key: KeyId
  readonly model: string
  readonly upstream: string
  readonly outcome: "finished" | "hang-up"
  /** The upstream told no usage: it was counted here. */
  readonly estimated: boolean
  readonly used: Consumption
  /** `Price.text`. */
  readonly price: string
  readonly costNanoUsd: number
}

/** SQLite takes 32,766 parameters in a statement. */
const rowsAtOnce = 1_000

/**
 * Writes usage rows and what follows from them: the accounts' settled sums and the keys' spending. Any number of rows
 * in three statements; to be run in one transaction.
 */
export const writeUsage = (sql: SqlClient.SqlClient, rows: ReadonlyArray<UsageRow>): Effect.Effect<void, SqlError> => {
  const statements: Array<Effect.Effect<unknown, SqlError>> = []
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    statements.push(sql`INSERT INTO usage ${sql.insert(rows.slice(at, at + rowsAtOnce).map(columns))}`)
  }
  for (const [account, nanoUsd] of sums(rows, (row) => row.account)) {
    statements.push(sql`UPDATE accounts SET settled_nano_usd = settled_nano_usd + ${nanoUsd} WHERE id = ${account}`)
  }
  const spending = [...sums(rows, (row) => `${dayOf(row.atMs)} ${row.key}`)].map(([dayAndKey, nanoUsd]) => ({
    key_id: dayAndKey.slice(11),
    day: dayAndKey.slice(0, 10),
    nano_usd: nanoUsd
  }))
  if (spending.length > 0) {
    statements.push(
      sql`INSERT INTO key_spending ${sql.insert(spending)}
        ON CONFLICT (key_id, day) DO UPDATE SET nano_usd = key_spending.nano_usd + excluded.nano_usd`
    )
  }
  return Effect.all(statements, { discard: true })
}

/** The UTC day of a time, `2026-01-31`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const columns = (row: UsageRow) => ({
  at: row.atMs,
  request_id: row.requestId,
  account_id: row.account,
  key_id: row.key,
  model: row.model,
  upstream: row.upstream,
  outcome: row.outcome,
  estimated: row.estimated ? 1 : 0,
  input_tokens: row.used.inputTokens,
  cache_read_tokens: row.used.cacheReadTokens,
  cache_write_tokens: row.used.cacheWriteTokens,
  output_tokens: row.used.outputTokens,
  reasoning_tokens: row.used.reasoningTokens,
  searches: row.used.searches,
  video_frames: row.used.videoFrames ?? 0,
  price: row.price,
  cost_nano_usd: row.costNanoUsd
})

/** Costs by a row's group; groups that cost nothing are left out. */
const sums = <K>(rows: ReadonlyArray<UsageRow>, group: (row: UsageRow) => K): Map<K, number> => {
  const all = new Map<K, number>()
  for (const row of rows) {
    if (row.costNanoUsd !== 0) all.set(group(row), (all.get(group(row)) ?? 0) + row.costNanoUsd)
  }
  return all
}
