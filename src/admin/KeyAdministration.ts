import { Clock, Effect, Redacted } from "effect"
import * as ApiKey from "../access/ApiKey.ts"
import { Accounts } from "../access/store/Accounts.ts"
import { Keys } from "../access/store/Keys.ts"
import type { KeyPage } from "../access/store/Keys.ts"
import { Budgets } from "../access/store/Budgets.ts"
import { keyBudgetsOf } from "../access/store/KeyRow.ts"
import type { KeyRow, KeySettings } from "../access/store/KeyRow.ts"
import { AccountId, KeyId } from "../contract/Caller.ts"
import type { Unpriced } from "../contract/Caller.ts"
import { budgetFrom } from "../contract/WrittenBudget.ts"
import type { WrittenBudget } from "../contract/WrittenBudget.ts"
import { excludes, noExclusion } from "../contract/permission.ts"
import { Conflict, InvalidRequest, NotFound } from "../contract/Failure.ts"
import { Changes } from "../sql/Changes.ts"
import { Audit } from "./store/Audit.ts"
import type { Actor } from "./store/Audit.ts"
import { makeChange } from "./change.ts"
import { patchedLimits } from "./fields.ts"
import type { LimitsPatch } from "./fields.ts"
import { keyRecord } from "./KeyRecord.ts"
import type { KeyRecord } from "./KeyRecord.ts"
import { unlessStale } from "./version.ts"
import { shortened } from "../contract/shortened.ts"

export interface KeyOptions {
  readonly name?: string | undefined
  readonly models?: ReadonlyArray<string> | undefined
  readonly notModels?: ReadonlyArray<string> | undefined
  /** null: all. */
  readonly upstreams?: ReadonlyArray<string> | null | undefined
  readonly choosesRoute?: boolean | undefined
  readonly limits?: LimitsPatch | undefined
  /** All of its budgets; null: none. */
  readonly budgets?: ReadonlyArray<WrittenBudget> | null | undefined
  /** null: the account's setting. */
  readonly unpriced?: Unpriced | null | undefined
  /** Unix ms; null: never. */
  readonly expiresAtMs?: number | null | undefined
  /** The `version` the change is based on; undefined accepts any. */
  readonly version?: number | undefined
}

/** A key with its secret, which is shown only once. */
export interface KeyWithSecret {
  readonly key: KeyRecord
  readonly secret: Redacted.Redacted
}

/** The operator's view of keys. Changes reach every process within a second and leave an audit row. */
export class KeyAdministration extends Effect.Service<KeyAdministration>()("gateway/admin/KeyAdministration", {
  dependencies: [Keys.Default, Accounts.Default, Budgets.Default, Audit.Default, Changes.Default],
  effect: Effect.gen(function* () {
    const keys = yield* Keys
    const accounts = yield* Accounts
    const budgets = yield* Budgets
    const change = yield* makeChange

    const rowOf = (id: string) =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const row = yield* keys.find(id)
        if (row === undefined) return yield* noKey(id)
        const [standings = []] = yield* budgets.ofKeys([row])
        return { row, record: keyRecord(row, standings, nowMs) }
      }).pipe(Effect.catchTag("SqlError", Effect.die))

    const show = (id: string): Effect.Effect<KeyRecord, NotFound> => Effect.map(rowOf(id), ({ record }) => record)

    /** Oldest first. Callers ask for one row more than a page to detect the next one. */
    const list = Effect.fn("KeyAdministration.list")(function* (page: KeyPage) {
      const nowMs = yield* Clock.currentTimeMillis
      const rows = yield* keys.list(page, nowMs)
      const standings = yield* budgets.ofKeys(rows)
      return rows.map((row, index) => keyRecord(row, standings[index] ?? [], nowMs))
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
            models: key.models ?? ["*"],
            notModels: key.notModels ?? [],
            upstreams: key.upstreams ?? null,
            choosesRoute: key.choosesRoute ?? false,
            limits: patchedLimits({}, key.limits ?? {}),
            budgets: key.budgets?.map(budgetFrom) ?? [],
            unpriced: key.unpriced ?? undefined,
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
          const { record, row } = yield* changeable(id)
          yield* unlessStale(options.version, record)
          yield* check(options)
          yield* keys.update(id, changed(row, options))
        }),
        after: () => show(id),
        target: () => id
      }).pipe(Effect.map(({ after }) => after))

    /** `revoked` is false if the key was revoked before. */
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

    /** Replaces the secret; the former one stops working. */
    const rotateSecret = (actor: Actor, id: string): Effect.Effect<KeyWithSecret, NotFound | Conflict> =>
      Effect.suspend(() => {
        const secret = ApiKey.generate()
        return change({
          actor,
          action: "key.rotate_secret",
          before: show(id),
          write: Effect.zipRight(changeable(id), keys.replaceSecret(id, secret)),
          after: () => show(id),
          target: () => id
        }).pipe(Effect.map(({ after }) => ({ key: after, secret: Redacted.make(secret) })))
      })

    /** Forgets what its budgets have counted. */
    const resetBudgets = (actor: Actor, id: string) =>
      change({
        actor,
        action: "key.reset_budgets",
        before: show(id),
        write: Effect.flatMap(rowOf(id), ({ row }) => budgets.resetKey(row)),
        after: () => show(id),
        target: () => id
      }).pipe(Effect.map(({ after }) => after))

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
      Effect.flatMap(accounts.isThere(id), (isThere) => (isThere ? Effect.void : Effect.fail(noAccount(id))))

    const secretIsFree = (secret: Redacted.Redacted) =>
      Effect.flatMap(keys.isTaken(secret), (taken) =>
        taken ? Effect.fail(new Conflict({ code: null, message: "secret: another key has it already" })) : Effect.void
      )

    return { show, list, create, update, revoke, rotateSecret, resetBudgets } as const
  })
}) {}

const noAccount = (id: string) =>
  new NotFound({ param: null, message: `no account "${shortened(id)}"; it must be created first` })

const noKey = (id: string) => new NotFound({ param: null, message: `no key "${id}"` })

/** Rules that the schema can't express. */
const check = ({ expiresAtMs, models, name, notModels, upstreams }: KeyOptions) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
    const complain = (param: string, rule: string) =>
      Effect.fail(new InvalidRequest({ param, message: `${param}: ${rule}` }))
    if (name !== undefined && (name.trim() === "" || name.length > 200)) {
      return complain("name", "expected 1 to 200 characters")
    }
    if (models !== undefined && (models.length === 0 || models.some((pattern) => pattern.trim() === ""))) {
      return complain("models", "expected at least one pattern, none of them empty; * is every model")
    }
    if (models?.some(excludes) === true) return complain("models", noExclusion)
    if (notModels?.some((pattern) => pattern.trim() === "" || excludes(pattern)) === true) {
      return complain("not_models", "expected patterns such as claude-*, none of them empty or with !")
    }
    if (upstreams?.length === 0) return complain("upstreams", "expected at least one name, or null for all")
    if (expiresAtMs !== undefined && expiresAtMs !== null && expiresAtMs <= nowMs) {
      return complain("expires_at", "expected a time to come")
    }
    return Effect.void
  })

const changed = (
  row: KeyRow,
  { budgets, choosesRoute, expiresAtMs, limits, models, name, notModels, unpriced, upstreams }: KeyOptions
): KeySettings => ({
  name: name ?? row.name,
  models: models ?? row.models,
  notModels: notModels ?? row.not_models ?? [],
  upstreams: upstreams === undefined ? row.upstreams : upstreams,
  choosesRoute: choosesRoute ?? row.choose_route === 1,
  limits: limits === undefined ? row.limits : patchedLimits(row.limits, limits),
  budgets: budgets === undefined ? keyBudgetsOf(row) : (budgets?.map(budgetFrom) ?? []),
  unpriced: unpriced === undefined ? row.unpriced : unpriced,
  expiresAtMs: (expiresAtMs === undefined ? row.expires_at : expiresAtMs) ?? undefined
})
