import { SqlClient } from "@effect/sql"
import { Clock, Effect, Layer, Queue, Redacted, Schedule } from "effect"
import { Configuration } from "../config/Configuration.ts"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { limitsOf } from "../config/limitsOf.ts"
import { AccountId, KeyId } from "../contract/Caller.ts"
import { Grants } from "../ledger/Grants.ts"
import { nanoUsd } from "../ledger/Price.ts"
import { Changes } from "../sql/Changes.ts"
import * as ApiKey from "./ApiKey.ts"

/** Doubles from 200 ms up to a minute. */
const backoff = Schedule.exponential("200 millis").pipe(Schedule.union(Schedule.spaced("1 minute")), Schedule.jittered)

type Declared = NonNullable<GatewayFile["keys"]>[number]

/**
 * Makes the stored keys follow the `keys` of the configuration file, at the start and at every reload: a name stands for
 * one key, whose secret, account, models and limits are what the file says; one that left the file is revoked. What an
 * operator revoked by hand stays revoked until the file gives the key another secret.
 */
export class DeclaredKeys extends Effect.Service<DeclaredKeys>()("gateway/access/DeclaredKeys", {
  dependencies: [Grants.Default, Changes.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const grants = yield* Grants
    const changes = yield* Changes

    /** Refuses what can't be stored, before anything is. */
    const check = Effect.fn("DeclaredKeys.check")(function* (file: Located<GatewayFile>) {
      const twice = contradiction(file)
      if (twice !== undefined) return yield* twice
      const hashes = (file.value.keys ?? []).map(hashOf)
      if (hashes.length === 0) return
      const [taken] = yield* Effect.orDie(
        sql<{
          hash: string
          id: string
        }>`SELECT hash, id FROM keys WHERE declared IS NULL AND ${sql.in("hash", hashes)}`
      )
      if (taken !== undefined) {
        const index = hashes.indexOf(taken.hash)
        return yield* file.complain(
          ["keys", index, "secret"],
          `keys[${index}].secret: this secret is that of ${taken.id}, which is not of this file`
        )
      }
    })

    const store = Effect.fn("DeclaredKeys.store")(
      function* (keys: ReadonlyArray<Declared>) {
        const nowMs = yield* Clock.currentTimeMillis
        const stored =
          yield* sql<Stored>`SELECT id, name, hash, declared, revoked_at FROM keys WHERE declared IS NOT NULL`
        const rows = keys.map((key) => ({ key, before: beforeOf(stored, keys, key) }))
        // Secrets and names may have changed places: nobody holds them while they move.
        for (const { before } of rows) {
          if (before !== undefined) yield* sql`UPDATE keys SET hash = id, name = id WHERE id = ${before.id}`
        }
        const kept = new Set(rows.flatMap(({ before }) => before?.id ?? []))
        for (const { id, declared } of stored) {
          if (kept.has(id) || declared === "removed") continue
          yield* sql`UPDATE keys SET declared = 'removed', revoked_at = COALESCE(revoked_at, ${nowMs}) WHERE id = ${id}`
        }
        for (const { before, key } of rows) {
          const account = accountOf(key)
          yield* sql`INSERT INTO accounts (id, created_at) VALUES (${account}, ${nowMs}) ON CONFLICT (id) DO NOTHING`
          const columns = { ...columnsOf(key), ...revocation(before, key), account_id: account, declared: "here" }
          yield* before === undefined
            ? sql`INSERT INTO keys ${sql.insert({ ...columns, id: KeyId.make(ApiKey.randomId("key")), created_at: nowMs })}`
            : sql`UPDATE keys SET ${sql.update(columns)} WHERE id = ${before.id}`
          if (columns.revoked_at !== null) {
            yield* Effect.logWarning(`keys: ${key.name} was revoked by hand and stays so; give it another secret`)
          }
        }
        for (const [account, usd] of balancesOf(keys)) yield* give(account, nanoUsd(usd))
        yield* changes.tell
      },
      (effect) => sql.withTransaction(effect)
    )

    /** Brings what the file has given an account to a figure. */
    const give = Effect.fnUntraced(function* (account: AccountId, figure: number) {
      const [row] = yield* sql<{ given: number | null }>`
        SELECT declared_nano_usd AS given FROM accounts WHERE id = ${account}`
      const given = row?.given ?? null
      if (given === figure) return
      yield* grants.credit(account, figure - (given ?? 0), "balance_usd of the configuration file")
      yield* sql`UPDATE accounts SET declared_nano_usd = ${figure} WHERE id = ${account}`
    })

    return { check, store } as const
  })
}) {}

/** Stores the file's keys before the server listens, and again whenever the file is reloaded. */
export const DeclaredKeysLive: Layer.Layer<never, BadSettings, Configuration | SqlClient.SqlClient> =
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const configuration = yield* Configuration
      const { check, store } = yield* DeclaredKeys
      const wanted = yield* Queue.sliding<ReadonlyArray<Declared>>(1)
      yield* configuration.follow((file) =>
        Effect.as(check(file), () => void wanted.unsafeOffer(file.value.keys ?? []))
      )
      yield* Effect.orDie(Effect.flatMap(wanted.take, store))
      yield* wanted.take.pipe(
        Effect.flatMap((keys) =>
          store(keys).pipe(
            Effect.tapErrorCause((cause) => Effect.logWarning("declared keys are not stored yet", cause)),
            Effect.retry(backoff)
          )
        ),
        Effect.forever,
        Effect.annotateLogs({ fiber: "declaredKeys" }),
        Effect.forkScoped
      )
    })
  ).pipe(Layer.provide(DeclaredKeys.Default))

interface Stored {
  readonly id: string
  readonly name: string
  readonly hash: string
  readonly declared: "here" | "removed"
  readonly revoked_at: number | null
}

/** The key as it was: the one of its name, else the one of its secret, which then was renamed. */
const beforeOf = (stored: ReadonlyArray<Stored>, keys: ReadonlyArray<Declared>, key: Declared): Stored | undefined => {
  const named = stored.find((row) => row.name === key.name)
  if (named !== undefined) return named
  const hash = hashOf(key)
  return stored.find((row) => row.hash === hash && !keys.some((other) => other.name === row.name))
}

/** A key that came back to the file opens again; one that was revoked by hand does so only with another secret. */
const revocation = (before: Stored | undefined, key: Declared) => ({
  revoked_at: before?.declared === "here" && before.hash === hashOf(key) ? before.revoked_at : null
})

const columnsOf = (key: Declared) => ({
  name: key.name,
  hash: hashOf(key),
  hint: ApiKey.hint(Redacted.value(key.secret)),
  models: JSON.stringify(key.models ?? ["*"]),
  limits: JSON.stringify(key.limits === undefined ? {} : limitsOf(key.limits))
})

const hashOf = (key: Declared) => ApiKey.hash(Redacted.value(key.secret))

const accountOf = (key: Declared) => AccountId.make(key.account ?? key.name)

const balancesOf = (keys: ReadonlyArray<Declared>): ReadonlyMap<AccountId, number> =>
  new Map(keys.flatMap((key) => (key.balance_usd === undefined ? [] : [[accountOf(key), key.balance_usd] as const])))

/** Says where two of the file's keys can't both be as they are. */
export const contradiction = (file: Located<GatewayFile>): BadSettings | undefined => {
  const keys = file.value.keys ?? []
  for (const [index, key] of keys.entries()) {
    const complain = (field: string, rule: string) =>
      file.complain(["keys", index, field], `keys[${index}].${field}: ${rule}`)
    for (const earlier of keys.slice(0, index)) {
      if (earlier.name === key.name) return complain("name", `there is another key "${key.name}" above`)
      if (hashOf(earlier) === hashOf(key)) return complain("secret", `it is the secret of "${earlier.name}" too`)
      const differ = (earlier.balance_usd ?? key.balance_usd) !== (key.balance_usd ?? earlier.balance_usd)
      if (differ && accountOf(earlier) === accountOf(key)) {
        return complain("balance_usd", `"${earlier.name}" gives the same account another balance`)
      }
    }
  }
  return undefined
}
