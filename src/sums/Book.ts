import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import type { Effect } from "effect"
import type { Measure, Sums } from "./Sums.ts"

/** A column by which sums may be separate. Rows of usage alone know the tier. */
export type Column = "account_id" | "key_id" | "model" | "upstream" | "service_tier"

export interface Span {
  /** Unix ms; -Infinity for all from the first on. */
  readonly fromMs: number
  /** Exclusive; Infinity for all up to the last. */
  readonly toMs: number
}

/** The rows that are summed: all conditions hold at once. */
export interface Scope {
  /** The only account, by its exact id: it has an index. */
  readonly owner?: string | undefined
  /** The only key, by its id. */
  readonly key?: string | undefined
  /** Columns with conditions in `where` that some sums lack. */
  readonly columns?: ReadonlyArray<Column> | undefined
  /** Conditions on `account_id`, `key_id`, `model` and `upstream`, which rows and their sums share. */
  readonly where?: ReadonlyArray<Fragment> | undefined
  /** More conditions on rows. */
  readonly whereRows?: ReadonlyArray<Fragment> | undefined
  /** Rows before this time are not in the sums, or the sums do not know the scope (Infinity). */
  readonly wholeFromMs?: number | undefined
}

export interface Query<M extends Measure = Measure> {
  readonly span: Span
  /** When the question came: nothing is later, so the last hour counts as a whole one, although it isn't over. */
  readonly nowMs?: number | undefined
  readonly scope?: Scope | undefined
  /** One dimension or two; one group of all if absent. */
  readonly by?: readonly [first: Column, second?: Column | undefined] | undefined
  /** Steps begin at multiples of this length in ms; a single one if absent. */
  readonly stepMs?: number | undefined
  readonly measures: ReadonlyArray<M>
  /** Reading ends when there are more groups than this. */
  readonly most?: number | undefined
}

/** A group of a step. */
export interface Group {
  /** The begin of the step, in Unix ms; 0 without steps. */
  readonly atMs: number
  /** Values of the dimensions; empty without them. */
  readonly name: string
  readonly second: string
}

/** Takes the sums of a group, which may come several times; returns true if no more are needed. */
export type Add = (group: Group, sums: Partial<Readonly<Sums>>) => boolean

/** Sums of whole hours or days, which are stored with each row that they count, or added up later. */
export interface Whole {
  readonly table: "usage_days" | "usage_hours" | "request_days" | "request_hours"
  /** The column with the begin of an hour (Unix ms) or the UTC day (`2026-01-31`). */
  readonly unit: "hour" | "day"
  readonly measures: ReadonlyArray<Measure>
  readonly columns: ReadonlyArray<Column>
  /** True to leave out sums with none of the measures: those of hours count calls beside requests. */
  readonly isMixed?: boolean | undefined
  /** The time from which on rows are not added up, in Unix ms. They all are if absent. */
  readonly until?: Effect.Effect<number, SqlError> | undefined
}

/** Rows of one kind, and their sums. */
export interface Book {
  /** The longest first; empty for rows alone. */
  readonly wholes: ReadonlyArray<Whole>
  /** Adds up rows that are not in the sums yet. */
  readonly ready: Effect.Effect<void, SqlError>
  /** Sums the rows of a span, in strides. */
  readonly rows: (query: Query, add: Add) => Effect.Effect<void, SqlError>
}
