import type { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { rows } from "../decode.ts"

/** A column of the target. */
export interface Column {
  readonly name: string
  /** The type's name in Postgres. */
  readonly type: string
  /** True if the database assigns its values. */
  readonly isCounter: boolean
}

export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<Column>
}

/** Tables about the database itself and the processes that serve from it. */
const ofItself = new Set(["migrations", "nodes"])

/** Tables that a single process keeps in memory. With several processes they are derived from the others. */
export const remembered = new Set([
  "node_holds",
  "node_batches",
  "idempotency_claims",
  "key_budgets",
  "node_budgets",
  "usage_unsummed"
])

/** Filled by the schema, and replaced. */
export const seeded = new Set(["access_version"])

/** The target's tables, each before the tables that refer to it. */
export const tablesOf = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const columns = described.all(
      yield* sql`SELECT table_name, column_name, data_type, is_identity = 'YES' AS is_counter
        FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position`
    )
    const references = referred.all(
      yield* sql`SELECT conrelid::regclass::text AS table_name, confrelid::regclass::text AS parent
        FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`
    )
    const left = new Map<string, Array<Column>>()
    for (const { column_name, data_type, is_counter, table_name } of columns) {
      if (ofItself.has(table_name)) continue
      const known = left.get(table_name) ?? []
      left.set(table_name, [...known, { name: column_name, type: data_type, isCounter: is_counter }])
    }
    const ordered: Array<Table> = []
    while (left.size > 0) {
      const before = left.size
      for (const [name, columns] of left) {
        const waits = references.some(
          ({ parent, table_name }) => table_name === name && parent !== name && left.has(parent)
        )
        if (waits) continue
        ordered.push({ name, columns })
        left.delete(name)
      }
      if (left.size === before) return yield* Effect.dieMessage("tables refer to each other in a circle")
    }
    return ordered
  })

const described = rows("information_schema.columns", {
  table_name: Schema.String,
  column_name: Schema.String,
  data_type: Schema.String,
  is_counter: Schema.Boolean
})
const referred = rows("pg_constraint", { table_name: Schema.String, parent: Schema.String })
