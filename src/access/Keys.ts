import { SqlClient } from "@effect/sql"
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { AccountId, KeyId, Limits } from "../contract/Caller.ts"
import type { Budget, Caller } from "../contract/Caller.ts"
import { Changes } from "../sql/Changes.ts"
import * as ApiKey from "./ApiKey.ts"

const JsonColumn = <A, I>(schema: Schema.Schema<A, I>) => Schema.parseJson(schema)
const Patterns = Schema.Array(Schema.String)

const KeyRow = Schema.Struct({
  id: KeyId,
  account_id: AccountId,
  name: Schema.String,
  hint: Schema.String,
  models: JsonColumn(Patterns),
  limits: JsonColumn(Limits),
  budget_nano_usd: Schema.NullOr(Schema.Int),
  budget_period: Schema.NullOr(Schema.Literal("day", "month")),
  created_at: Schema.Int,
  expires_at: Schema.NullOr(Schema.Int),
  last_used_at: Schema.NullOr(Schema.Int),
  revoked_at: Schema.NullOr(Schema.Int)
})

const OpeningRow = Schema.Struct({
  ...KeyRow.fields,
  account_limits: JsonColumn(Limits),
  search_allowed: Schema.NullOr(JsonColumn(Patterns)),
  search_blocked: Schema.NullOr(JsonColumn(Patterns))
})

const decodeOpening = Schema.decodeUnknown(Schema.Array(OpeningRow))

/** A stored key with its account, as far as a request needs them. */
export interface Opening {
  readonly caller: Caller
  readonly expiresAtMs: number | undefined
  readonly revoked: boolean
}

export interface NewKey {
  readonly account: AccountId
  readonly name: string
  /** Given by the operator; a random one otherwise. */
  readonly secret?: Redacted.Redacted
  readonly models?: ReadonlyArray<string>
  readonly limits?: Limits
  readonly budget?: Budget | undefined
  readonly expiresAtMs?: number | undefined
}

/** The stored keys. */
export class Keys extends Effect.Service<Keys>()("gateway/access/Keys", {
  dependencies: [Changes.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const changes = yield* Changes

    /** @param hash of the secret, `ApiKey.hash` */
    const open = (hash: string): Effect.Effect<Option.Option<Opening>> =>
      sql`SELECT k.*, a.limits AS account_limits, a.search_allowed, a.search_blocked
        FROM keys k JOIN accounts a ON a.id = k.account_id WHERE k.hash = ${hash}`.pipe(
        Effect.flatMap(decodeOpening),
        Effect.map((rows) => Option.map(Option.fromNullable(rows[0]), opening)),
        Effect.orDie
      )

    const ensureAccount = Effect.fn("Keys.ensureAccount")(function* (account: AccountId) {
      const now = yield* Clock.currentTimeMillis
      yield* sql`INSERT INTO accounts (id, created_at) VALUES (${account}, ${now}) ON CONFLICT (id) DO NOTHING`
    }, Effect.orDie)

    /** Stores a key and answers its secret: the only time anybody sees it. Makes the account where there is none. */
    const create = Effect.fn("Keys.create")(
      function* (key: NewKey) {
        const now = yield* Clock.currentTimeMillis
        const secret = key.secret ?? Redacted.make(ApiKey.generate())
        const id = KeyId.make(ApiKey.randomId("key"))
        yield* ensureAccount(key.account)
        yield* sql`INSERT INTO keys ${sql.insert({
          id,
          account_id: key.account,
          name: key.name,
          hash: ApiKey.hash(Redacted.value(secret)),
          hint: ApiKey.hint(Redacted.value(secret)),
          models: JSON.stringify(key.models ?? ["*"]),
          limits: JSON.stringify(key.limits ?? {}),
          budget_nano_usd: key.budget?.nanoUsd ?? null,
          budget_period: key.budget?.period ?? null,
          created_at: now,
          expires_at: key.expiresAtMs ?? null
        })}`
        yield* changes.tell
        return { id, secret }
      },
      (effect) => sql.withTransaction(effect),
      Effect.orDie
    )

    /** From now on the key opens nothing, in any process within a second. False where there was nothing to revoke. */
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
     * At the first start (no key exists) makes the first key, of the account `default`; the operator's own one also
     * where keys of the configuration file are all there is.
     * @param chosen the operator's own secret (`GATEWAY_BOOTSTRAP_KEY`)
     * @returns the secret, where a random one was made: to be shown once
     */
    const bootstrap = Effect.fn("Keys.bootstrap")(function* (chosen: Option.Option<Redacted.Redacted>) {
      const existing = yield* (
        Option.isSome(chosen) ? sql`SELECT 1 FROM keys WHERE declared IS NULL LIMIT 1` : sql`SELECT 1 FROM keys LIMIT 1`
      ).pipe(Effect.orDie)
      if (existing.length > 0) return Option.none<Redacted.Redacted>()
      const made = yield* create({
        account: AccountId.make("default"),
        name: "first key",
        ...(Option.isSome(chosen) ? { secret: chosen.value } : {})
      })
      return Option.isSome(chosen) ? Option.none() : Option.some(made.secret)
    })

    return { open, create, revoke, bootstrap } as const
  })
}) {}

const opening = (row: typeof OpeningRow.Type): Opening => ({
  caller: {
    account: row.account_id,
    key: row.id,
    models: row.models,
    keyLimits: row.limits,
    accountLimits: row.account_limits,
    budget:
      row.budget_nano_usd === null || row.budget_period === null
        ? undefined
        : { nanoUsd: row.budget_nano_usd, period: row.budget_period },
    searchDomains: { allowed: row.search_allowed ?? undefined, blocked: row.search_blocked ?? undefined }
  },
  expiresAtMs: row.expires_at ?? undefined,
  revoked: row.revoked_at !== null
})
