import type { SqlClient } from "@effect/sql"
import type { Prepared } from "../../sql/prepare.ts"
import { prepare } from "../../sql/prepare.ts"

/** The columns of a new response. */
export type NewRow = Readonly<
  Record<
    | "id"
    | "account_id"
    | "key_id"
    | "previous_id"
    | "status"
    | "response"
    | "input"
    | "output"
    | "include"
    | "created_at"
    | "expires_at",
    string | number | null
  >
>

/**
 * Writes responses in a few prepared statements: every stored answer is a row, and few different numbers of rows occur.
 * Must run in one transaction.
 */
export const responseWriter = (sql: SqlClient.SqlClient) => {
  const inserts = batchSizes.map((size) => ({
    size,
    insert: prepare(
      sql,
      sql`INSERT INTO responses ${sql.insert(Array.from({ length: size }, () => anyRow))} ON CONFLICT (id) DO NOTHING`
    )
  }))
  return (rows: ReadonlyArray<NewRow>): ReadonlyArray<Prepared> => {
    const statements: Array<Prepared> = []
    let at = 0
    for (const { insert, size } of inserts) {
      for (; rows.length - at >= size; at += size) statements.push(insert(rows.slice(at, at + size).flatMap(valuesOf)))
    }
    return statements
  }
}

const batchSizes = [32, 8, 1]

/** An example row, for the names and the number of columns. */
const anyRow: NewRow = {
  id: "",
  account_id: "",
  key_id: "",
  previous_id: null,
  status: "",
  response: "",
  input: "",
  output: "",
  include: "",
  created_at: 0,
  expires_at: 0
}

/** In the order of `anyRow`. */
const valuesOf = (row: NewRow): Array<string | number | null> => [
  row.id,
  row.account_id,
  row.key_id,
  row.previous_id,
  row.status,
  row.response,
  row.input,
  row.output,
  row.include,
  row.created_at,
  row.expires_at
]
