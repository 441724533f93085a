import { SqlClient } from "@effect/sql"
import { Clock, Effect, Layer, Queue, Redacted } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { Configuration } from "../config/Configuration.ts"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { limitsOf } from "../config/limitsOf.ts"
import { declaredSettings } from "../contract/callers/accountSettings.ts"
import { changedKeySettings, noKeySettings } from "../contract/callers/keySettings.ts"
import { AccountId } from "../contract/callers/Caller.ts"
import { budgetFrom } from "../contract/budgets/WrittenBudget.ts"
import { Grants } from "../ledger/store/Grants.ts"
import { nanoUsd } from "../ledger/nanoUsd.ts"
import { makeAlone } from "../sql/alone.ts"
import { Changes } from "../sql/Changes.ts"
import * as ApiKey from "./ApiKey.ts"
import { Accounts } from "./store/Accounts.ts"
import { Keys } from "./store/Keys.ts"
import type { FileKey } from "./store/Keys.ts"
import type { DeclaredKey } from "./store/KeyRow.ts"

type Declared = NonNullable<GatewayFile["keys"]>[number]
type Wanted = Pick<GatewayFile, "accounts" | "keys">

/**
 * Applies the `keys` of the configuration file to the stored keys, at the start and at every reload. A key is identified
 * by its name; one that leaves the file is revoked. A key that was revoked by hand stays revoked until the file gives it
 * another secret.
 */
export class DeclaredKeys extends Effect.Service<DeclaredKeys>()("gateway/access/DeclaredKeys", {
  dependencies: [Keys.Default, Accounts.Default, Grants.Default, Changes.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const stored = yield* Keys
    const accounts = yield* Accounts
    const grants = yield* Grants
    const changes = yield* Changes
    const alone = makeAlone(sql)

    /** Refuses conflicting keys before anything is stored. */
    const check = Effect.fn("DeclaredKeys.check")(function* (file: Located<GatewayFile>) {
      const twice = contradiction(file)
      if (twice !== undefined) return yield* twice
      const hashes = (file.value.keys ?? []).map(hashOf)
      if (hashes.length === 0) return
      const taken = yield* Effect.orDie(stored.undeclaredWith(hashes))
      if (taken !== undefined) {
        const index = hashes.indexOf(taken.hash)
        return yield* file.complain(
          ["keys", index, "secret"],
          `keys[${index}].secret: this secret is that of ${taken.id}, which is not of this file`
        )
      }
    })

    const store = Effect.fn("DeclaredKeys.store")(
      function* ({ accounts: fileAccounts = {}, keys = [] }: Wanted) {
        // Serialises nodes, so that nodes that start together create and grant once.
        yield* alone("declared keys")
        const nowMs = yield* Clock.currentTimeMillis
        const before = yield* stored.declared
        const pairs = keys.map((key) => ({ key, row: beforeOf(before, keys, key) }))
        // Keys may have swapped secrets or names: free them all before reassigning.
        for (const { row } of pairs) if (row !== undefined) yield* stored.vacate(row.id)
        const remaining = new Set(pairs.flatMap(({ row }) => row?.id ?? []))
        for (const { declared, id } of before) {
          if (!remaining.has(id) && declared === "here") yield* stored.undeclare(id, nowMs)
        }
        for (const { key, row } of pairs) {
          const fileKey = fileKeyOf(key, row)
          yield* accounts.ensure(fileKey.account, nowMs)
          yield* stored.declare(row?.id, fileKey, nowMs)
          if (fileKey.revokedAtMs !== null) {
            yield* Effect.logWarning(`keys: ${key.name} was revoked by hand and stays revoked; give it another secret`)
          }
        }
        for (const [account, usd] of balancesOf(keys)) yield* give(account, nanoUsd(usd))
        yield* accounts.undeclare
        for (const [name, declared] of Object.entries(fileAccounts)) {
          const id = AccountId.make(name)
          yield* accounts.ensure(id, nowMs)
          yield* accounts.declare(id, {
            models: declared.models ?? null,
            notModels: declared.not_models ?? null,
            unpriced: declared.unpriced ?? null,
            budgets: declared.budgets?.map(budgetFrom) ?? null,
            ...declaredSettings(declared)
          })
        }
        yield* changes.tell
      },
      (effect) => sql.withTransaction(effect)
    )

    /** Grants or withdraws the difference to the file's previous figure. */
    const give = Effect.fnUntraced(function* (account: AccountId, figure: number) {
      const given = yield* accounts.declaredBalance(account)
      if (given === figure) return
      yield* grants.credit(account, figure - (given ?? 0), "balance_usd of the configuration file")
      yield* accounts.declareBalance(account, figure)
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
      const wanted = yield* Queue.sliding<Wanted>(1)
      yield* configuration.follow((file) => Effect.as(check(file), () => void wanted.unsafeOffer(file.value)))
      yield* Effect.orDie(Effect.flatMap(wanted.take, store))
      /** Kept until stored, for retries. */
      let unstored: Wanted | undefined
      const next = Effect.map(wanted.take, (keys) => {
        unstored = keys
      })
      const pass = Effect.suspend(() => (unstored === undefined ? Effect.void : store(unstored)))
      yield* daemon("declaredKeys", Effect.as(pass, next), backoff)
    })
  ).pipe(Layer.provide([DeclaredKeys.Default, Daemons.Default]))

/** The key's stored row: by name, otherwise by secret if the key was renamed. */
const beforeOf = (stored: ReadonlyArray<DeclaredKey>, keys: ReadonlyArray<Declared>, key: Declared) => {
  const named = stored.find((row) => row.name === key.name)
  if (named !== undefined) return named
  const hash = hashOf(key)
  return stored.find((row) => row.hash === hash && !keys.some((other) => other.name === row.name))
}

const fileKeyOf = (key: Declared, before: DeclaredKey | undefined): FileKey => ({
  account: accountOf(key),
  name: key.name,
  hash: hashOf(key),
  hint: ApiKey.hint(Redacted.value(key.secret)),
  models: key.models ?? ["*"],
  notModels: key.not_models ?? [],
  upstreams: key.upstreams ?? null,
  ...changedKeySettings(noKeySettings, key),
  limits: key.limits === undefined ? {} : limitsOf(key.limits),
  unpriced: key.unpriced ?? null,
  budgets: (key.budgets ?? []).map(budgetFrom),
  expiresAtMs: key.expires_at === undefined ? null : Date.parse(key.expires_at),
  // A key that returns to the file is valid again; one that was revoked by hand, only with another secret.
  revokedAtMs: before?.declared === "here" && before.hash === hashOf(key) ? before.revoked_at : null
})

const hashOf = (key: Declared) => ApiKey.hash(Redacted.value(key.secret))

const accountOf = (key: Declared) => AccountId.make(key.account ?? key.name)

const balancesOf = (keys: ReadonlyArray<Declared>): ReadonlyMap<AccountId, number> =>
  new Map(keys.flatMap((key) => (key.balance_usd === undefined ? [] : [[accountOf(key), key.balance_usd] as const])))

/** The error for two keys of the file that contradict each other, otherwise undefined. */
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
