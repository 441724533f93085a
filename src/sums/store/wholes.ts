import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import type { Effect } from "effect"
import { Schema } from "effect"
import { slices } from "../../sql/slices.ts"
import type { Progress } from "../../sql/Stride.ts"
import type { Add, Column, Query, Scope, Span, Whole } from "../Book.ts"
import { sumsIn } from "./sumsIn.ts"

/** Reads the stored sums of whole hours or days in strides. `read` gets the condition of each, with all of the scope. */
export const inWholes = <E>(
  sql: SqlClient.SqlClient,
  { columns, table, unit }: Pick<Whole, "columns" | "table" | "unit">,
  { fromMs, toMs }: Span,
  { key, owner, where = [] }: Scope,
  read: (within: Fragment) => Effect.Effect<Progress, E>
): Effect.Effect<void, E | SqlError> => {
  const isOwner = owner === undefined ? [] : [sql`account_id = ${owner}`]
  const isKey = key === undefined ? [] : [sql`key_id = ${key}`]
  const rest = (...names: ReadonlyArray<Column>) =>
    Object.fromEntries(names.filter((name) => columns.includes(name)).map((name) => [name, Schema.String]))
  // By the index that has the fewest rows. Hours have none by key.
  const [[whose], others, conditions] =
    table === "usage_days" && key !== undefined
      ? [isKey, rest("model"), isOwner]
      : owner !== undefined
        ? [isOwner, rest("key_id", "model", "upstream"), isKey]
        : [[], rest("account_id", "key_id", "model", "upstream"), isKey]
  const placeOf = (ms: number) => (unit === "hour" ? ms : new Date(ms).toISOString().slice(0, 10))
  const sliced = {
    table,
    whose,
    key: { [unit]: unit === "hour" ? Schema.Int : Schema.String, ...others },
    begins: fromMs === -Infinity ? undefined : sql`${sql(unit)} >= ${placeOf(fromMs)}`,
    ends: toMs === Infinity ? undefined : sql`${sql(unit)} < ${placeOf(toMs)}`
  }
  return slices(sql)(sliced, (within) => read(sql.and([within, ...conditions, ...where])))
}

/** Sums the stored sums of whole hours or days. */
export const sumWholes = (
  sql: SqlClient.SqlClient,
  whole: Whole,
  { by, measures, scope = {}, span, stepMs }: Query,
  add: Add
): Effect.Effect<void, SqlError> => {
  const { isMixed = false, table, unit } = whole
  const read = sumsIn(sql, {
    table,
    step:
      stepMs === undefined
        ? undefined
        : {
            of: sql.literal(`CAST(${unit} AS TEXT)`),
            beginOf: (place) => Math.floor((unit === "hour" ? Number(place) : Date.parse(place)) / stepMs) * stepMs
          },
    by: [by?.[0], by?.[1]],
    measures: measures.map((name) => [name, name])
  })
  const where = [...(scope.where ?? []), ...(isMixed ? [sql`${sql.literal(measures.join(" + "))} > 0`] : [])]
  return inWholes(sql, whole, span, { ...scope, where }, (within) => read(within, add))
}
