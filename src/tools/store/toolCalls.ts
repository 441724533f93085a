import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { ToolOutcome } from "../../contract/records/ToolOutcome.ts"
import { rows } from "../../sql/decode.ts"
import { prepare } from "../../sql/prepare.ts"
import type { Prepared } from "../../sql/prepare.ts"

/** A call that is about to leave. */
export interface LeavingCall {
  /** Unique. */
  readonly id: string
  readonly atMs: number
  readonly requestId: string
  readonly account: string
  readonly key: string
  readonly person?: string | undefined
  /** The name of a registered server; `own` for a caller's own. */
  readonly server: string
  readonly tool: string
  /** The approval that it uses up; unique in its account. */
  readonly approval?: string | undefined
}

/** The end of a call. */
export interface CallEnd {
  readonly outcome: ToolOutcome
  readonly durationMs: number
  readonly sentBytes: number
  readonly receivedBytes: number
  readonly costNanoUsd: number
}

const columns = [
  "id",
  "at",
  "request_id",
  "account_id",
  "key_id",
  "person_id",
  "server",
  "tool",
  "approval_id",
  "outcome",
  "duration_ms",
  "sent_bytes",
  "received_bytes",
  "cost_nano_usd"
] as const

const notEnded: CallEnd = { outcome: "unknown", durationMs: 0, sentBytes: 0, receivedBytes: 0, costNanoUsd: 0 }

const endValues = ({ costNanoUsd, durationMs, outcome, receivedBytes, sentBytes }: CallEnd) => [
  outcome,
  Math.round(durationMs),
  sentBytes,
  receivedBytes,
  costNanoUsd
]

const valuesOf = (call: LeavingCall, end: CallEnd) => [
  call.id,
  call.atMs,
  call.requestId,
  call.account,
  call.key,
  call.person ?? null,
  call.server,
  storable(call.tool),
  call.approval ?? null,
  ...endValues(end)
]

/** A server's text without lone surrogates and NULs, which Postgres can't hold, and cut. */
const storable = (text: string): string => text.slice(0, 128).toWellFormed().replaceAll("\0", "�")

/** The statements that write calls. */
export const toolCallWriter = (sql: SqlClient.SqlClient) => {
  const names = sql.literal(columns.join(", "))
  const any = valuesOf({ id: "", atMs: 0, requestId: "", account: "", key: "", server: "", tool: "" }, notEnded)
  const insert = prepare(
    sql,
    // A later run of its request may repeat a call.
    sql`INSERT INTO tool_calls (${names}) VALUES ${sql.in(any)} ON CONFLICT (id) DO UPDATE SET outcome = excluded.outcome`
  )
  const claim = prepare(
    sql,
    sql`INSERT INTO tool_calls (${names}) VALUES ${sql.in(any)}
      ON CONFLICT DO NOTHING RETURNING id`
  )
  const update = prepare(
    sql,
    sql`UPDATE tool_calls SET outcome = ${""}, duration_ms = ${0}, sent_bytes = ${0}, received_bytes = ${0},
      cost_nano_usd = ${0}, result = ${null} WHERE id = ${""}`
  )
  return {
    /** A call without an end yet. */
    begun: (call: LeavingCall): Prepared => insert(valuesOf(call, notEnded)),
    /** The same for a call that uses up an approval. Returns no row if another call has. */
    claimed: (call: LeavingCall): Prepared => claim(valuesOf(call, notEnded)),
    /** A call that never leaves. */
    whole: (call: LeavingCall, end: CallEnd): Prepared => insert(valuesOf(call, end)),
    /** @param result sealed */
    ended: (id: string, end: CallEnd, result: string | null): Prepared => update([...endValues(end), result, id])
  } as const
}

const shown = {
  id: Schema.String,
  at: Schema.Int,
  request_id: Schema.String,
  server: Schema.String,
  tool: Schema.String,
  duration_ms: Schema.Int,
  sent_bytes: Schema.Int,
  received_bytes: Schema.Int,
  outcome: ToolOutcome,
  cost_nano_usd: Schema.Int,
  approval_id: Schema.NullOr(Schema.String)
}
const stored = rows("tool_calls", shown)
/** A stored call. */
export type StoredToolCall = ReturnType<typeof stored.one>

const claims = rows("tool_calls", {
  id: Schema.String,
  at: Schema.Int,
  outcome: ToolOutcome,
  result: Schema.NullOr(Schema.String)
})
const ids = rows("tool_calls", { id: Schema.String })

/** The calls of a request that are shown. */
const mostShown = 100

/** Reads calls, and deletes old ones. */
export const toolCalls = (sql: SqlClient.SqlClient) => {
  const names = sql.literal(Object.keys(shown).join(", "))
  return {
    /** Oldest first. */
    ofRequest: (requestId: string): Effect.Effect<ReadonlyArray<StoredToolCall>, SqlError> =>
      Effect.map(
        sql`SELECT ${names} FROM tool_calls WHERE request_id = ${requestId} ORDER BY at, id LIMIT ${mostShown}`,
        stored.all
      ),
    /** The call that used up an approval. */
    withApproval: (account: string, approval: string) =>
      Effect.map(
        sql`SELECT id, at, outcome, result FROM tool_calls WHERE account_id = ${account} AND approval_id = ${approval}`,
        claims.first
      ),
    /** Deletes the calls of requests. */
    remove: (requestIds: ReadonlyArray<string>) =>
      sql`DELETE FROM tool_calls WHERE ${sql.in("request_id", requestIds)}`,
    /** Deletes up to `batch` of the rows before a time. */
    old: (beforeMs: number, batch: number) =>
      sql`DELETE FROM tool_calls WHERE id IN (SELECT id FROM tool_calls WHERE at < ${beforeMs}
        ORDER BY at LIMIT ${batch}) RETURNING id`,
    /** Erases up to `batch` results from before a time. */
    forget: (beforeMs: number, batch: number) =>
      sql`UPDATE tool_calls SET result = NULL WHERE id IN (SELECT id FROM tool_calls
        WHERE result IS NOT NULL AND at < ${beforeMs} ORDER BY at LIMIT ${batch}) RETURNING id`,
    ids
  } as const
}
