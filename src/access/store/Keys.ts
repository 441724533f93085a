import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { AccountId, KeyId } from "../../contract/callers/Caller.ts"
import type { Budget } from "../../contract/budgets/Budget.ts"
import type { Limits, Unpriced } from "../../contract/callers/Caller.ts"
import { changedKeySettings, noKeySettings } from "../../contract/callers/keySettings.ts"
import type { StoredKeySettings } from "../../contract/callers/keySettings.ts"
import type { Hint } from "../../contract/callers/keyHint.ts"
import { testDouble } from "../../contract/testDouble.ts"
import { makeAlone } from "../../sql/alone.ts"
import { Changes } from "../../sql/Changes.ts"
import { rows } from "../../sql/decode.ts"
import * as ApiKey from "../ApiKey.ts"
import { Accounts } from "./Accounts.ts"
import { openings } from "./openings.ts"
import { keyQueries } from "./keyQueries.ts"
import {
  declaredKeys,
  firstOpening,
  firstOpeningBySecret,
  hintColumns,
  ruleColumns,
  settingsColumns
} from "./KeyRow.ts"
import type { DeclaredKey, KeySettings, Opening } from "./KeyRow.ts"

export interface NewKey extends Partial<StoredKeySettings> {
  readonly account: AccountId
  readonly name: string
  /** By default random. */
  readonly secret?: Redacted.Redacted
  /** In its place, of a secret that only its holder knows. */
  readonly hashed?: { readonly hash: string; readonly hint: Hint }
  readonly models?: ReadonlyArray<string>
  readonly notModels?: ReadonlyArray<string>
  readonly upstreams?: ReadonlyArray<string> | null
  readonly limits?: Limits
  readonly budgets?: ReadonlyArray<Budget> | undefined
  readonly unpriced?: Unpriced | undefined
  readonly expiresAtMs?: number | undefined
  readonly person?: string | undefined
}

/** A key of the configuration file. */
export interface FileKey extends StoredKeySettings {
  readonly account: AccountId
  readonly name: string
  readonly hash: string
  readonly hint: Hint
  readonly models: ReadonlyArray<string>
  readonly notModels: ReadonlyArray<string>
  /** null: all. */
  readonly upstreams: ReadonlyArray<string> | null
  readonly limits: Limits
  readonly unpriced: Unpriced | null
  readonly budgets: ReadonlyArray<Budget>
  readonly expiresAtMs: number | null
  readonly revokedAtMs: number | null
}

/** The table of API keys. */
export class Keys extends Effect.Service<Keys>()("gateway/access/store/Keys", {
  dependencies: [Accounts.Default, Changes.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const accounts = yield* Accounts
    const changes = yield* Changes

    const { columns, joined } = openings(sql)

    /** @param hash of the secret, `ApiKey.hash` */
    const open = (hash: string): Effect.Effect<Option.Option<Opening>> =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const found = yield* sql`SELECT ${columns} FROM keys k ${joined} WHERE k.hash = ${hash} OR k.old_hash = ${hash}`
        return Option.fromNullable(firstOpeningBySecret(found, hash, nowMs))
      }).pipe(Effect.orDie)

    /** The same by a key's id. */
    const openId = (id: KeyId): Effect.Effect<Option.Option<Opening>> =>
      sql`SELECT ${columns} FROM keys k ${joined} WHERE k.id = ${id}`.pipe(
        Effect.map((found) => Option.fromNullable(firstOpening(found))),
        Effect.orDie
      )

    const alone = makeAlone(sql)

    /** Stores a key and returns its secret, which is not shown again. Creates the account if it does not exist. */
    const create = Effect.fn("Keys.create")(
      function* (key: NewKey) {
        const now = yield* Clock.currentTimeMillis
        const secret = key.secret ?? Redacted.make(ApiKey.generate())
        const id = KeyId.make(ApiKey.randomId("key"))
        const { budgets = [], expiresAtMs, limits = {}, name, unpriced = null } = key
        const { models = ["*"], notModels = [], upstreams = null } = key
        const rules = { models, notModels, upstreams, ...changedKeySettings(noKeySettings, key) }
        yield* accounts.ensure(key.account, now)
        yield* sql`INSERT INTO keys ${sql.insert({
          id,
          account_id: key.account,
          hash: key.hashed?.hash ?? ApiKey.hash(Redacted.value(secret)),
          ...hintColumns(key.hashed?.hint ?? ApiKey.hint(Redacted.value(secret))),
          created_at: now,
          person_id: key.person ?? null,
          ...settingsColumns({ name, ...rules, limits, budgets, unpriced, expiresAtMs })
        })}`
        yield* changes.tell
        return { id, secret }
      },
      (effect) => sql.withTransaction(effect),
      Effect.orDie
    )

    /** Revokes a key, within a second in all processes. False if it does not exist or was revoked before. */
    const revoke = Effect.fn("Keys.revoke")(
      function* (id: KeyId) {
        const now = yield* Clock.currentTimeMillis
        const rows =
          yield* sql`UPDATE keys SET revoked_at = ${now} WHERE id = ${id} AND revoked_at IS NULL RETURNING id`
        yield* changes.tell
        return rows.length > 0
      },
      (effect) => sql.withTransaction(effect),
      Effect.orDie
    )

    /**
     * Creates the first key, of the account `default`, if no key exists. A chosen secret is also created if all keys are
     * from the configuration file.
     * @param chosen `GATEWAY_BOOTSTRAP_KEY`
     * @returns a generated secret, to be shown once
     */
    const bootstrap = Effect.fn("Keys.bootstrap")(
      function* (chosen: Option.Option<Redacted.Redacted>) {
        yield* alone("first key")
        const existing = yield* Option.isSome(chosen)
          ? sql`SELECT 1 FROM keys WHERE declared IS NULL LIMIT 1`
          : sql`SELECT 1 FROM keys LIMIT 1`
        if (existing.length > 0) return Option.none<Redacted.Redacted>()
        const made = yield* create({
          account: AccountId.make("default"),
          name: "first key",
          ...(Option.isSome(chosen) ? { secret: chosen.value } : {})
        })
        return Option.isSome(chosen) ? Option.none() : Option.some(made.secret)
      },
      (effect) => sql.withTransaction(effect),
      Effect.orDie
    )

    const { find, list, ofSecret } = keyQueries(sql)

    /** The ids of a person's keys in an account, revoked ones too. */
    const ofPerson = (person: string, account: string): Effect.Effect<ReadonlyArray<string>> =>
      sql`SELECT hash, id FROM keys WHERE person_id = ${person} AND account_id = ${account}`.pipe(
        Effect.map((found) => keyHashes.all(found).map(({ id }) => id)),
        Effect.orDie
      )

    const update = (id: string, settings: KeySettings): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE keys SET ${sql.update(settingsColumns(settings))} WHERE id = ${id}`

    /** @param oldUntilMs until when the former secret works too; absent: it does not. One before that ends at once. */
    const replaceSecret = (id: string, secret: string, oldUntilMs?: number): Effect.Effect<unknown, SqlError> => {
      const columns = { hash: ApiKey.hash(secret), ...hintColumns(ApiKey.hint(secret)), old_until: oldUntilMs ?? null }
      const old = oldUntilMs === undefined ? sql`NULL` : sql`hash`
      return sql`UPDATE keys SET ${sql.update(columns)}, old_hash = ${old} WHERE id = ${id}`
    }

    /** True if a key has or had this secret. */
    const isTaken = (secret: Redacted.Redacted): Effect.Effect<boolean, SqlError> =>
      Effect.map(hashesOf([ApiKey.hash(Redacted.value(secret))]), ({ length }) => length > 0)

    /** Of these hashes, those that keys have or had. */
    const hashesOf = (hashes: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>, SqlError> =>
      Effect.map(
        sql`SELECT id, hash FROM keys WHERE ${sql.in("hash", hashes)}
          UNION ALL SELECT id, old_hash AS hash FROM keys WHERE ${sql.in("old_hash", hashes)}`,
        (found) => keyHashes.all(found).map(({ hash }) => hash)
      )

    /** Stores when keys were last used, in one statement. */
    const used = (times: ReadonlyArray<readonly [KeyId, number]>): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE keys SET last_used_at = CAST(used.column2 AS BIGINT)
        FROM (VALUES ${sql.csv(times.map(([id, atMs]) => sql`(${id}, ${atMs})`))}) AS used
        WHERE keys.id = used.column1`

    /** A key with one of these hashes that is not from the configuration file. */
    const undeclaredWith = (hashes: ReadonlyArray<string>): Effect.Effect<KeyHash | undefined, SqlError> =>
      Effect.map(
        sql`SELECT hash, id FROM keys WHERE declared IS NULL AND ${sql.in("hash", hashes)}
          UNION ALL SELECT old_hash AS hash, id FROM keys WHERE ${sql.in("old_hash", hashes)}`,
        keyHashes.first
      )

    /** All keys that the configuration file declares or declared. */
    const declared: Effect.Effect<ReadonlyArray<DeclaredKey>, SqlError> = Effect.map(
      sql`SELECT id, name, hash, declared, revoked_at FROM keys WHERE declared IS NOT NULL`,
      declaredKeys.all
    )

    /** Frees a key's name and secret for other keys. */
    const vacate = (id: string): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE keys SET hash = id, name = id WHERE id = ${id}`

    /** Revokes a key that has left the configuration file. */
    const undeclare = (id: string, nowMs: number): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE keys SET declared = 'removed', revoked_at = COALESCE(revoked_at, ${nowMs}) WHERE id = ${id}`

    /** Stores a key of the configuration file, replacing its earlier row. */
    const declare = (id: string | undefined, key: FileKey, nowMs: number): Effect.Effect<unknown, SqlError> => {
      const columns = {
        account_id: key.account,
        name: key.name,
        hash: key.hash,
        ...hintColumns(key.hint),
        ...ruleColumns(key),
        limits: JSON.stringify(key.limits),
        unpriced: key.unpriced,
        budgets: JSON.stringify(key.budgets),
        expires_at: key.expiresAtMs,
        revoked_at: key.revokedAtMs,
        declared: "here"
      }
      return id === undefined
        ? sql`INSERT INTO keys ${sql.insert({ ...columns, id: KeyId.make(ApiKey.randomId("key")), created_at: nowMs })}`
        : sql`UPDATE keys SET ${sql.update(columns)} WHERE id = ${id}`
    }

    return {
      open,
      openId,
      create,
      revoke,
      bootstrap,
      find,
      list,
      ofPerson,
      ofSecret,
      update,
      replaceSecret,
      isTaken,
      hashesOf,
      used,
      undeclaredWith,
      declared,
      vacate,
      undeclare,
      declare
    } as const
  })
}) {
  /** For tests: using a missing member dies. */
  static readonly Test = (given: Partial<Omit<Keys, "_tag">>) => testDouble(Keys, given)
}

const keyHashes = rows("keys", { id: Schema.String, hash: Schema.String })
type KeyHash = ReturnType<typeof keyHashes.one>
