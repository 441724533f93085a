import { SqlClient } from "@effect/sql"
import { Clock, Effect, Redacted } from "effect"
import * as ApiKey from "../access/ApiKey.ts"
import { Keys } from "../access/Keys.ts"
import { AccountId, KeyId } from "../contract/Caller.ts"
import type { Budget } from "../contract/Caller.ts"
import { Conflict, InvalidRequest, NotFound } from "../contract/Failure.ts"
import { dayOf } from "../ledger/Book.ts"
import { Changes } from "../sql/Changes.ts"
import { Audit } from "./Audit.ts"
import type { Actor } from "./Audit.ts"
import { makeChange } from "./change.ts"
import { patchedLimits } from "./fields.ts"
import type { LimitsPatch } from "./fields.ts"
import { keyRecord, parseLimits } from "./KeyRecord.ts"
import type { KeyRecord, KeyRow } from "./KeyRecord.ts"

export interface KeyOptions {
  readonly name?: string | undefined
  readonly models?: ReadonlyArray<string> | undefined
  readonly limits?: LimitsPatch | undefined
  /** null: none. */
  readonly budget?: Budget | null | undefined
  /** Unix ms; null: never. */
  readonly expiresAtMs?: number | null | undefined
}

export interface KeyPage {
  readonly account?: string | undefined
  /** Also those that open nothing any more. */
  readonly all: boolean
  readonly offset: number
  readonly limit: number
}

/** A key with its secret, which is shown this once. */
export interface KeyWithSecret {
  readonly key: KeyRecord
  readonly secret: Redacted.Redacted
}

/** Keys, for those who run the gateway. A change is heard of by every process within a second, and leaves an audit row. */
export class KeyAdministration extends Effect.Service<KeyAdministration>()("gateway/admin/KeyAdministration", {
  dependencies: [Keys.Default, Audit.Default, Changes.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const keys = yield* Keys
    const change = yield* makeChange

    const select = (today: string) => sql`SELECT k.*,
      (SELECT COALESCE(SUM(nano_usd), 0) FROM key_spending WHERE key_id = k.id AND day = ${today}) AS spent_day,
      (SELECT COALESCE(SUM(nano_usd), 0) FROM key_spending WHERE key_id = k.id AND day >= ${`${today.slice(0, 8)}01`})
        AS spent_month FROM keys k`

    const rowOf = (id: string) =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const [row] = yield* sql<KeyRow>`${select(dayOf(nowMs))} WHERE k.id = ${id}`
        return row === undefined ? yield* noKey(id) : { row, record: keyRecord(row, nowMs) }
      }).pipe(Effect.catchTag("SqlError", Effect.die))

    const show = (id: string): Effect.Effect<KeyRecord, NotFound> => Effect.map(rowOf(id), ({ record }) => record)

    /** Oldest first. One more than the limit tells of a next page. */
    const list = Effect.fn("KeyAdministration.list")(function* ({ account, all, limit, offset }: KeyPage) {
      const nowMs = yield* Clock.currentTimeMillis
      const rows = yield* sql<KeyRow>`${select(dayOf(nowMs))} WHERE ${sql.and([
        sql`1 = 1`,
        ...(account === undefined ? [] : [sql`k.account_id = ${account}`]),
        ...(all ? [] : [sql`k.revoked_at IS NULL`, sql`(k.expires_at IS NULL OR k.expires_at > ${nowMs})`])
      ])} ORDER BY k.created_at, k.id LIMIT ${limit} OFFSET ${offset}`
      return rows.map((row) => keyRecord(row, nowMs))
    }, Effect.orDie)

    const create = (
      actor: Actor,
      key: KeyOptions & { readonly account: string; readonly name: string; readonly secret?: Redacted.Redacted }
    ): Effect.Effect<KeyWithSecret, NotFound | Conflict | InvalidRequest> =>
      change({
        actor,
        action: "key.create",
        before: Effect.succeed(null),
        write: Effect.gen(function* () {
          yield* accountIsThere(key.account)
          yield* check(key)
          if (key.secret !== undefined) yield* secretIsFree(key.secret)
          return yield* keys.create({
            account: AccountId.make(key.account),
            name: key.name,
            ...(key.secret === undefined ? {} : { secret: key.secret }),
            ...(key.models === undefined ? {} : { models: key.models }),
            limits: patchedLimits({}, key.limits ?? {}),
            budget: key.budget ?? undefined,
            expiresAtMs: key.expiresAtMs ?? undefined
          })
        }),
        after: ({ id }) => show(id),
        target: ({ id }) => id
      }).pipe(Effect.map(({ after, result }) => ({ key: after, secret: result.secret })))

    const update = (actor: Actor, id: string, options: KeyOptions) =>
      change({
        actor,
        action: "key.update",
        before: show(id),
        write: Effect.gen(function* () {
          const { row } = yield* changeable(id)
          yield* check(options)
          yield* sql`UPDATE keys SET ${sql.update(columnsOf(row, options))} WHERE id = ${id}`
        }),
        after: () => show(id),
        target: () => id
      }).pipe(Effect.map(({ after }) => after))

    /** Answers the key as it is now, and whether it was this that revoked it. */
    const revoke = (actor: Actor, id: string) =>
      Effect.flatMap(show(id), (key) =>
        key.status === "revoked"
          ? Effect.succeed({ key, revoked: false })
          : change({
              actor,
              action: "key.revoke",
              before: show(id),
              write: keys.revoke(KeyId.make(id)),
              after: () => show(id),
              target: () => id
            }).pipe(Effect.map(({ after, result }) => ({ key: after, revoked: result })))
      )

    /** Gives the key another secret; the one before opens nothing any more. */
    const rotateSecret = (actor: Actor, id: string): Effect.Effect<KeyWithSecret, NotFound | Conflict> =>
      Effect.suspend(() => {
        const secret = ApiKey.generate()
        return change({
          actor,
          action: "key.rotate_secret",
          before: show(id),
          write: Effect.zipRight(
            changeable(id),
            sql`UPDATE keys SET hash = ${ApiKey.hash(secret)}, hint = ${ApiKey.hint(secret)} WHERE id = ${id}`
          ),
          after: () => show(id),
          target: () => id
        }).pipe(Effect.map(({ after }) => ({ key: after, secret: Redacted.make(secret) })))
      })

    const changeable = (id: string) =>
      Effect.filterOrElse(
        rowOf(id),
        ({ record }) => record.status !== "revoked" && !record.declared,
        ({ record }) =>
          new Conflict({
            code: null,
            message: record.declared
              ? `${id} is a key of the configuration file: change it there`
              : `${id} was revoked and can't be changed; make another key`
          })
      )

    const accountIsThere = (id: string) =>
      Effect.flatMap(sql`SELECT 1 FROM accounts WHERE id = ${id}`, ([found]) =>
        found === undefined ? Effect.fail(noAccount(id)) : Effect.void
      )

    const secretIsFree = (secret: Redacted.Redacted) =>
      Effect.flatMap(sql`SELECT 1 FROM keys WHERE hash = ${ApiKey.hash(Redacted.value(secret))}`, ([taken]) =>
        taken === undefined
          ? Effect.void
          : Effect.fail(new Conflict({ code: null, message: "secret: another key has it already" }))
      )

    return { show, list, create, update, revoke, rotateSecret } as const
  })
}) {}

const noAccount = (id: string) => new NotFound({ param: null, message: `no account "${id}"; it must be created first` })

const noKey = (id: string) => new NotFound({ param: null, message: `no key "${id}"` })

/** What a schema can't say. */
const check = ({ budget, expiresAtMs, models, name }: KeyOptions) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
    const complain = (param: string, rule: string) =>
      Effect.fail(new InvalidRequest({ param, message: `${param}: ${rule}` }))
    if (name !== undefined && (name.trim() === "" || name.length > 200)) {
      return complain("name", "expected 1 to 200 characters")
    }
    if (models !== undefined && (models.length === 0 || models.some((pattern) => pattern.trim() === ""))) {
      return complain("models", "expected at least one pattern, none of them empty; * is every model")
    }
    if (budget !== undefined && budget !== null && budget.nanoUsd <= 0) {
      return complain("budget", "expected more than 0; revoke a key that is to spend nothing")
    }
    if (expiresAtMs !== undefined && expiresAtMs !== null && expiresAtMs <= nowMs) {
      return complain("expires_at", "expected a time to come")
    }
    return Effect.void
  })

const columnsOf = (row: KeyRow, { budget, expiresAtMs, limits, models, name }: KeyOptions) => ({
  name: name ?? row.name,
  models: models === undefined ? row.models : JSON.stringify(models),
  limits: limits === undefined ? row.limits : JSON.stringify(patchedLimits(parseLimits(row.limits), limits)),
  budget_nano_usd: budget === undefined ? row.budget_nano_usd : (budget?.nanoUsd ?? null),
  budget_period: budget === undefined ? row.budget_period : (budget?.period ?? null),
  expires_at: expiresAtMs === undefined ? row.expires_at : expiresAtMs
})
