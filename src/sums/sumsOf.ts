import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Struct } from "effect"
import type { Types } from "effect"
import { mapInTurns } from "../flow/inTurns.ts"
import type { Add, Book, Group, Query, Span, Whole } from "./Book.ts"
import { addSums, noSums } from "./Sums.ts"
import type { Measure, Sums } from "./Sums.ts"
import { sumWholes } from "./store/wholes.ts"

const lengths = { hour: 3_600_000, day: 86_400_000 }

/** The sums of a group in a step. */
export type GroupSums<M extends Measure> = Group & Types.Simplify<Pick<Sums, M>>

/**
 * Sums a book by steps and groups, each group once, on both databases: whole days and hours from their sums, the times
 * around them from the rows, in strides of a few ms. Steps shorter than an hour, and what the sums don't know, come from
 * the rows alone. Exact, if steps are whole hours or shorter than one: otherwise an hour is in the step in which it begins.
 *
 * @param of makes something of each group, with turns of the event loop in between
 */
export const mapSums = <const M extends Measure, A>(
  sql: SqlClient.SqlClient,
  book: Book,
  query: Query<M>,
  of: (sums: GroupSums<M>) => A
): Effect.Effect<ReadonlyArray<A>, SqlError> =>
  Effect.suspend(() => {
    const found = new Map<string, { readonly group: Group; readonly sums: Sums }>()
    const most = query.most ?? Infinity
    const add: Add = (group, sums) => {
      const id = JSON.stringify([group.atMs, group.name, group.second])
      const known = found.get(id)
      if (known === undefined) found.set(id, { group, sums: addSums(noSums(), sums) })
      else addSums(known.sums, sums)
      return found.size > most
    }
    const { around, whole } = partsOf(book.wholes, query)
    const isReady = whole.length === 0 ? Effect.void : book.ready
    const unlessTooMany = (read: Effect.Effect<void, SqlError>) =>
      Effect.suspend(() => (found.size > most ? Effect.void : read))
    const reading = [
      isReady,
      ...whole.map(({ span, sums }) => unlessTooMany(sumWholes(sql, sums, { ...query, span }, add))),
      ...around.map((span) => unlessTooMany(book.rows({ ...query, span }, add)))
    ]
    return Effect.zipRight(
      Effect.all(reading, { discard: true }),
      Effect.promise(() =>
        mapInTurns([...found.values()], ({ group, sums }) =>
          of(Object.assign({ ...group }, Struct.pick(sums, ...query.measures)))
        )
      )
    )
  })

/** As `mapSums`, for few groups. */
export const sumsOf = <const M extends Measure>(sql: SqlClient.SqlClient, book: Book, query: Query<M>) =>
  mapSums(sql, book, query, (sums) => sums)

interface Parts {
  readonly whole: ReadonlyArray<{ readonly sums: Whole; readonly span: Span }>
  readonly around: ReadonlyArray<Span>
}

/** Splits a span into its whole days, the whole hours around them, and the times around those. */
const partsOf = ([sums, ...shorter]: ReadonlyArray<Whole>, query: Query): Parts => {
  const { nowMs = Infinity, scope, span } = query
  if (sums === undefined) return { whole: [], around: [span] }
  const ms = lengths[sums.unit]
  const fromMs = Math.ceil(Math.max(span.fromMs, scope?.wholeFromMs ?? -Infinity) / ms) * ms
  const toMs = (span.toMs >= nowMs ? Math.ceil(span.toMs / ms) : Math.floor(span.toMs / ms)) * ms
  if (!knows(sums, query) || fromMs >= toMs) return partsOf(shorter, query)
  const parts = [
    { fromMs: span.fromMs, toMs: fromMs },
    { fromMs: toMs, toMs: span.toMs }
  ]
    .filter((part) => part.fromMs < part.toMs)
    .map((part) => partsOf(shorter, { ...query, span: part }))
  return {
    whole: [{ sums, span: { fromMs, toMs } }, ...parts.flatMap(({ whole }) => whole)],
    around: parts.flatMap(({ around }) => around)
  }
}

const knows = ({ columns, measures, unit }: Whole, { by, measures: asked, scope, stepMs }: Query) =>
  (stepMs === undefined || (unit === "hour" ? stepMs >= lengths.hour : stepMs % lengths.day === 0)) &&
  asked.every((name) => measures.includes(name)) &&
  [...(by ?? []), ...(scope?.columns ?? [])].every((column) => column === undefined || columns.includes(column))
