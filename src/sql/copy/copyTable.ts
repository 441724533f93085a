import type { Database as SqliteFile } from "bun:sqlite"
import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Either, Predicate } from "effect"
import { CopyFailed } from "./CopyFailed.ts"
import { Digest, jsonOf } from "./digest.ts"
import type { Value } from "./digest.ts"
import { seeded } from "./tables.ts"
import type { Column, Table } from "./tables.ts"

/** Limits of one statement, in rows and characters. */
const mostRows = 2_000
const mostText = 4_000_000
/** Rows read back at a time. */
const readAtOnce = 5_000

export interface Copied {
  readonly table: string
  readonly rows: number
  /** Texts with a NUL, which Postgres can't store: replaced by U+FFFD. */
  readonly mended: number
}

/** Writes every row of a table, reads them back, and fails if they differ. */
export const copyTable = (
  source: SqliteFile,
  target: SqlClient.SqlClient,
  table: Table,
  progress: (rows: number) => Effect.Effect<void>
): Effect.Effect<Copied, CopyFailed | SqlError> =>
  Effect.gen(function* () {
    if (seeded.has(table.name)) yield* target.unsafe(`DELETE FROM ${quoteName(table.name)}`)
    const sent = new Digest()
    const insert = insertInto(table)
    let mended = 0
    let batch: Array<string> = []
    let length = 0
    const flush = Effect.suspend(() => {
      const text = `[${batch.join(",")}]`
      batch = []
      length = 0
      return Effect.zipRight(target.unsafe(insert, [text]), progress(sent.rows))
    })
    for (const row of source.query(selectFrom(table)).iterate()) {
      const values = (yield* valuesOf(table, row)).map((value) => {
        if (typeof value !== "string" || !value.includes("\0")) return value
        mended++
        return value.replaceAll("\0", "\uFFFD")
      })
      sent.add(values)
      const text = JSON.stringify(Object.fromEntries(values.map((value, at) => [`c${at}`, jsonOf(value)])))
      batch.push(text)
      length += text.length
      if (batch.length >= mostRows || length >= mostText) yield* flush
    }
    if (batch.length > 0) yield* flush
    const there = yield* digestOf(target, table)
    if (!there.equals(sent)) {
      return yield* new CopyFailed({
        message: `${table.name}: the stored rows differ from the source (${there.rows} rows of ${sent.rows})`
      })
    }
    yield* Effect.forEach(
      table.columns.filter(({ isCounter }) => isCounter),
      ({ name }) => target.unsafe(countOn(table.name, name))
    )
    return { table: table.name, rows: sent.rows, mended }
  })

const selectFrom = ({ columns, name }: Table) =>
  `SELECT ${columns.map((column) => quoteName(column.name)).join(", ")} FROM ${quoteName(name)}`

/** One parameter for all rows: JSON, with bytes as base64. */
const insertInto = ({ columns, name }: Table) => {
  const values = columns.map(({ type }, at) => (type === "bytea" ? `decode(c${at}, 'base64')` : `c${at}`))
  const types = columns.map(({ type }, at) => `c${at} ${type === "bytea" ? "text" : type}`)
  return `INSERT INTO ${quoteName(name)} (${columns.map((column) => quoteName(column.name)).join(", ")})
    SELECT ${values.join(", ")} FROM json_to_recordset($1::text::json) AS r(${types.join(", ")})`
}

/** Sets the counter behind the last id. */
const countOn = (table: string, column: string) =>
  `SELECT setval(pg_get_serial_sequence('${quoteName(table)}', '${column}'), COALESCE(MAX(${quoteName(column)}), 1),
    MAX(${quoteName(column)}) IS NOT NULL) FROM ${quoteName(table)}`

const digestOf = (target: SqlClient.SqlClient, table: Table): Effect.Effect<Digest, CopyFailed | SqlError> =>
  Effect.gen(function* () {
    const digest = new Digest()
    yield* target.unsafe(`DECLARE copied NO SCROLL CURSOR FOR ${selectFrom(table)}`)
    for (;;) {
      const rows = yield* target.unsafe(`FETCH ${readAtOnce} FROM copied`)
      for (const row of rows) digest.add(yield* valuesOf(table, row))
      if (rows.length < readAtOnce) break
    }
    yield* target.unsafe("CLOSE copied")
    return digest
  })

/** A row's values in the order of its table's columns. */
const valuesOf = ({ columns, name }: Table, row: unknown): Either.Either<ReadonlyArray<Value>, CopyFailed> => {
  const values: Array<Value> = []
  for (const column of columns) {
    const value = Predicate.isRecord(row) ? row[column.name] : undefined
    if (!isValue(value, column)) {
      return Either.left(
        new CopyFailed({ message: `${name}.${column.name}: it contains a value that is not of type ${column.type}` })
      )
    }
    values.push(value)
  }
  return Either.right(values)
}

const isValue = (value: unknown, { type }: Column): value is Value => {
  if (value === null) return true
  if (type === "bytea") return value instanceof Uint8Array
  return type === "text" ? typeof value === "string" : Number.isSafeInteger(value)
}

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`
