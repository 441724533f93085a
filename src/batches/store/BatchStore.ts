import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Schema } from "effect"
import type { Caller, Holder } from "../../contract/callers/Caller.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"
import { ofKeys } from "../../sql/ofKeys.ts"
import { makeWake } from "../../tasks/Wake.ts"
import { batchRows } from "./BatchRow.ts"
import type { BatchRow, Stop } from "./BatchRow.ts"

/** A batch whose lines are still stored is removed after this time. */
const fillingMs = 3_600_000
/** The most batches of a node's attention at a time. */
const mostRunning = 100
/** Lines removed in one statement. */
const removedAtOnce = 1_000

export interface NewBatch {
  readonly id: string
  readonly caller: Pick<Caller, "account" | "key">
  readonly endpoint: string
  readonly details: JsonObject
  readonly createdAtMs: number
  readonly expiresAtMs: number
}

export interface BatchPage {
  /** Batches of one kind have ids that begin so. */
  readonly prefix: string
  readonly limit: number
  /** Older than this one, newest first. */
  readonly after?: BatchRow | undefined
  /** Newer than this one, oldest first. */
  readonly before?: BatchRow | undefined
}

/** The table of batches. A batch belongs to its account, and there to the person of its key. */
export class BatchStore extends Effect.Service<BatchStore>()("gateway/batches/store/BatchStore", {
  dependencies: [Commits.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits

    /** Adds a batch that no one sees yet. */
    const add = (batch: NewBatch): Effect.Effect<unknown, SqlError> =>
      commits.commit(
        sql`INSERT INTO batches ${sql.insert({
          id: batch.id,
          account_id: batch.caller.account,
          key_id: batch.caller.key,
          endpoint: batch.endpoint,
          state: "filling",
          details: JSON.stringify(batch.details),
          created_at: batch.createdAtMs,
          expires_at: batch.expiresAtMs,
          due_at: batch.createdAtMs + fillingMs
        })}`
      )

    /**
     * Begins a batch whose lines are stored, or are stored by its task (`later`). Run it in the transaction that stores its
     * task.
     */
    const begin = (id: string, total: number | "later"): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE batches SET state = ${total === "later" ? "validating" : "running"},
          total = ${total === "later" ? 0 : total}, due_at = NULL WHERE id = ${id} AND state = 'filling'`

    /** Begins a batch whose lines its task has stored. */
    const start = (id: string, total: number, details: JsonObject): Effect.Effect<unknown, SqlError> =>
      commits.commit(
        sql`UPDATE batches SET state = 'running', total = ${total}, details = ${JSON.stringify(details)}
          WHERE id = ${id} AND state = 'validating'`
      )

    const setDetails = (id: string, details: JsonObject): Effect.Effect<unknown, SqlError> =>
      commits.commit(sql`UPDATE batches SET details = ${JSON.stringify(details)} WHERE id = ${id}`)

    const reached = ({ account, person }: Holder, nowMs: number) =>
      sql.and([
        sql`account_id = ${account}`,
        ...ofKeys(sql, person?.keys),
        sql`state <> 'filling'`,
        sql`(due_at IS NULL OR due_at > ${nowMs})`
      ])

    /** A batch of the holder's; undefined if there is none. */
    const find = (holder: Holder, id: string): Effect.Effect<BatchRow | undefined, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        Effect.map(sql`SELECT * FROM batches WHERE id = ${id} AND ${reached(holder, nowMs)}`, batchRows.first)
      )

    const get = (id: string): Effect.Effect<BatchRow | undefined, SqlError> =>
      Effect.map(sql`SELECT * FROM batches WHERE id = ${id}`, batchRows.first)

    const list = (
      holder: Holder,
      { after, before, limit, prefix }: BatchPage
    ): Effect.Effect<ReadonlyArray<BatchRow>, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
        const place = (how: string, { created_at, id }: BatchRow) =>
          sql`(created_at, id) ${sql.literal(how)} (${created_at}, ${id})`
        const conditions = [
          reached(holder, nowMs),
          sql`id LIKE ${`${prefix}%`}`,
          ...(after === undefined ? [] : [place("<", after)]),
          ...(before === undefined ? [] : [place(">", before)])
        ]
        const order = sql.literal(before === undefined ? "created_at DESC, id DESC" : "created_at, id")
        return Effect.map(
          sql`SELECT * FROM batches WHERE ${sql.and(conditions)} ORDER BY ${order} LIMIT ${limit}`,
          batchRows.all
        )
      })

    /** Lets no further line begin. The first reason counts. */
    const stop = (id: string, how: Stop, cancelAtMs?: number): Effect.Effect<unknown, SqlError> =>
      commits.commit(
        sql`UPDATE batches SET stop = ${JSON.stringify(how)}, cancel_at = ${cancelAtMs ?? null}
          WHERE id = ${id} AND state IN ('validating', 'running') AND stop IS NULL`
      )

    /** Batches whose lines may begin: the oldest one of each account, then the next, so that no account waits for another. */
    const running: Effect.Effect<ReadonlyArray<BatchRow>, SqlError> = Effect.map(
      sql`SELECT * FROM batches WHERE id IN
          (SELECT id FROM
            (SELECT id, created_at, ROW_NUMBER() OVER (PARTITION BY account_id ORDER BY created_at, id) AS turn
              FROM batches WHERE state = 'running' AND stop IS NULL) AS open
            ORDER BY turn, created_at, id LIMIT ${mostRunning})
        ORDER BY created_at, id`,
      batchRows.all
    )

    /** Ends a batch and returns it. Run it in the transaction that ends its task. */
    const end = (id: string, nowMs: number, keptMs: number): Effect.Effect<BatchRow | undefined, SqlError> =>
      Effect.map(
        sql`UPDATE batches SET state = 'ended', ended_at = ${nowMs}, due_at = ${nowMs + keptMs}
          WHERE id = ${id} AND state IN ('validating', 'running') RETURNING *`,
        batchRows.first
      )

    /** Makes an ended batch, or one that did not begin, unknown. Its rows are removed later. */
    const hide = (id: string): Effect.Effect<unknown, SqlError> =>
      commits.commit(sql`UPDATE batches SET due_at = 0 WHERE id = ${id} AND state IN ('filling', 'ended')`)

    /** Removes lines of batches whose time has come, then these. True if more may be left. */
    const removeSome: Effect.Effect<boolean, SqlError> = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const due = ids.first(yield* sql`SELECT id FROM batches WHERE due_at <= ${nowMs} ORDER BY due_at LIMIT 1`)
      if (due === undefined) return false
      const lines = yield* commits.commit(
        sql`DELETE FROM batch_lines WHERE batch_id = ${due.id} AND place IN
          (SELECT place FROM batch_lines WHERE batch_id = ${due.id} LIMIT ${removedAtOnce}) RETURNING place`
      )
      if (lines.length < removedAtOnce) yield* commits.commit(sql`DELETE FROM batches WHERE id = ${due.id}`)
      return true
    })

    return {
      add,
      begin,
      start,
      setDetails,
      find,
      get,
      list,
      stop,
      running,
      end,
      hide,
      removeSome,
      /** Rung when lines may begin. */
      bell: makeWake()
    } as const
  })
}) {}

const ids = rows("batches", { id: Schema.String })
