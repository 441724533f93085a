import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Schema } from "effect"
import { NotFound } from "../../contract/failures/Failure.ts"
import { rows } from "../../sql/decode.ts"
import type { AuditRecord } from "../AuditRecord.ts"
import { auditRecordOf } from "../auditRecordOf.ts"
import type { Actor } from "../../contract/callers/Acting.ts"
import type { Own } from "../../contract/callers/Own.ts"
import { firstRows } from "../../sql/slices.ts"
import { isoTime } from "../fields.ts"

export interface AuditFilter {
  readonly target?: string | undefined
  /** An action, or its beginning: `key`. */
  readonly action?: string | undefined
  /** An actor's name or way in, or the beginning of one: `cli`. */
  readonly actor?: string | undefined
  /** Changes of this account, of its keys, and of its tasks and callbacks that are still stored. */
  readonly account?: string | undefined
  /** Only changes of these keys, by id. */
  readonly keys?: ReadonlyArray<string> | undefined
  /** Both in Unix ms, inclusive. */
  readonly sinceMs?: number | undefined
  readonly untilMs?: number | undefined
  /** False leaves out who signed in, and which sessions were ended. */
  readonly sessions?: boolean | undefined
  readonly limit: number
}

/** @param after the last id of the previous page */
type AuditQuery = AuditFilter & { readonly after?: number | undefined }
type Conditions = Omit<AuditFilter, "limit">

/** The audit log: all changes by operators, and what guardrails blocked. */
export class Audit extends Effect.Service<Audit>()("gateway/admin/store/Audit", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Call it in the transaction of the change. */
    const record = (
      entry: Pick<AuditRecord, "action" | "target" | "before" | "after"> & { readonly actor: Actor }
    ): Effect.Effect<void, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        const { action, actor, after, before, target } = entry
        const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
        const row = {
          at,
          actor: actor.via,
          actor_name: actor.name,
          action,
          target,
          before: json(before),
          after: json(after)
        }
        return Effect.asVoid(sql`INSERT INTO audit ${sql.insert(row)}`)
      })

    const beginsWith = (column: string, text: string) =>
      sql`substr(${sql(column)}, 1, length(CAST(${text} AS TEXT))) = ${text}`

    const isTargetIn = (table: "tasks" | "deliveries", account: string) =>
      sql`EXISTS (SELECT 1 FROM ${sql(table)} AS stored WHERE stored.id = audit.target AND stored.account_id = ${account})`

    const conditionsOf = ({ account, action, actor, keys, sessions, sinceMs, target, untilMs }: Conditions) =>
      sql.and([
        sql`1 = 1`,
        ...(target === undefined ? [] : [sql`target = ${target}`]),
        ...(action === undefined ? [] : [beginsWith("action", action)]),
        ...(actor === undefined ? [] : [sql.or([beginsWith("actor", actor), beginsWith("actor_name", actor)])]),
        ...(account === undefined
          ? []
          : [
              sql.or([
                sql.and([
                  sql`(target = ${account} OR target IN (SELECT id FROM keys WHERE account_id = ${account}))`,
                  sql.or(
                    ["account.", "key.", "program.", "webhooks.", "ledger.", "guardrail."].map((one) =>
                      beginsWith("action", one)
                    )
                  )
                ]),
                sql.and([beginsWith("action", "task."), isTargetIn("tasks", account)]),
                sql.and([beginsWith("action", "delivery."), isTargetIn("deliveries", account)])
              ])
            ]),
        ...(keys === undefined ? [] : [keys.length === 0 ? sql`1 = 0` : sql.in("target", keys)]),
        ...(sinceMs === undefined ? [] : [sql`at >= ${sinceMs}`]),
        ...(untilMs === undefined ? [] : [sql`at <= ${untilMs}`]),
        ...(sessions === false ? [sql`NOT ${beginsWith("action", "session.")}`] : [])
      ])

    /** Newest first. */
    const list = (page: AuditQuery): Effect.Effect<ReadonlyArray<AuditRecord>> =>
      firstRows(sql)(
        {
          table: "audit",
          key: { id: Schema.Int },
          isDescending: true,
          whose: page.target === undefined ? undefined : sql`target = ${page.target}`,
          begins: page.after === undefined ? undefined : sql`id < ${page.after}`
        },
        page.limit,
        (within, left) =>
          Effect.map(
            sql`SELECT * FROM audit WHERE ${within} AND ${conditionsOf(page)} ORDER BY id DESC LIMIT ${left}`,
            (raw) => entries.all(raw).map(recordOf)
          )
      ).pipe(Effect.orDie)

    /** @param own only of these records */
    const find = (id: number, own?: Own): Effect.Effect<AuditRecord, NotFound> =>
      Effect.flatMap(Effect.orDie(sql`SELECT * FROM audit WHERE id = ${id} AND ${conditionsOf(own ?? {})}`), (raw) => {
        const row = entries.first(raw)
        return row === undefined
          ? Effect.fail(new NotFound({ param: null, message: `no entry ${id} in the audit log` }))
          : Effect.succeed(recordOf(row))
      })

    return { record, list, find } as const
  })
}) {}

const Json = Schema.NullOr(Schema.parseJson())

const entries = rows("audit", {
  id: Schema.Int,
  at: Schema.Int,
  actor: Schema.String,
  /** Null in rows that were written before there were names. */
  actor_name: Schema.NullOr(Schema.String),
  action: Schema.String,
  target: Schema.String,
  before: Json,
  after: Json
})

const recordOf = ({ actor, actor_name, at, ...row }: ReturnType<typeof entries.one>): AuditRecord =>
  auditRecordOf({ ...row, actor: actor_name ?? actor, via: actor, time: isoTime(at) })
