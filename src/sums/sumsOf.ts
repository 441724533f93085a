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
    const unlessTooMany = (read: Effect.Effect<void, SqlError>) =>
      Effect.suspend(() => (found.size > most ? Effect.void : read))
    const reading = Effect.gen(function* () {
      const { around, whole } = partsOf(yield* usable(book, query), query)
      if (whole.length > 0) yield* book.ready
      for (const { span, sums } of whole) yield* unlessTooMany(sumWholes(sql, sums, { ...query, span }, add))
      for (const span of around) yield* unlessTooMany(book.rows({ ...query, span }, add))
    })
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

interface Parts {
  readonly whole: ReadonlyArray<{ readonly sums: Whole; readonly span: Span }>
  readonly around: ReadonlyArray<Span>
}

interface Usable {
  readonly sums: Whole
  readonly untilMs: number
}

/** The sums that know what is asked for. */
const usable = ({ wholes }: Book, query: Query): Effect.Effect<ReadonlyArray<Usable>, SqlError> => {
  const { fromMs, toMs } = query.span
  // A shorter span is too late for what is added up later.
  const isLong = toMs - fromMs > 2 * lengths.day
  const some = wholes.filter((sums) => knows(sums, query) && (isLong || sums.until === undefined))
  return Effect.forEach(some, (sums) =>
    Effect.map(sums.until ?? Effect.succeed(Infinity), (untilMs) => ({ sums, untilMs }))
  )
}

/** Splits a span into its whole days, the whole hours around them, and the times around those. */
const partsOf = ([first, ...shorter]: ReadonlyArray<Usable>, query: Query): Parts => {
  const { nowMs = Infinity, scope, span } = query
  if (first === undefined) return { whole: [], around: [span] }
  const { sums, untilMs } = first
  const ms = lengths[sums.unit]
  const fromMs = Math.ceil(Math.max(span.fromMs, scope?.wholeFromMs ?? -Infinity) / ms) * ms
  const endMs = (span.toMs >= nowMs ? Math.ceil(span.toMs / ms) : Math.floor(span.toMs / ms)) * ms
  const toMs = Math.min(endMs, Math.floor(untilMs / ms) * ms)
  if (fromMs >= toMs) return partsOf(shorter, query)
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
