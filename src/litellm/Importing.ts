import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Schema } from "effect"
import { Accounts } from "../access/store/Accounts.ts"
import { Keys } from "../access/store/Keys.ts"
import { Audit } from "../admin/store/Audit.ts"
import { budgetFrom } from "../contract/budgets/WrittenBudget.ts"
import { noSettings } from "../contract/callers/accountSettings.ts"
import type { Actor } from "../contract/callers/Acting.ts"
import { AccountId } from "../contract/callers/Caller.ts"
import type { KeyId } from "../contract/callers/Caller.ts"
import { Conflict } from "../contract/failures/Failure.ts"
import { meterOf } from "../ledger/budgets/meters.ts"
import { budgetCounters, place } from "../ledger/store/budgetCounters.ts"
import { Changes } from "../sql/Changes.ts"
import { stepOf } from "./budgetOf.ts"
import type { PlannedAccess, PlannedAccount, PlannedBudget, PlannedKey } from "./Plan.ts"

/** The accounts and keys that an import made, and those that were there before. */
export interface Imported {
  readonly accounts: ReadonlyArray<string>
  readonly accountsBefore: ReadonlyArray<string>
  readonly keys: number
  /** Names of keys whose secret a key here has already. */
  readonly keysBefore: ReadonlyArray<string>
}

/** Writes planned accounts and keys with what their budgets have counted, in one transaction. */
export class Importing extends Effect.Service<Importing>()("gateway/litellm/Importing", {
  dependencies: [Accounts.Default, Keys.Default, Audit.Default, Changes.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const accounts = yield* Accounts
    const keys = yield* Keys
    const audit = yield* Audit
    const changes = yield* Changes
    const counters = budgetCounters(sql)

    const count = (
      budgets: ReadonlyArray<PlannedBudget>,
      owned: { readonly account: string; readonly key: KeyId | undefined },
      nowMs: number
    ): Effect.Effect<unknown, SqlError> =>
      counters.insert(
        budgets.flatMap((budget) => {
          if (budget.usedNanoUsd === 0) return []
          const meter = meterOf(budgetFrom(budget.written), {
            ...owned,
            account: AccountId.make(owned.account),
            trustsEndUser: false
          })
          const { endsAt, step } = stepOf(budget, nowMs)
          return [{ ...place(meter, "", step, endsAt), used: budget.usedNanoUsd }]
        })
      )

    /** False if it was there. */
    const makeAccount = Effect.fnUntraced(function* (one: PlannedAccount, nowMs: number) {
      if (yield* accounts.isTaken(one.id)) {
        if (yield* accounts.isThere(one.id)) return false
        return yield* new Conflict({
          code: null,
          message: `account "${one.id}" was deleted here and its usage is kept: give LiteLLM's ${one.from} another name first`
        })
      }
      const { budgets, id, limits, models, suspended } = one
      const settings = {
        ...noSettings,
        limits,
        models,
        notModels: null,
        unpriced: null,
        budgets: budgets.map(({ written }) => budgetFrom(written)),
        searchAllowed: null,
        searchBlocked: null,
        webhookUrl: null
      }
      yield* accounts.insert(id, settings, nowMs)
      if (suspended) yield* accounts.suspend(id, nowMs)
      yield* count(budgets, { account: id, key: undefined }, nowMs)
      return true
    })

    const makeKey = Effect.fnUntraced(function* (one: PlannedKey, nowMs: number) {
      const { id } = yield* keys.create({
        account: AccountId.make(one.account),
        name: one.name,
        hashed: { hash: one.hash, hint: { text: one.hint, form: "end" } },
        models: one.models,
        limits: one.limits,
        budgets: one.budgets.map(({ written }) => budgetFrom(written)),
        expiresAtMs: one.blocked ? Math.min(nowMs, one.expiresAtMs ?? nowMs) : one.expiresAtMs
      })
      yield* count(one.budgets, { account: one.account, key: id }, nowMs)
    })

    /** The refusal of an account that has the name of LiteLLM's by chance: its owner would have the other's keys. */
    const strangers = Effect.fnUntraced(function* (
      planned: ReadonlyArray<PlannedAccount>,
      { fresh, made }: { readonly made: ReadonlyArray<PlannedAccount>; readonly fresh: ReadonlyArray<PlannedKey> }
    ) {
      const there = planned.filter((one) => !made.includes(one) && fresh.some(({ account }) => account === one.id))
      if (there.length === 0) return undefined
      const earlier = yield* audit.list({ target, action, limit: mostImports })
      const imports = earlier.flatMap(({ after }) => (isImport(after) ? [after] : []))
      const imported = new Set(imports.flatMap(({ accounts }) => accounts))
      const places = new Map(imports.flatMap(({ places = {} }) => Object.entries(places)))
      const strange = there.find(({ id }) => !imported.has(id))
      if (strange === undefined) {
        const other = there.find(({ id, place }) => (places.get(id) ?? place) !== place)
        return (
          other &&
          new Conflict({
            code: null,
            message: `account "${other.id}" was made for another of LiteLLM's teams, users or keys: the keys of its ${other.from} would be that one's. Give it another name there first`
          })
        )
      }
      const { from, id } = strange
      return new Conflict({
        code: null,
        message: `account "${id}" is here already, and no import made it: the keys of LiteLLM's ${from} would be its. Give one of the two another name first`
      })
    })

    /** The hashes that keys here have. */
    const known = (hashes: ReadonlyArray<string>): Effect.Effect<ReadonlySet<string>, SqlError> =>
      Effect.map(
        Effect.forEach(
          Array.from({ length: Math.ceil(hashes.length / atOnce) }, (_, n) =>
            hashes.slice(n * atOnce, (n + 1) * atOnce)
          ),
          keys.hashesOf
        ),
        (found) => new Set(found.flat())
      )

    const write = Effect.fn("Importing.write")(
      function* (actor: Actor, planned: PlannedAccess) {
        const nowMs = yield* Clock.currentTimeMillis
        // SQLite fails a transaction that has read if another one writes before it does.
        yield* changes.tell
        const before = yield* known(planned.keys.map(({ hash }) => hash))
        const made = yield* Effect.filter(planned.accounts, (one) => makeAccount(one, nowMs))
        const fresh = planned.keys.filter(({ hash }) => !before.has(hash))
        const strange = yield* strangers(planned.accounts, { made, fresh })
        if (strange !== undefined) return yield* strange
        yield* Effect.forEach(fresh, (one) => makeKey(one, nowMs), { discard: true })
        const ids = made.map(({ id }) => id)
        const imported: Imported = {
          accounts: ids,
          accountsBefore: planned.accounts.map(({ id }) => id).filter((id) => !ids.includes(id)),
          keys: fresh.length,
          keysBefore: planned.keys.filter(({ hash }) => before.has(hash)).map(({ name }) => name)
        }
        if (ids.length > 0 || fresh.length > 0) {
          const places = Object.fromEntries(made.map(({ id, place }) => [id, place]))
          const after = { accounts: ids, places, keys: fresh.map(({ account, name }) => ({ account, name })) }
          yield* audit.record({ actor, action, target, before: null, after })
        }
        return imported
      },
      (effect) => Effect.zipLeft(sql.withTransaction(effect), changes.notice)
    )

    return { write } as const
  })
}) {}

/** An import in the audit log. */
const [action, target] = ["import.litellm", "litellm"]
const isImport = Schema.is(
  Schema.Struct({
    accounts: Schema.Array(Schema.String),
    places: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String }))
  })
)
const mostImports = 1_000

/** Hashes per statement. */
const atOnce = 500
