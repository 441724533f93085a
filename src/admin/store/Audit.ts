import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import type { AuditRecord } from "../AuditRecord.ts"
import { isoTime } from "../fields.ts"

/** The author of a change: `cli:<user of the machine>`, `admin-key`, or the id of a console session. */
export type Actor = string

interface Page {
  readonly target?: string | undefined
  readonly action?: string | undefined
  readonly after?: number | undefined
  readonly limit: number
}

/** The audit log: all changes by operators. */
export class Audit extends Effect.Service<Audit>()("gateway/admin/store/Audit", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Call it in the transaction of the change. */
    const record = (
      entry: Pick<AuditRecord, "action" | "actor" | "target" | "before" | "after">
    ): Effect.Effect<void, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        const { action, actor, after, before, target } = entry
        const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
        const row = { at, actor, action, target, before: json(before), after: json(after) }
        return Effect.asVoid(sql`INSERT INTO audit ${sql.insert(row)}`)
      })

    /** Newest first; `after` is the last id of the previous page. */
    const list = ({ action, after, limit, target }: Page): Effect.Effect<ReadonlyArray<AuditRecord>> =>
      sql`SELECT * FROM audit WHERE ${sql.and([
        sql`1 = 1`,
        ...(target === undefined ? [] : [sql`target = ${target}`]),
        ...(action === undefined ? [] : [sql`action = ${action}`]),
        ...(after === undefined ? [] : [sql`id < ${after}`])
      ])} ORDER BY id DESC LIMIT ${limit}`.pipe(
        Effect.map((raw) => entries.all(raw).map(({ at, id, ...entry }) => ({ id, time: isoTime(at), ...entry }))),
        Effect.orDie
      )

    return { record, list } as const
  })
}) {}

const Json = Schema.NullOr(Schema.parseJson())

const entries = rows("audit", {
  id: Schema.Int,
  at: Schema.Int,
  actor: Schema.String,
  action: Schema.String,
  target: Schema.String,
  before: Json,
  after: Json
})
