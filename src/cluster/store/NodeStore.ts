import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { newestFormat } from "../formats.ts"
import type { ThisProcess } from "../ThisProcess.ts"

/**
 * The table of nodes, on Postgres only. Uses the database's clock, since nodes' clocks may differ.
 * @param goodForMs how long a node counts as alive without renewal
 */
export const nodeStore = (sql: SqlClient.SqlClient, goodForMs: number) => {
  const now = sql.literal("(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint")
  const backend = sql.literal("pg_backend_pid()")

  const insert = (
    id: string,
    { machine, name, pid, version }: ThisProcess,
    secretCheck: string | undefined
  ): Effect.Effect<unknown, SqlError> =>
    sql`INSERT INTO nodes (id, name, machine, pid, backend, version, secret_check, started_at, renewed_at, good_until,
        format)
      VALUES (${id}, ${name}, ${machine}, ${pid}, ${backend}, ${version}, ${secretCheck ?? null}, ${now}, ${now},
        ${now} + ${goodForMs}, ${newestFormat})`

  /**
   * Raises the format that every node reads to the least that a node has, and returns it. It never falls: a trigger
   * refuses nodes that read less.
   */
  const raiseFormat: Effect.Effect<number, SqlError> = sql.withTransaction(
    Effect.zipRight(
      // Nodes that begin meanwhile are in the table before it is read, or see what is stored here.
      sql`SELECT pg_advisory_xact_lock(776001, 3)`,
      Effect.map(
        sql`INSERT INTO upkeep (name, value) SELECT 'node_format', COALESCE(MIN(format), 0) FROM nodes
          ON CONFLICT (name) DO UPDATE SET value = GREATEST(upkeep.value, excluded.value) RETURNING value AS format`,
        (found) => formatted.one(found[0]).format
      )
    )
  )

  /** The name of an older node with another secret. */
  const stranger = (id: string): Effect.Effect<string | undefined, SqlError> =>
    Effect.map(
      sql`SELECT other.name FROM nodes own JOIN nodes other ON other.secret_check <> own.secret_check
        AND (other.started_at, other.id) < (own.started_at, own.id) AND other.good_until > ${now}
        WHERE own.id = ${id} LIMIT 1`,
      (found) => named.first(found)?.name
    )

  /** Renews a node's row. Returns the database's time in ms; undefined if the node was reaped. */
  const renew = (id: string): Effect.Effect<number | undefined, SqlError> =>
    Effect.map(
      sql`UPDATE nodes SET renewed_at = ${now}, good_until = ${now} + ${goodForMs}, backend = ${backend}
        WHERE id = ${id} RETURNING renewed_at AS at`,
      (renewed) => renewals.first(renewed)?.at
    )

  /** Nodes that are overdue, and nodes of a machine whose connections are gone. */
  const suspects = (machine: string): Effect.Effect<ReadonlyArray<Suspect>, SqlError> =>
    Effect.map(
      sql`SELECT id, name, pid, CASE WHEN good_until < ${now} THEN 1 ELSE 0 END AS silent FROM nodes
        WHERE good_until < ${now} OR (machine = ${machine} AND backend NOT IN (SELECT pid FROM pg_stat_activity))`,
      suspected.all
    )

  /**
   * Locks a node's row for the transaction that reaps it, against other reapers and statements that need the row. False if
   * the node has renewed meanwhile, or the row is locked.
   */
  const take = ({ id, silent }: Dead): Effect.Effect<boolean, SqlError> =>
    Effect.map(
      sql`SELECT id FROM nodes WHERE id = ${id} ${silent ? sql`AND good_until < ${now}` : sql``} FOR UPDATE SKIP LOCKED`,
      (taken) => taken.length > 0
    )

  const remove = (id: string): Effect.Effect<unknown, SqlError> => sql`DELETE FROM nodes WHERE id = ${id}`

  return { insert, raiseFormat, stranger, renew, suspects, take, remove } as const
}

const renewals = rows("nodes", { at: Schema.Int })
const formatted = rows("upkeep", { format: Schema.Int })
const named = rows("nodes", { name: Schema.String })
const suspected = rows("nodes", { id: Schema.String, name: Schema.String, pid: Schema.Int, silent: Schema.Boolean })

/** A node that may be dead: if it is `silent`, otherwise if its process is gone. */
type Suspect = ReturnType<typeof suspected.one>

/** A dead node: overdue (`silent`), or known to be gone. */
export type Dead = Pick<Suspect, "id" | "silent">
