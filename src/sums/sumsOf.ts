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
 * Sums a book by steps and groups, each group once, on both databases: whole hours (or days) from their sums, the times
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
    const { around, whole } = partsOf(book.whole, query)
    const reading = Effect.zipRight(
      whole === undefined ? Effect.void : sumWholes(sql, whole.sums, { ...query, span: whole.span }, add),
      Effect.forEach(around, (span) => (found.size > most ? Effect.void : book.rows({ ...query, span }, add)))
    )
    return Effect.zipRight(
      reading,
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

/** Splits a span into its whole hours or days and the times around them. */
const partsOf = (
  sums: Whole | undefined,
  { by, measures, nowMs = Infinity, scope, span, stepMs = Infinity }: Query
): {
  readonly whole: { readonly sums: Whole; readonly span: Span } | undefined
  readonly around: ReadonlyArray<Span>
} => {
  const rowsAlone = { whole: undefined, around: [span] }
  if (sums === undefined || stepMs < lengths[sums.unit]) return rowsAlone
  if (!measures.every((name) => sums.measures.includes(name))) return rowsAlone
  if (by?.every((column) => column === undefined || sums.columns.includes(column)) === false) return rowsAlone
  const ms = lengths[sums.unit]
  const fromMs = Math.ceil(Math.max(span.fromMs, scope?.wholeFromMs ?? -Infinity) / ms) * ms
  const toMs = (span.toMs >= nowMs ? Math.ceil(span.toMs / ms) : Math.floor(span.toMs / ms)) * ms
  if (fromMs >= toMs) return rowsAlone
  const around = [
    { fromMs: span.fromMs, toMs: fromMs },
    { fromMs: toMs, toMs: span.toMs }
  ]
  return { whole: { sums, span: { fromMs, toMs } }, around: around.filter((part) => part.fromMs < part.toMs) }
}
