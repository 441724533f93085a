import { Clock, Effect, Redacted } from "effect"
import * as ApiKey from "../access/ApiKey.ts"
import { Accounts } from "../access/store/Accounts.ts"
import { Keys } from "../access/store/Keys.ts"
import type { KeyPage } from "../access/store/keyQueries.ts"
import { Budgets } from "../access/store/Budgets.ts"
import { hasSecret, keyBudgetsOf } from "../access/store/KeyRow.ts"
import type { KeyRow, KeySettings } from "../access/store/KeyRow.ts"
import type { AccountPattern, Actor } from "../contract/callers/Acting.ts"
import { AccountId, KeyId } from "../contract/callers/Caller.ts"
import { changedKeySettings, noKeySettings } from "../contract/callers/keySettings.ts"
import type { KeySettingChanges } from "../contract/callers/keySettings.ts"
import type { Unpriced } from "../contract/callers/Caller.ts"
import { budgetFrom } from "../contract/budgets/WrittenBudget.ts"
import type { WrittenBudget } from "../contract/budgets/WrittenBudget.ts"
import { Conflict, InvalidRequest, NotFound } from "../contract/failures/Failure.ts"
import { KeyUsage } from "../ledger/store/KeyUsage.ts"
import { Changes } from "../sql/Changes.ts"
import { Audit } from "./store/Audit.ts"
import { makeChange } from "./change.ts"
import { patchedLimits } from "./fields.ts"
import type { LimitsPatch } from "./fields.ts"
import { keyState } from "./KeyRecord.ts"
import type { KeyRecord, KeyState } from "./KeyRecord.ts"
import { keyUse } from "./KeyUse.ts"
import { checkModels } from "./modelRules.ts"
import { unlessStale } from "./version.ts"
import { shorten } from "../contract/text/shorten.ts"

export interface KeyOptions extends KeySettingChanges {
  readonly name?: string | undefined
  readonly models?: ReadonlyArray<string> | undefined
  readonly notModels?: ReadonlyArray<string> | undefined
  /** null: all. */
  readonly upstreams?: ReadonlyArray<string> | null | undefined
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

/** Keys by what one has of a secret. */
export interface KeysOfSecret {
  /** True if it is the whole secret of the only key; otherwise each key has a hint in common with it. */
  readonly isWhole: boolean
  readonly keys: ReadonlyArray<KeyRecord>
}

/** The most characters of a secret. */
const longestSecret = 1_000

/** The operator's view of keys. Changes reach every process within a second and leave an audit row. */
export class KeyAdministration extends Effect.Service<KeyAdministration>()("gateway/admin/KeyAdministration", {
  dependencies: [Keys.Default, Accounts.Default, Budgets.Default, KeyUsage.Default, Audit.Default, Changes.Default],
  effect: Effect.gen(function* () {
    const keys = yield* Keys
    const accounts = yield* Accounts
    const budgets = yield* Budgets
    const usage = yield* KeyUsage
    const change = yield* makeChange

    const rowOf = (id: string) =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const row = yield* keys.find(id)
        if (row === undefined) return yield* noKey(id)
        const [standings = []] = yield* budgets.ofKeys([row])
        return { row, record: keyState(row, standings, nowMs) }
      }).pipe(Effect.catchTag("SqlError", Effect.die))

    const stateOf = (id: string): Effect.Effect<KeyState, NotFound> => Effect.map(rowOf(id), ({ record }) => record)

    const withUse = (key: KeyState): Effect.Effect<KeyRecord> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        Effect.map(usage.of([key.id], nowMs), (used) => ({ ...key, usage: keyUse(used.get(key.id)) }))
      ).pipe(Effect.orDie)

    const show = (id: string): Effect.Effect<KeyRecord, NotFound> => Effect.flatMap(stateOf(id), withUse)

    const recordsOf = Effect.fnUntraced(function* (rows: ReadonlyArray<KeyRow>, nowMs: number) {
      const standings = yield* budgets.ofKeys(rows)
      const used = yield* usage.of(
        rows.map(({ id }) => id),
        nowMs
      )
      return rows.map((row, index): KeyRecord => ({
        ...keyState(row, standings[index] ?? [], nowMs),
        usage: keyUse(used.get(row.id))
      }))
    })

    /** Oldest first. Callers ask for one row more than a page to detect the next one. */
    const list = Effect.fn("KeyAdministration.list")(function* (page: KeyPage) {
      const nowMs = yield* Clock.currentTimeMillis
      return yield* recordsOf(yield* keys.list(page, nowMs), nowMs)
    }, Effect.orDie)

    /**
     * Keys by what one has of a secret, which is not kept: the whole, its end, or a shown hint.
     *
     * @param among only keys of these accounts; absent: all
     */
    const ofSecret = (
      part: Redacted.Redacted,
      among?: ReadonlyArray<AccountPattern>
    ): Effect.Effect<KeysOfSecret, InvalidRequest> =>
      Effect.gen(function* () {
        const text = Redacted.value(part).trim()
        if (text.length < 4 || text.length > longestSecret) {
          const message = `secret: expected a key or its last characters, 4 to ${longestSecret} of them`
          return yield* new InvalidRequest({ param: "secret", message })
        }
        const { isWhole, rows } = yield* keys.ofSecret(Redacted.make(text), among)
        return { isWhole, keys: yield* recordsOf(rows, yield* Clock.currentTimeMillis) }
      }).pipe(Effect.catchTag("SqlError", Effect.die))

    const create = (
      actor: Actor,
      key: KeyOptions & {
        readonly account: string
        readonly name: string
        readonly secret?: Redacted.Redacted
        /** The person whose key it is. */
        readonly person?: string | undefined
      }
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
            ...changedKeySettings(noKeySettings, key),
            limits: patchedLimits({}, key.limits ?? {}),
            budgets: key.budgets?.map(budgetFrom) ?? [],
            unpriced: key.unpriced ?? undefined,
            expiresAtMs: key.expiresAtMs ?? undefined,
            person: key.person
          })
        }),
        after: ({ id }) => stateOf(id),
        target: ({ id }) => id
      }).pipe(
        Effect.flatMap(({ after, result }) => Effect.map(withUse(after), (key) => ({ key, secret: result.secret })))
      )

    const update = (actor: Actor, id: string, options: KeyOptions) =>
      change({
        actor,
        action: "key.update",
        before: stateOf(id),
        write: Effect.gen(function* () {
          const { record, row } = yield* changeable(id)
          yield* unlessStale(options.version, record)
          yield* check(options)
          yield* keys.update(id, changed(row, options))
        }),
        after: () => stateOf(id),
        target: () => id
      }).pipe(Effect.flatMap(({ after }) => withUse(after)))

    /** `revoked` is false if the key was revoked before. */
    const revoke = (actor: Actor, id: string) =>
      Effect.flatMap(show(id), (key) =>
        key.status === "revoked"
          ? Effect.succeed({ key, revoked: false })
          : change({
              actor,
              action: "key.revoke",
              before: stateOf(id),
              write: keys.revoke(KeyId.make(id)),
              after: () => stateOf(id),
              target: () => id
            }).pipe(
              Effect.flatMap(({ after, result }) => Effect.map(withUse(after), (key) => ({ key, revoked: result })))
            )
      )

    /** Replaces the secret; the former one works for `overlapMs` more. */
    const rotateSecret = (actor: Actor, id: string, overlapMs = 0): Effect.Effect<KeyWithSecret, NotFound | Conflict> =>
      Effect.suspend(() => {
        const secret = ApiKey.generate()
        return change({
          actor,
          action: "key.rotate_secret",
          before: stateOf(id),
          write: Effect.gen(function* () {
            yield* rotatable(id)
            const nowMs = yield* Clock.currentTimeMillis
            yield* keys.replaceSecret(id, secret, overlapMs === 0 ? undefined : nowMs + overlapMs)
          }),
          after: () => stateOf(id),
          target: () => id
        }).pipe(
          Effect.flatMap(({ after }) => Effect.map(withUse(after), (key) => ({ key, secret: Redacted.make(secret) })))
        )
      })

    /** Forgets what its budgets have counted. */
    const resetBudgets = (actor: Actor, id: string) =>
      change({
        actor,
        action: "key.reset_budgets",
        before: stateOf(id),
        write: Effect.flatMap(rowOf(id), ({ row }) => budgets.resetKey(row)),
        after: () => stateOf(id),
        target: () => id
      }).pipe(Effect.flatMap(({ after }) => withUse(after)))

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

    const rotatable = (id: string) =>
      Effect.filterOrFail(
        changeable(id),
        ({ row }) => hasSecret(row),
        () =>
          new Conflict({
            code: null,
            message: `${id} has no secret: it is opened by the tokens of its sign-ins or of its issuer`
          })
      )

    const accountIsThere = (id: string) =>
      Effect.flatMap(accounts.isThere(id), (isThere) => (isThere ? Effect.void : Effect.fail(noAccount(id))))

    const secretIsFree = (secret: Redacted.Redacted) =>
      Effect.flatMap(keys.isTaken(secret), (taken) =>
        taken ? Effect.fail(new Conflict({ code: null, message: "secret: another key has it already" })) : Effect.void
      )

    return { show, list, ofSecret, create, update, revoke, rotateSecret, resetBudgets } as const
  })
}) {}

const noAccount = (id: string) =>
  new NotFound({ param: null, message: `no account "${shorten(id)}"; it must be created first` })

const noKey = (id: string) => new NotFound({ param: null, message: `no key "${id}"` })

/** Rules that the schema can't express. */
const check = ({ expiresAtMs, name, upstreams, ...rules }: KeyOptions) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs): Effect.Effect<void, InvalidRequest> => {
    const complain = (param: string, rule: string) =>
      Effect.fail(new InvalidRequest({ param, message: `${param}: ${rule}` }))
    if (name !== undefined && (name.trim() === "" || name.length > 200)) {
      return complain("name", "expected 1 to 200 characters")
    }
    if (upstreams?.length === 0) return complain("upstreams", "expected at least one name, or null for all")
    if (expiresAtMs !== undefined && expiresAtMs !== null && expiresAtMs <= nowMs) {
      return complain("expires_at", "expected a time to come")
    }
    return checkModels(rules)
  })

const changed = (
  row: KeyRow,
  { budgets, expiresAtMs, limits, models, name, notModels, unpriced, upstreams, ...settings }: KeyOptions
): KeySettings => ({
  name: name ?? row.name,
  models: models ?? row.models,
  notModels: notModels ?? row.not_models ?? [],
  upstreams: upstreams === undefined ? row.upstreams : upstreams,
  ...changedKeySettings(row, settings),
  limits: limits === undefined ? row.limits : patchedLimits(row.limits, limits),
  budgets: budgets === undefined ? keyBudgetsOf(row) : (budgets?.map(budgetFrom) ?? []),
  unpriced: unpriced === undefined ? row.unpriced : unpriced,
  expiresAtMs: (expiresAtMs === undefined ? row.expires_at : expiresAtMs) ?? undefined
})
