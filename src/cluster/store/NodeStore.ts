import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import type { ThisProcess } from "../ThisProcess.ts"

/**
 * The statements behind nodes, on Postgres alone. Times are its own: the nodes' clocks may differ.
 * @param goodForMs how long a node that says nothing is taken to be alive
 */
export const nodeStore = (sql: SqlClient.SqlClient, goodForMs: number) => {
  const now = sql.literal("(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint")
  const backend = sql.literal("pg_backend_pid()")

  const insert = (
    id: string,
    { machine, name, pid, version }: ThisProcess,
    secretCheck: string | undefined
  ): Effect.Effect<unknown, SqlError> =>
    sql`INSERT INTO nodes (id, name, machine, pid, backend, version, secret_check, started_at, renewed_at, good_until)
      VALUES (${id}, ${name}, ${machine}, ${pid}, ${backend}, ${version}, ${secretCheck ?? null}, ${now}, ${now},
        ${now} + ${goodForMs})`

  /** The name of one that was there before this one, and has another secret. */
  const stranger = (id: string): Effect.Effect<string | undefined, SqlError> =>
    Effect.map(
      sql`SELECT other.name FROM nodes own JOIN nodes other ON other.secret_check <> own.secret_check
        AND (other.started_at, other.id) < (own.started_at, own.id) AND other.good_until > ${now}
        WHERE own.id = ${id} LIMIT 1`,
      (found) => named.first(found)?.name
    )

  /** Says that the node lives; false where it is buried. */
  const renew = (id: string): Effect.Effect<boolean, SqlError> =>
    Effect.map(
      sql`UPDATE nodes SET renewed_at = ${now}, good_until = ${now} + ${goodForMs}, backend = ${backend}
        WHERE id = ${id} RETURNING id`,
      (renewed) => renewed.length > 0
    )

  /** Those that have said nothing for too long, and those of a machine whose connections are gone. */
  const suspects = (machine: string): Effect.Effect<ReadonlyArray<Suspect>, SqlError> =>
    Effect.map(
      sql`SELECT id, name, pid, CASE WHEN good_until < ${now} THEN 1 ELSE 0 END AS silent FROM nodes
        WHERE good_until < ${now} OR (machine = ${machine} AND backend NOT IN (SELECT pid FROM pg_stat_activity))`,
      suspected.all
    )

  /**
   * Takes a node's row for the transaction that buries it, so that nobody else does, and no statement that needs the row
   * comes in between; false where it has said something meanwhile, or is in somebody's hands.
   */
  const take = ({ id, silent }: Dead): Effect.Effect<boolean, SqlError> =>
    Effect.map(
      sql`SELECT id FROM nodes WHERE id = ${id} ${silent ? sql`AND good_until < ${now}` : sql``} FOR UPDATE SKIP LOCKED`,
      (taken) => taken.length > 0
    )

  const remove = (id: string): Effect.Effect<unknown, SqlError> => sql`DELETE FROM nodes WHERE id = ${id}`

  return { insert, stranger, renew, suspects, take, remove } as const
}

const named = rows("nodes", { name: Schema.String })
const suspected = rows("nodes", { id: Schema.String, name: Schema.String, pid: Schema.Int, silent: Schema.Boolean })

/** A node that may be dead: it is where it is `silent`, else where its process is gone. */
type Suspect = ReturnType<typeof suspected.one>

/** Whether it is dead for being silent, or by what else is known. */
export type Dead = Pick<Suspect, "id" | "silent">
