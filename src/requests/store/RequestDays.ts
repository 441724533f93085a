import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { measuresIn } from "../../contract/records/measures.ts"
import { makeAlone } from "../../sql/alone.ts"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"
import { prepare } from "../../sql/prepare.ts"
import type { Prepared } from "../../sql/prepare.ts"
import type { Whole } from "../../sums/Book.ts"
import { attemptMeasures, outcomeMeasures } from "../../sums/Sums.ts"

const [hourMs, dayMs] = [3_600_000, 86_400_000]
/** A day is added up when it has been over for so long: hours rarely change after that. */
const afterMs = dayMs
/** Hours that are older than this when they are written may be in the sums of their day: a clock is wrong by less. */
const lateMs = dayMs
/** Target duration of a statement on SQLite, which blocks the thread. */
const aimMs = 4

const keys = ["account_id", "key_id", "model", "upstream"] as const
const sums = [...outcomeMeasures, ...measuresIn("requests"), ...attemptMeasures] as const

/**
 * Adds up `request_hours` by day, some hours at a time: reports over months read 24 times fewer sums. The begin of the
 * first hour that isn't added up is in `upkeep`; with Postgres any node goes on where another stopped.
 */
export class RequestDays extends Effect.Service<RequestDays>()("gateway/requests/store/RequestDays", {
  dependencies: [Commits.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const alone = makeAlone(sql)
    const isServer = sql.onDialectOrElse({ pg: () => true, orElse: () => false })
    let hours = isServer ? 24 : 1

    const names = sql.literal(keys.join(", "))
    const columns = sql.literal(sums.join(", "))
    const summed = sql.literal(sums.map((name) => `CAST(SUM(${name}) AS BIGINT)`).join(", "))
    const added = sql.literal(sums.map((name) => `${name} = request_days.${name} + excluded.${name}`).join(", "))
    const addUp = (fromMs: number, toMs: number) =>
      sql`INSERT INTO request_days (day, ${names}, ${columns})
        SELECT ${dayOf(fromMs)}, ${names}, ${summed} FROM request_hours WHERE hour >= ${fromMs} AND hour < ${toMs}
        GROUP BY ${names} ORDER BY ${names}
        ON CONFLICT (day, ${names}) DO UPDATE SET ${added}`
    /** Locked: a node that writes an older hour moves it back, before or after this transaction. */
    const progress = sql`SELECT value FROM upkeep WHERE name = 'request_days'
      ${sql.literal(isServer ? "FOR UPDATE" : "")}`

    /**
     * Adds up the next hours of days that are long over.
     *
     * @returns the number of hours; 0 if there are none for now
     */
    const addNext = (nowMs: number): Effect.Effect<number, SqlError> =>
      commits.commit(
        Effect.gen(function* () {
          yield* alone("request_days")
          const done = values.first(yield* progress)?.value ?? 0
          const untilMs = Math.floor((nowMs - afterMs) / dayMs) * dayMs
          if (done >= untilMs) return 0
          const [found] = times.all(
            yield* sql`SELECT hour FROM request_hours WHERE hour >= ${done} ORDER BY hour LIMIT 1`
          )
          const fromMs = Math.min(found?.hour ?? Infinity, untilMs)
          const begin = fromMs - (fromMs % dayMs)
          const toMs = Math.min(fromMs + hours * hourMs, begin + dayMs, Math.max(untilMs, fromMs))
          const begunAt = performance.now()
          // Nothing of that day is in its sums, or it is added up again.
          if (done <= begin) yield* sql`DELETE FROM request_days WHERE day = ${dayOf(fromMs)}`
          if (toMs > fromMs) yield* addUp(fromMs, toMs)
          const took = performance.now() - begunAt
          if (!isServer) hours = took > aimMs ? Math.max(1, hours / 2) : Math.min(24, hours * 2)
          yield* sql`INSERT INTO upkeep (name, value) VALUES ('request_days', ${toMs})
            ON CONFLICT (name) DO UPDATE SET value = excluded.value`
          return (toMs - fromMs) / hourMs
        }),
        "soon"
      )

    return { addNext } as const
  })
}) {}

/** The sums of days, for times that are added up. */
export const requestDays = (sql: SqlClient.SqlClient, measures: Whole["measures"]): Whole => ({
  table: "request_days",
  unit: "day",
  measures,
  columns: keys,
  isMixed: true,
  until: Effect.map(
    sql`SELECT value FROM upkeep WHERE name = 'request_days'`,
    (found) => values.first(found)?.value ?? -Infinity
  )
})

/**
 * Must run in the transaction that writes hours. Where one of them may be in the sums of its day, these are added up again.
 * Costs nothing otherwise.
 */
export const lateHours = (sql: SqlClient.SqlClient) => {
  const again = prepare(
    sql,
    sql`UPDATE upkeep SET value = CASE WHEN value < ${0} THEN value ELSE ${0} END WHERE name = 'request_days'`
  )
  return (written: ReadonlyArray<{ readonly hour: number | string }>): ReadonlyArray<Prepared> => {
    const first = written.reduce((least, { hour }) => Math.min(least, Number(hour)), Infinity)
    if (first >= Date.now() - lateMs) return []
    const begin = first - (first % dayMs)
    return [again([begin, begin])]
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const values = rows("upkeep", { value: Schema.Int })
const times = rows("request_hours", { hour: Schema.Int })
