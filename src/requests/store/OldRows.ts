import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { makeAlone } from "../../sql/alone.ts"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"
import { idsByTime } from "../../sql/idsByTime.ts"
import { Stride } from "../../sql/Stride.ts"

/** The tables whose rows are kept for ever, unless `retention` says otherwise. */
export type Book = "usage" | "audit"

/** A removal in progress: the rows with ids between two, both exclusive. */
interface Run {
  readonly beforeMs: number
  readonly until: number
  after: number
}

const dayMs = 86_400_000
/** A node that can't reach the database writes its rows later than others do. */
const lateMs = 600_000

/**
 * Deletes old rows of usage and of the audit log, whole UTC days, in short statements. An entry of the audit log says how
 * many were deleted, once for all rows of a run. With Postgres any node goes on where another stopped.
 */
export class OldRows extends Effect.Service<OldRows>()("gateway/requests/store/OldRows", {
  dependencies: [Commits.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const runs = new Map<Book, Run>()
    const stride = new Stride(sql)
    const alone = makeAlone(sql)

    /** From now on the database allows to delete rows before this time, and reports say that they are gone. */
    const announce = (book: Book, beforeMs: number) =>
      commits.commit(
        sql`INSERT INTO upkeep (name, value) VALUES (${`${book}_before`}, ${beforeMs})
          ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE upkeep.value < excluded.value`
      )

    /** On Postgres, sums that older nodes left incomplete are computed from the rows of usage once (`repairSums`). */
    const areSummed: Effect.Effect<boolean, SqlError> = sql.onDialectOrElse({
      pg: () =>
        Effect.map(sql`SELECT 1 FROM upkeep WHERE name = 'usage_sums' AND value = -1`, (found) => found.length > 0),
      orElse: () => Effect.succeed(true)
    })

    const begin = Effect.fnUntraced(function* (
      book: Book,
      beforeMs: number
    ): Effect.fn.Return<Run | undefined, SqlError> {
      const { ends, firstAt } = idsByTime(sql, { table: book, time: "at", lateMs })
      const all = book === "audit" || (yield* areSummed) ? yield* ends : undefined
      if (all === undefined) return undefined
      // The newest row stays, so that no id is used twice.
      const until = Math.min(yield* firstAt(beforeMs + lateMs, all), all.last)
      if (until > all.first) yield* announce(book, beforeMs)
      const run = { beforeMs, until, after: all.first - 1 }
      runs.set(book, run)
      return run
    })

    const recorded = (book: Book, run: Run, nowMs: number) =>
      Effect.gen(function* () {
        const [row] = counts.all(yield* sql`DELETE FROM upkeep WHERE name = ${`${book}_removed`} RETURNING value`)
        if (row === undefined) return
        const after = JSON.stringify({ rows: row.value, before: new Date(run.beforeMs).toISOString() })
        const entry = { at: nowMs, actor: "retention", actor_name: "retention", action: `retention.${book}` }
        yield* sql`INSERT INTO audit ${sql.insert({ ...entry, target: book, after })}`
      })

    const removeSome = (book: Book, run: Run, nowMs: number) =>
      Effect.gen(function* (): Effect.fn.Return<number, SqlError> {
        yield* alone(`retention.${book}`)
        const end = stride.begin()
        const gone = deleted.all(
          yield* sql`DELETE FROM ${sql(book)} WHERE id IN (SELECT id FROM ${sql(book)}
            WHERE id > ${run.after} AND id < ${run.until} AND at < ${run.beforeMs} ORDER BY id LIMIT ${stride.rows})
            RETURNING id`
        )
        end()
        if (gone.length === 0) yield* recorded(book, run, nowMs)
        else {
          yield* sql`INSERT INTO upkeep (name, value) VALUES (${`${book}_removed`}, ${gone.length})
            ON CONFLICT (name) DO UPDATE SET value = upkeep.value + excluded.value`
        }
        return gone.reduce((most, { id }) => Math.max(most, id), 0)
      })

    /**
     * Deletes some of the rows of the days that ended before a time, if there are any.
     *
     * @returns their number, more or less: 0 if nothing is left to do for now
     */
    const remove = Effect.fnUntraced(function* (
      book: Book,
      beforeMs: number,
      nowMs: number
    ): Effect.fn.Return<number, SqlError> {
      const dayBegins = Math.floor(beforeMs / dayMs) * dayMs
      const known = runs.get(book)
      const run = known?.beforeMs === dayBegins ? known : yield* begin(book, dayBegins)
      if (run === undefined || run.after >= run.until) return 0
      const last = yield* commits.commit(removeSome(book, run, nowMs), "soon")
      run.after = last === 0 ? run.until : last
      return last
    })

    return { remove } as const
  })
}) {}

const counts = rows("upkeep", { value: Schema.Int })
const deleted = rows("usage", { id: Schema.Int })
